package learn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/learn/baseline"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

func TestModelPredictsTheSameAfterLoading(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	partial := space.Filter(mustFilter(t, space, "cores>=4"))
	reference := truths(space.Sample(120, 8))
	for name, c := range map[string]struct {
		modes   *tegra.Space
		options Options
	}{
		"gp":                  {space, Options{Space: space}},
		"gp of some modes":    {partial, Options{Space: partial}},
		"gp with a reference": {space, Options{Space: space, Reference: &Reference{Name: "other", Samples: reference}}},
		"gp with the shipped": {space, Options{Space: space, Reference: ShippedReference()}},
		"linear":              {space, Options{Method: Linear, Space: space}},
		"tree":                {space, Options{Method: Tree, Space: space}},
		"forest":              {space, Options{Method: Forest, Space: space}},
		"mlp":                 {space, Options{Method: MLP, Space: space, SkipCV: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := c.options
			o.Seed = 3
			o.Provenance = Provenance{Device: "AGX Orin", Workload: "lstm", Virtual: true, Jtune: "1.2.3",
				When:    time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC),
				Presets: []tegra.Preset{{ID: 2, Name: "MODE_30W", Mode: space.Max(), NeedsReboot: true}},
				Found:   tegra.Setup{Mode: tegra.Some(space.Max()), Locked: tegra.Some(false)}}
			samples := truths(c.modes.Sample(12, 1))
			samples[4].TimeMS *= 3 // a suspicious one
			m := mustFit(t, samples, o)
			path := filepath.Join(t.TempDir(), "x.model")
			must.NoError(t, m.Save(path))
			got := must.Get(Load(path))(t)
			if want := m.Predict(space.Modes()); !reflect.DeepEqual(got.Predict(space.Modes()), want) {
				t.Error("predictions differ after loading")
			}
			if !reflect.DeepEqual(got.Space.Modes(), c.modes.Modes()) {
				t.Errorf("space of %d modes, want %d", got.Space.Len(), c.modes.Len())
			}
			sameModel(t, got, m)
		})
	}
}

// sameModel compares everything but predictions.
func sameModel(t *testing.T, got, want *Model) {
	t.Helper()
	for what, pair := range map[string][2]any{
		"method": {got.Method, want.Method}, "samples": {got.Samples, want.Samples}, "errors": {got.CV, want.CV},
		"reference": {got.Reference, want.Reference}, "warnings": {got.Warnings, want.Warnings},
		"suspicious": {got.Suspicious, want.Suspicious}, "repeated": {got.Repeated, want.Repeated},
		"provenance": {got.Provenance, want.Provenance}, "seed": {got.Seed, want.Seed},
		"fingerprint": {got.fingerprint(), want.fingerprint()},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: got %v, want %v", what, pair[0], pair[1])
		}
	}
}

func TestModelOfNetworksPredictsTheSameAfterLoading(t *testing.T) {
	t.Parallel()
	space, shipped := smallSpace(t), ShippedReference()
	want := &Model{Method: PowerTrain, Space: space, Samples: truths(space.Sample(LeastJudged, 1)), Batches: tegra.Own,
		CV: Errors{12.5, 3, "5 folds"}, Reference: shipped.Name,
		predictor: &banded{Pair: baseline.OfNetworks(*shipped.Networks), timeSD: 0.2, powerSD: 0.1, dof: 4}}
	path := filepath.Join(t.TempDir(), "nets.model")
	must.NoError(t, want.Save(path))
	got := must.Get(Load(path))(t)
	sameModel(t, got, want)
	if modes := space.Modes(); !reflect.DeepEqual(got.Predict(modes), want.Predict(modes)) {
		t.Error("predictions differ after loading")
	}
	if r, err := LoadReference(path); err != nil || r.Networks == nil {
		t.Errorf("networks of a model as a reference: %v, %v", r, err)
	}
}

// A measured mode is as precise in the file as its reading was.
func TestModelFileKeepsTheErrorsOfReadings(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(12, 1))
	for i := range samples[1:] {
		samples[i].Errors = tegra.Errors{Time: tegra.Some(0.001 * float64(i+1)), Power: tegra.Some(0.01)}
	}
	want := mustFit(t, append(samples, samples[0], samples[1]), Options{Space: space})
	path := filepath.Join(t.TempDir(), "m.model")
	must.NoError(t, want.Save(path))
	got, err := Load(path)
	if err != nil || !reflect.DeepEqual(got.Readings(), want.Readings()) || !got.Readings()[0].Errors.Time.OK ||
		got.Readings()[11].Errors.Time.OK {
		t.Errorf("got %+v, want %+v (%v)", got.Readings(), want.Readings(), err)
	}
}

func TestModelSaveReplacesAndLeavesNothingElse(t *testing.T) {
	t.Parallel()
	space, dir := smallSpace(t), t.TempDir()
	path := filepath.Join(dir, "m.model")
	for n := 11; n <= 12; n++ {
		must.NoError(t, mustFit(t, truths(space.Sample(n, 1)), Options{Space: space}).Save(path))
	}
	if got, err := Load(path); err != nil || len(got.Samples) != 12 {
		t.Errorf("after saving twice: %v, %v", got, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files, want the model alone", len(files))
	}
	m := mustFit(t, truths(space.Sample(12, 1)), Options{Space: space})
	if err := m.Save(filepath.Join(dir, "absent", "m.model")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("into an absent folder: %v", err)
	}
}

// numbers are those up to n, each with a comma.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,", i+1)
	}
	return b.String()
}

func TestLoadRejectsOtherFiles(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	good := must.Get(mustFit(t, truths(space.Sample(12, 1)), Options{Space: space}).encode())(t)
	reframed := func(old, new string) []byte {
		_, body, _ := bytes.Cut(good, []byte("\n"))
		changed := bytes.Replace(body, []byte(old), []byte(new), 1)
		if bytes.Equal(changed, body) {
			t.Fatalf("%q is not in the file", old)
		}
		return frame(fileMagic, fileVersion, changed)
	}
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"empty":   {nil, ErrNotModel},
		"a sweep": {[]byte("cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n"), ErrNotModel},
		"noise":   {[]byte{0, 255, 7, 10, 10, 200}, ErrNotModel},
		"the next version": {bytes.Replace(good, []byte("jtune-model 1 "), []byte("jtune-model 4 "+
			""), 1), ErrModelVersion},
		"cut in half":           {good[:len(good)/2], ErrModelDamaged},
		"cut in the first line": {good[:20], ErrModelDamaged},
		"one digit changed":     {bytes.Replace(good, []byte(`"seed":0`), []byte(`"seed":1`), 1), ErrModelDamaged},
		"another method":        {reframed(`"method":"gp"`, `"method":"tree"`), ErrModelDamaged},
		"networks without any":  {reframed(`"method":"gp"`, `"method":"nn"`), ErrModelDamaged},
		"a number too large":    {reframed(`"time_mape_pct":`, `"time_mape_pct":1e999,"x":`), ErrModelDamaged},
		"a negative error":      {reframed(`"time_mape_pct":`, `"time_mape_pct":-1,"x":`), ErrModelDamaged},
		"NaN":                   {reframed(`"time_mape_pct":`, `"time_mape_pct":NaN,"x":`), ErrModelDamaged},
		"other samples":         {reframed(`"samples":[[`, `"samples":[[1,`), ErrModelDamaged},
		"no samples":            {reframed(`"samples":`, `"samples":[],"x":`), ErrModelDamaged},
		"an endless space":      {reframed(`"cores":[`, `"cores":[`+numbers(100_000)), ErrModelDamaged},
		"members outside":       {reframed(`"mem_hz":`, `"partial":true,"members":[-1],"mem_hz":`), ErrModelDamaged},
		"a reference of one mode": {
			reframed(`"seed":`, `"reference_samples":[[1,3e8,2e8,2.04e8,1,1]],"seed":`),
			ErrModelDamaged,
		},
		"a preset without clocks": {
			reframed(`"provenance":{`, `"provenance":{"presets":[{"name":"x","mode":{"cores":4}}],`),
			ErrModelDamaged,
		},
		"a present mode of no core": {
			reframed(`"provenance":{`, `"provenance":{"found":{"mode":{"cpu_khz":1,"gpu_hz":1,"mem_hz":1}},`),
			ErrModelDamaged,
		},
		"a document of other kind": {frame(fileMagic, fileVersion, []byte(`[1,2]`)), ErrModelDamaged},
	} {
		if _, err := decode(c.data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	space := smallSpace(f)
	small := space.Filter(tegra.Filter{})
	for _, o := range []Options{{Space: space}, {Space: small, Method: Linear}} {
		m := mustFit(f, truths(space.Sample(6, 1)), o)
		data := must.Get(m.encode())(f)
		_, body, _ := bytes.Cut(data, []byte("\n"))
		f.Add(data)
		f.Add(body)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		defer reliability.Input(t)()
		if len(data) > 1<<14 {
			return
		}
		// as a file, and as the document of a file whose checksum is right
		for _, file := range [][]byte{data, frame(fileMagic, fileVersion, data)} {
			m, err := decode(file)
			if err != nil {
				continue
			}
			for _, p := range m.Predict([]tegra.Mode{m.Space.At(0), m.Space.Max(), {}}) {
				if !(p.TimeMS > 0) || math.IsInf(p.TimeMS, 0) || !(p.PowerW > 0) || math.IsInf(p.PowerW, 0) ||
					math.IsNaN(p.LnTimeSD+p.LnPowerSD) {
					t.Fatalf("%+v", p)
				}
			}
			if again, err := m.encode(); err != nil {
				t.Fatal(err)
			} else if _, err := decode(again); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestModelDocumentIsPlainJSON(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	m := mustFit(t, truths(space.Sample(2, 1)), Options{Space: space})
	data := must.Get(m.encode())(t)
	_, body, _ := bytes.Cut(data, []byte("\n"))
	var d map[string]any
	if err := json.Unmarshal(body, &d); err != nil || d["method"] != "gp" || len(d["samples"].([]any)) != 2 {
		t.Errorf("%v: %s", err, body)
	}
}

func TestLoadReferenceReadsSweepsAndModels(t *testing.T) {
	t.Parallel()
	space, dir := smallSpace(t), t.TempDir()
	rows := truths(space.Sample(120, 4))
	var text bytes.Buffer
	must.NoError(t, sweeptest.Write(&text, rows))
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		must.NoError(t, os.WriteFile(path, data, 0o644))
		return path
	}
	file := write("other.csv", text.Bytes())
	model := filepath.Join(dir, "other.model")
	must.NoError(t, mustFit(t, rows, Options{Space: space, Provenance: Provenance{Device: "A", Workload: "lstm"},
		SkipCV: true}).Save(model))
	for path, name := range map[string]string{file: "other.csv", model: "lstm (other.model)"} {
		if r := must.Get(LoadReference(path))(t); r.Name != name || len(r.Samples) != len(rows) {
			t.Errorf("%s: reference %q with %d modes, want %q with %d", path, r.Name, len(r.Samples), name, len(rows))
		}
	}
	for _, path := range []string{filepath.Join(dir, "absent"), write("noise", []byte("\x00\x01")),
		write("torn.model", []byte("jtune-model 1 "))} {
		if _, err := LoadReference(path); err == nil {
			t.Errorf("%s was read as a reference", path)
		}
	}
}

func TestReferenceThatCannotHelpIsLeftOutWithAWarning(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	foreign := must.Get(tegra.NewSpace([]int{1, 2, 3, 4}, []tegra.Freq{tegra.GHz, 2 * tegra.GHz},
		[]tegra.Freq{tegra.GHz, 3 * tegra.GHz, 4 * tegra.GHz}, []tegra.Freq{tegra.GHz}))(t)
	many := truths(space.Sample(120, 4))
	for name, c := range map[string]struct {
		reference Reference
		words     string
	}{
		"too few modes": {Reference{Samples: many[:40]}, "at least 100"},
		"another board": {Reference{Samples: truths(foreign.Modes())}, "not this device's"},
		"another name": {Reference{Samples: many, Provenance: Provenance{Device: "Orin Nano"}}, "measured on " +
			"Orin Nano"},
		"a simulation": {Reference{Samples: many, Provenance: Provenance{Device: "AGX " +
			"Orin", Virtual: true}}, "simulation"},
		"networks for gp": {Reference{Networks: ShippedReference().Networks}, "no measured modes"},
	} {
		m := mustFit(t, truths(space.Sample(12, 1)),
			Options{Space: space, Reference: &c.reference, Provenance: Provenance{Device: "AGX Orin"}, SkipCV: true})
		if !hasWarning(m, "is not used") || !hasWarning(m, c.words) || m.Reference != "" {
			t.Errorf("%s: reference %q, warnings %q lack %q", name, m.Reference, m.Warnings, c.words)
		}
	}
}

// A gp model's file keeps its fit: loading takes it over, to the last bit. A file of an older version, of another
// version of the fit, or whose fit is not one of its samples, is fitted again and predicts the same.
func TestModelFileKeepsItsFit(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(60, 2))
	samples[7].TimeMS *= 4
	m := mustFit(t, samples, Options{Space: space, Reference: &Reference{Name: "other",
		Samples: truths(space.Sample(120, 8))}, SkipCV: true, Seed: 5})
	d := must.Get(m.document())(t)
	for name, c := range map[string]struct {
		change func(f *keptFit)
		taken  bool
	}{
		"kept":            {func(*keptFit) {}, true},
		"another version": {func(f *keptFit) { f.Version++ }, false},
		"another count":   {func(f *keptFit) { f.Targets[1][0].Theta = f.Targets[1][0].Theta[1:] }, false},
		"no curve":        {func(f *keptFit) { f.Targets[0] = nil }, false},
		"a false prior":   {func(f *keptFit) { f.Targets[0][0].Prior = 7 }, false},
		"no noise":        {func(f *keptFit) { f.Targets[0][0].SN = 0 }, false},
		"a false sample":  {func(f *keptFit) { f.Targets[0][0].Down = map[int]float64{60: 3} }, false},
		"far away":        {func(f *keptFit) { f.Targets[0][0].Theta[0] = 1e300 }, false},
	} {
		body := must.Get(json.Marshal(d))(t)
		var there document
		must.NoError(t, json.Unmarshal(body, &there))
		c.change(there.Fit)
		got, err := there.model()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sameModel(t, got, m)
		s, _ := got.surrogate()
		was, _ := m.surrogate()
		if !reflect.DeepEqual(s.suspicious(), was.suspicious()) || len(was.suspicious()) != 1 {
			t.Errorf("%s: suspicious are %v, were %v", name, s.suspicious(), was.suspicious())
		}
		if !reflect.DeepEqual(keep(s), keep(was)) {
			t.Errorf("%s: its fit is another one after loading", name)
		}
	}
	kept := keep(m.predictor.(*Surrogate))
	kept.Targets[0][0].SN *= 1.5
	s, err := FitSurrogate(space, m.Samples, SurrogateOptions{Reference: m.predictor.(*Surrogate).reference,
		kept: kept})
	if err != nil || s.time.curves[0].sn != kept.Targets[0][0].SN {
		t.Errorf("a kept fit is not taken over: %v", err)
	}
}

// fitDigest is what the fit of a few made-up samples chooses.
func fitDigest(t *testing.T) string {
	space := smallSpace(t)
	m := mustFit(t, truths(space.Sample(25, 4)), Options{Space: space, SkipCV: true})
	out, k := "", keep(m.predictor.(*Surrogate))
	for _, curves := range k.Targets {
		for _, c := range curves {
			out += fmt.Sprintf("%d %.4g %.4g %.3g %.2g %.1f\n", c.Prior, c.SF, c.SN, c.Score, c.Band, c.Theta)
		}
	}
	return out
}

// The version of the fit is raised when the fit changes: else files would keep fits of earlier programs as their own.
func TestFitOfThisVersion(t *testing.T) {
	t.Parallel()
	const version, want = 2, `0 0.04 0.01 -58.8 1.1 [3.5 3.8 2.9 2.0 2.5 1.9 -1.9 0.9]
0 0.04 0.02 -56.8 0.92 [3.5 3.8 2.9 2.0 2.5 2.0 -1.7 0.9]
0 0.02 0.0075 -77.1 0.49 [2.2 0.7 1.5 1.7 -0.7 2.5 2.9 0.1 -0.1 0.0]
`
	if got := fitDigest(t); fitVersion != version || got != want {
		t.Errorf("the fit of version %d chooses\n%swant of version %d\n%sIf the fit has changed, raise fitVersion and "+
			"take what it chooses now.", fitVersion, got, version, want)
	}
}

// BenchmarkLoad500 loads a model of 500 readings, as it was kept and as a file of an older version.
func BenchmarkLoad500(b *testing.B) {
	var clocks []tegra.Freq
	for i := range 12 {
		clocks = append(clocks, tegra.Freq(200+150*i)*tegra.MHz)
	}
	space := must.Get(tegra.NewSpace([]int{1, 2, 4, 6, 8, 12}, clocks, clocks, clocks[8:]))(b)
	m := must.Get(Fit(b.Context(), truths(space.Sample(500, 4)), Options{Space: space, SkipCV: true}))(b)
	for _, kept := range []bool{true, false} {
		b.Run(fmt.Sprintf("kept=%v", kept), func(b *testing.B) {
			d, err := m.document()
			must.NoError(b, err)
			if !kept {
				d.Fit = nil
			}
			for b.Loop() {
				_, err = d.model()
				must.NoError(b, err)
			}
		})
	}
}

// A model file of an earlier version may hold a board's profile or a reduced reference. It is fitted again to its
// measured modes, and says so.
func TestModelWithAProfileIsFittedAgain(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	m := mustFit(t, truths(space.Sample(25, 4)), Options{Space: space, SkipCV: true})
	d := must.Get(m.document())(t)
	d.Reference, d.RefReduced, d.Fit = "agx-orin (shipped)", json.RawMessage(`{"name":"agx-orin","centres":[[0,0,0,0]]}`), nil
	d.CV = crossErrors{1, 1, "10 folds"} // of the fit with the profile
	body := must.Get(json.Marshal(d))(t)
	got := must.Get(decode(frame(fileMagic, priorVersion, body)))(t)
	if got.CV.Known() {
		t.Errorf("errors %+v, which are another fit's", got.CV)
	}
	got.CV = m.CV
	if said := strings.Join(got.Warnings, "\n"); got.Reference != "" ||
		!strings.Contains(said, "agx-orin (shipped)") || !strings.Contains(said, "fitted again to its 25") {
		t.Errorf("reference %q, and it says %q", got.Reference, said)
	}
	got.Warnings = m.Warnings
	sameModel(t, got, m)
}

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
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tegra/sweep/sweeptest"
)

const (
	mobileNetInfer = "data/sweeps/powertrain-agx-orin/infer/mobnet_infer_data_final.csv"
	resNetInfer    = "data/sweeps/powertrain-agx-orin/infer/resnet_infer_data_final.csv"
)

type inferenceOf struct {
	space   *tegra.Space
	batches []int
	rows    []tegra.Measured
}

func loadInference(t testing.TB, name string) inferenceOf {
	t.Helper()
	table := must.Get(sweep.ReadFile(sweeptest.Shared(t, name), sweep.Options{}))(t)
	var s inferenceOf
	s.rows, s.batches = table.Settings(), table.Batches()
	s.space = must.Get(tegra.NewSubspace(table.Modes()))(t)
	return s
}

// scored fits a random part and scores the rest.
func (s inferenceOf) scored(t testing.TB, n int, seed uint64) score {
	t.Helper()
	var in, out []tegra.Measured
	for i, k := range randomPlaces(len(s.rows), len(s.rows), seed) {
		if i < n {
			in = append(in, s.rows[k])
		} else {
			out = append(out, s.rows[k])
		}
	}
	fit := must.Get(FitSurrogate(s.space, in, SurrogateOptions{Grid: true, Robust: 2, Batches: s.batches}))(t)
	var tp, to, pp, po []float64
	var sc score
	share := 100 / float64(len(out))
	for i, p := range fit.PredictSettings(tegra.SettingsOf(out)) {
		r := out[i]
		tp, to, pp, po = append(tp, p.TimeMS), append(to, r.TimeMS), append(pp, p.PowerW), append(po, r.PowerW)
		if p.TimeLoMS <= r.TimeMS && r.TimeMS <= p.TimeHiMS {
			sc.time95 += share
		}
		if p.PowerLoW <= r.PowerW && r.PowerW <= p.PowerHiW {
			sc.power95 += share
		}
	}
	sc.timeMAPE, sc.powerMAPE = MAPE(tp, to), MAPE(pp, po)
	return sc
}

// The bounds are the results of the method's prototype, with a margin for other samples.
func TestBatchModelErrorsOnUnseenSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file      string
		n               int
		timePct, powPct float64
	}{
		{"MobileNet", mobileNetInfer, 20, 12.4, 5.2}, {"MobileNet", mobileNetInfer, 50, 9.7, 4.2},
		{"ResNet", resNetInfer, 20, 10.3, 6.2}, {"ResNet", resNetInfer, 50, 6.9, 5.1},
	} {
		t.Run(fmt.Sprintf("%s from %d settings", c.name, c.n), func(t *testing.T) {
			t.Parallel()
			s := loadInference(t, c.file)
			var scores []score
			for seed := range seeds() {
				scores = append(scores, s.scored(t, c.n, uint64(seed)))
			}
			got, slack := medians(scores), 1.0
			if testing.Short() {
				slack = 1.3 // a median of three
			}
			t.Logf("MAPE %.1f / %.1f, 95 %% bands cover %.0f / %.0f",
				got.timeMAPE, got.powerMAPE, got.time95, got.power95)
			atMost(t, "latency MAPE %", got.timeMAPE, c.timePct*slack)
			atMost(t, "power MAPE %", got.powerMAPE, c.powPct*slack)
			if got.time95 < 84 || got.power95 < 84 {
				t.Errorf("95 %% bands cover %.0f and %.0f %%, want at least 84", got.time95, got.power95)
			}
		})
	}
}

// served is a made-up service: launches on one CPU thread, then work on the
// GPU for every sample.
func served(a tegra.Setting) tegra.Measured {
	b := float64(a.Batch)
	ms := 6/a.Mode.CPU.GHz() + b*1.5/a.Mode.GPU.GHz() + 1
	w := 9 + 2*math.Pow(a.Mode.GPU.GHz(), 3) + b/ms*(3+4*square(a.Mode.GPU.GHz()))
	return tegra.Measured{Setting: a, TimeMS: ms, PowerW: w}
}

func TestBatchModelLearnsAServiceFromTwentySettings(t *testing.T) {
	t.Parallel()
	space, batches := smallSpace(t), []int{32, 1, 8, 1}
	prior := must.Get(FitSurrogate(space, nil, SurrogateOptions{Batches: batches}))(t)
	all := tegra.Settings(space.Modes(), prior.batches)
	if len(all) != 3*space.Len() {
		t.Fatalf("%d settings of %d modes and 3 batch sizes", len(all), space.Len())
	}
	var in []tegra.Measured
	for _, i := range randomPlaces(len(all), 30, 1) {
		in = append(in, served(all[i]))
	}
	s := must.Get(FitSurrogate(space, in, SurrogateOptions{Grid: true, Robust: 2, Batches: batches}))(t)
	var preds []Prediction
	var tp, to, pp, po []float64
	for i, p := range s.PredictSettings(all) {
		want := served(all[i])
		if p.Batch != want.Batch || p.Mode != want.Mode {
			t.Fatalf("prediction %d has %v and batch %d, want %v and %d", i, p.Mode, p.Batch, want.Mode, want.Batch)
		}
		preds = append(preds, p)
		tp, to, pp, po = append(tp, p.TimeMS), append(to, want.TimeMS), append(pp, p.PowerW), append(po, want.PowerW)
	}
	sane(t, preds)
	atMost(t, "latency MAPE %", MAPE(tp, to), 4)
	atMost(t, "power MAPE %", MAPE(pp, po), 4)
	// between listed sizes, and absurd ones
	between := tegra.Setting{Mode: space.Max(), Batch: 16}
	got := s.PredictSettings(
		[]tegra.Setting{between, {Mode: space.Max()}, {Batch: -3}, {Mode: space.Max(), Batch: 1 << 30}})
	sane(t, got)
	if want := served(between); math.Abs(math.Log(got[0].TimeMS/want.TimeMS)) > 0.1 {
		t.Errorf("a batch of 16, never measured: %.1f ms, want %.1f", got[0].TimeMS, want.TimeMS)
	}
}

// With one batch size for all, the batch is not an input: the model predicts as that of a training, to the digit.
func TestBatchModelNeedsMoreThanOneSize(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	plain := truths(space.Sample(20, 4))
	sized := slices.Clone(plain)
	for i := range sized {
		sized[i].Batch = 16
	}
	want, got := mustFit(t, plain, Options{Space: space}), mustFit(t, sized, Options{Space: space})
	preds := got.Predict(space.Modes())
	for i, p := range preds {
		if p.Batch != 16 {
			t.Fatalf("%v is predicted at batch size %d, want 16", p.Mode, p.Batch)
		}
		preds[i].Batch = 0
	}
	if !slices.Equal(got.Batches, []int{16}) || !slices.Equal(want.Batches, tegra.Own) ||
		!reflect.DeepEqual(preds, want.Predict(space.Modes())) {
		t.Errorf("one size made it an input: %v and %v", got.Batches, want.Batches)
	}
	path := filepath.Join(t.TempDir(), "one.model")
	must.NoError(t, got.Save(path))
	loaded := must.Get(Load(path))(t)
	sameModel(t, loaded, got)
}

func servedModel(t *testing.T, space *tegra.Space, n int) *Model {
	t.Helper()
	var in []tegra.Measured
	all := tegra.Settings(space.Modes(), []int{1, 8, 32})
	for _, i := range randomPlaces(len(all), n, 1) {
		in = append(in, served(all[i]))
	}
	return mustFit(t, in, Options{Space: space, Provenance: Provenance{Workload: "served"}})
}

func TestBatchModelHasTheSizeAsAnInput(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	m := servedModel(t, space, 30)
	if !slices.Equal(m.Batches, []int{1, 8, 32}) || len(m.Samples) != 30 || !m.CV.Known() {
		t.Fatalf("sizes %v, %d samples, errors %v", m.Batches, len(m.Samples), m.CV)
	}
	atMost(t, "cross-validated time error %", m.CV.TimeMAPEPct, 8)
	atMost(t, "cross-validated power error %", m.CV.PowerMAPEPct, 8)
	eight := m.At(8)
	if eight.Batch != 8 || !slices.Equal(eight.Batches, []int{8}) ||
		len(eight.Samples) == 0 || len(eight.Samples) == len(m.Samples) {
		t.Errorf("of minibatches of 8: %d of %d samples, sizes %v", len(eight.Samples), len(m.Samples), eight.Batches)
	}
	for _, s := range eight.Samples {
		if s.Batch != 8 {
			t.Errorf("a sample of minibatches of 8 has %d", s.Batch)
		}
	}
	want := m.PredictSettings(tegra.Settings(space.Modes(), []int{8}))
	if got := eight.Predict(space.Modes()); !reflect.DeepEqual(got, want) {
		t.Error("the model of one size predicts otherwise than the whole one")
	}
	if got, want := m.Predict(space.Modes()), m.At(32).Predict(space.Modes()); !reflect.DeepEqual(got, want) {
		t.Error("without a word, the largest size is not meant")
	}
	left, err := eight.LeaveOut(t.Context())
	if err != nil || len(left) != 30 {
		t.Errorf("%d left out of 30, %v", len(left), err)
	}
}

func TestBatchModelFile(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	m := servedModel(t, space, 25)
	m.Suspicious = append(m.Suspicious, m.Samples[2].Setting)
	path := filepath.Join(t.TempDir(), "b.model")
	if err := m.At(8).Save(path); err != nil { // saves the whole
		t.Fatal(err)
	}
	got := must.Get(Load(path))(t)
	sameModel(t, got, m)
	all := tegra.Settings(space.Modes(), []int{1, 3, 8, 32})
	if !slices.Equal(got.Batches, m.Batches) || !reflect.DeepEqual(got.PredictSettings(all), m.PredictSettings(all)) {
		t.Errorf("predictions or sizes %v differ after loading", got.Batches)
	}
	data, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(data, []byte("jtune-model 2 ")) {
		t.Fatalf("%v: the file begins with %.20q: an older program must see another version", err, data)
	}
	if _, err := LoadReference(path); err == nil || !strings.Contains(err.Error(), "“batch size”") {
		t.Errorf("as a reference: %v", err)
	}
	_, body, _ := bytes.Cut(data, []byte("\n"))
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"cut in half":       {data[:len(data)/2], ErrModelDamaged},
		"version 4":         {frame(fileMagic, 4, body), ErrModelVersion},
		"said to be plain":  {frame(fileMagic, fileVersion, body), ErrModelDamaged},
		"a size of 0":       {reframed(body, `"sample_batches":[`, `"sample_batches":[0,`), ErrModelDamaged},
		"sizes not its own": {swapped(t, body), ErrModelDamaged},
	} {
		if _, err := decode(c.data); !errors.Is(err, c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %v in one line", name, err, c.want)
		}
	}
	plain := mustFit(t, truths(space.Sample(5, 1)), Options{Space: space})
	if text, err := plain.encode(); err != nil || !bytes.HasPrefix(text, []byte("jtune-model 1 ")) {
		t.Errorf("%v: a model without sizes begins with %.20q", err, text)
	}
}

// reframed changes a body and updates its checksum.
func reframed(body []byte, old, new string) []byte {
	return frame(fileMagic, batchVersion, bytes.Replace(body, []byte(old), []byte(new), 1))
}

// swapped exchanges the batch sizes of the first two samples that differ in it.
func swapped(t *testing.T, body []byte) []byte {
	t.Helper()
	var d document
	must.NoError(t, json.Unmarshal(body, &d))
	for i := range d.Batches {
		if d.Batches[i] != d.Batches[0] {
			d.Batches[i], d.Batches[0] = d.Batches[0], d.Batches[i]
			break
		}
	}
	out := must.Get(json.Marshal(d))(t)
	return frame(fileMagic, batchVersion, out)
}

func TestBatchModelRejectsSamplesItCannotFit(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	sample := func(batches ...int) (out []tegra.Measured) {
		for i, b := range batches {
			s := served(tegra.Setting{Mode: space.At(7 * i), Batch: max(b, 1)})
			s.Batch = b
			out = append(out, s)
		}
		return out
	}
	for name, c := range map[string]struct {
		samples []tegra.Measured
		method  Method
		words   string
	}{
		"some without a size": {sample(4, 8, 0, 8), Auto, "a minibatch of 0"},
		"a size below one":    {sample(4, -8), Auto, "minibatch of -8"},
		"an absurd size":      {sample(4, 1<<30), Auto, "want 1 to 1048576"},
		"a method without it": {sample(4, 8), Linear, "one batch size"},
	} {
		if _, err := Fit(t.Context(), c.samples, Options{Space: space, Method: c.method}); err == nil ||
			!strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, want %q", name, err, c.words)
		}
	}
	m := mustFit(t, sample(1, 1<<20, 1<<10), Options{Space: space, Reference: ShippedReference()})
	sane(t, m.PredictSettings(tegra.Settings(space.Modes(), []int{1, 1 << 10, 1 << 20})))
	if !slices.ContainsFunc(m.Warnings,
		func(w string) bool { return strings.Contains(w, "is not used: the batch size") }) {
		t.Errorf("a reference that is not used goes unsaid: %q", m.Warnings)
	}
}

func TestBatchModelRejectsSizesOutOfRange(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	good := served(tegra.Setting{Mode: space.At(3), Batch: 8})
	for name, c := range map[string]struct {
		space   *tegra.Space
		batches []int
		change  func(*tegra.Measured)
		words   string
	}{
		"no space":           {nil, []int{8}, func(*tegra.Measured) {}, "space is empty"},
		"the job's own":      {space, tegra.Own, func(*tegra.Measured) {}, "sample 1: a minibatch of 8"},
		"a batch of nothing": {space, []int{0, 8}, func(*tegra.Measured) {}, "a minibatch of 0"},
		"a batch not listed": {space, []int{8}, func(m *tegra.Measured) { m.Batch = 7 }, "sample 1: a minibatch " +
			"of 7"},
		"a time of NaN": {space, []int{8}, func(m *tegra.Measured) { m.TimeMS = math.NaN() }, "sample 1"},
		"a mode of other board": {space, []int{8}, func(m *tegra.Measured) { m.Mode.Cores = 99 }, "not one of the " +
			"300 modes"},
	} {
		bad := good
		c.change(&bad)
		if _, err := FitSurrogate(c.space, []tegra.Measured{bad}, SurrogateOptions{Batches: c.batches}); err == nil ||
			!strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.words)
		}
	}
}

func TestModelCountsModesAndSettings(t *testing.T) {
	t.Parallel()
	a, b := tegra.Mode{Cores: 2, CPU: 1, GPU: 1, EMC: 1}, tegra.Mode{Cores: 4, CPU: 1, GPU: 1, EMC: 1}
	at := func(m tegra.Mode, batch int) tegra.Measured {
		return tegra.Measured{Setting: tegra.Setting{Mode: m, Batch: batch}}
	}
	one := &Model{Samples: []tegra.Measured{at(a, 0), at(b, 0)}}
	sized := &Model{Samples: []tegra.Measured{at(a, 1), at(a, 8), at(b, 8)}, Batches: []int{1, 8}}
	for _, c := range []struct {
		model *Model
		modes int
		said  string
	}{{one, 2, "2 modes"}, {sized, 2, "2 modes in 3 settings"}, {sized.At(1), 2, "2 modes in 3 settings"}} {
		if c.model.Modes() != c.modes || c.model.Learned() != c.said {
			t.Errorf("%d modes, %q; want %d, %q", c.model.Modes(), c.model.Learned(), c.modes, c.said)
		}
	}
}

package learn

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"jtune/internal/tools/reliability"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// madeUpCompact reduces a reference of smallSpace that nobody measured.
func madeUpCompact(t testing.TB) *Compact {
	t.Helper()
	rows := truths(smallSpace(t).Modes())
	for i := range rows { // a quirk of the device that the formula lacks
		if rows[i].Mode.Cores == 4 {
			rows[i].TimeMS *= 1.15
			rows[i].PowerW *= 0.92
		}
	}
	c, err := NewCompact(ReferenceNote{Name: "made up", Version: 3, Device: "AGX Orin", Workload: "none"}, rows)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCompactPredictsWhatTheWholeResidualDoes(t *testing.T) {
	t.Parallel()
	c := madeUpCompact(t)
	for k, name := range []string{"time", "power"} {
		if c.Says[k] < 0.01 || c.Lost[k] > 0.1*c.Says[k] {
			t.Errorf("%s: lost %.4f of %.4f", name, c.Lost[k], c.Says[k])
		}
	}
}

func TestCompactLoadsAsItWasSaved(t *testing.T) {
	t.Parallel()
	want := madeUpCompact(t)
	path := filepath.Join(t.TempDir(), "x.reference")
	if err := want.Save(path); err != nil {
		t.Fatal(err)
	}
	r, err := LoadReference(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.Compact, want) || r.Name != "made up" || r.Provenance.Device != "AGX Orin" {
		t.Errorf("got %+v", r)
	}
	m := mustFit(t, truths(smallSpace(t).Sample(12, 1)), Options{Space: smallSpace(t), Reference: r})
	if m.compact == nil || hasWarning(m, "is not used") {
		t.Errorf("the loaded reference was not used: %q", m.Warnings)
	}
}

func TestLoadReferenceRejectsOtherFiles(t *testing.T) {
	t.Parallel()
	body := func(change func(c *Compact)) []byte {
		c := *madeUpCompact(t)
		change(&c)
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	good := frame(referenceMagic, referenceVersion, body(func(*Compact) {}))
	framed := func(change func(c *Compact)) []byte { return frame(referenceMagic, referenceVersion, body(change)) }
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"cut in half":           {good[:len(good)/2], ErrReferenceDamaged},
		"cut in the first line": {good[:20], ErrReferenceDamaged},
		"one digit changed": {
			bytes.Replace(good, []byte(`"modes":300`), []byte(`"modes":301`), 1),
			ErrReferenceDamaged,
		},
		"another version": {bytes.Replace(good, []byte("jtune-reference 1 "), []byte("jtune-reference 2 "+
			""), 1), ErrReferenceVersion},
		"a list": {frame(referenceMagic, referenceVersion, []byte("[1]")), ErrReferenceDamaged},
		"a number beyond float32": {
			frame(referenceMagic, referenceVersion, []byte(`{"time":[1e99]}`)),
			ErrReferenceDamaged,
		},
		"no centres": {
			framed(func(c *Compact) { c.Centres, c.Time, c.Power = nil, nil, nil }),
			ErrReferenceDamaged,
		},
		"a weight missing": {framed(func(c *Compact) { c.Time = c.Time[1:] }), ErrReferenceDamaged},
		"deviations of a million": {
			framed(func(c *Compact) { c.Power = append([]float32{1e6}, c.Power[1:]...) }),
			ErrReferenceDamaged,
		},
		"a centre out of reach": {
			framed(func(c *Compact) { c.Centres = append([]centre{{99}}, c.Centres[1:]...) }),
			ErrReferenceDamaged,
		},
		"a lengthscale of zero":    {framed(func(c *Compact) { c.Octaves[2] = 0 }), ErrReferenceDamaged},
		"a largest setting of < 0": {framed(func(c *Compact) { c.Max[1] = -1 }), ErrReferenceDamaged},
	} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadReference(path); !errors.Is(err, c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want %v with the file's name", name, err, c.want)
		}
	}
}

func TestLoadRejectsASpoiledReference(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	m := mustFit(
		t,
		truths(space.Sample(12, 1)),
		Options{Space: space, Reference: madeUpCompact(t).reference(), SkipCV: true},
	)
	for name, spoil := range map[string]func(*Compact){
		"a weight missing":       func(c *Compact) { c.Time = c.Time[1:] },
		"weights of another one": func(c *Compact) { c.Time = append([]float32{500}, c.Time[1:]...) },
		"another board's":        func(c *Compact) { c.Max[2] *= 4 },
	} {
		spoilt := *m.compact
		spoil(&spoilt)
		other := *m
		other.compact = &spoilt
		data, err := other.encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decode(data); !errors.Is(err, ErrModelDamaged) {
			t.Errorf("%s: got %v, want a damaged model", name, err)
		}
	}
}

// A model keeps its own copy, so a jtune that ships another version of the
// reference, or none, predicts the same.
func TestModelKeepsItsOwnReference(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	c := madeUpCompact(t)
	c.Name = ShippedName // of another version than the one inside
	m := mustFit(t, truths(space.Sample(20, 1)), Options{Space: space, Reference: c.reference(), SkipCV: true})
	data, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Predict(space.Modes()), m.Predict(space.Modes())) {
		t.Error("predictions differ after loading")
	}
}

func TestShippedReferenceIsForItsKindOfBoard(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		board tegra.Board
		want  bool
	}{
		"AGX Orin developer kit": {tegra.Board{Name: "AGX Orin", Module: "p3701-0000", SoC: "tegra234"}, true},
		"AGX Orin 64 GB":         {tegra.Board{Name: "AGX Orin", Module: "p3701-0005", SoC: "tegra234"}, true},
		"AGX Orin 32 GB":         {tegra.Board{Name: "AGX Orin", Module: "p3701-0004", SoC: "tegra234"}, false},
		"Orin Nano":              {tegra.Board{Name: "Orin Nano", Module: "p3767-0005", SoC: "tegra234"}, true},
		"Orin Nano 4 GB":         {tegra.Board{Name: "Orin Nano", Module: "p3767-0004", SoC: "tegra234"}, false},
		"Orin NX, same SoC":      {tegra.Board{Name: "Orin NX 8GB", Module: "p3767-0001", SoC: "tegra234"}, false},
		"replay of an AGX Orin":  {tegra.Board{Name: "AGX Orin", Virtual: true, Replay: "sweep.csv"}, true},
		"replay of another board": {tegra.Board{Name: "Replayed " +
			"board", Module: "p3701-0000", Virtual: true, Replay: "sweep.csv"}, false},
		"simulated AGX Orin":          {tegra.Board{Name: "AGX Orin", Module: "p3701-0000", Virtual: true}, false},
		"a board nothing is known of": {tegra.Board{}, false},
	} {
		if got := ReferenceFor(c.board, nil) != nil; got != c.want {
			t.Errorf("%s: got a reference: %v, want %v", name, got, c.want)
		}
	}
}

// The default reference is dropped silently for other clocks.
func TestShippedReferenceIsNotForASpaceThatGoesHigher(t *testing.T) {
	t.Parallel()
	nano := tegra.Board{Name: "Orin Nano", Module: "p3767-0005"}
	for top, want := range map[tegra.Freq]bool{624750 * tegra.KHz: true, 1020 * tegra.MHz: false} {
		space, err := tegra.NewSpace(
			[]int{2, 6},
			[]tegra.Freq{tegra.GHz, 1510400 * tegra.KHz},
			[]tegra.Freq{306 * tegra.MHz, top},
			[]tegra.Freq{2133 * tegra.MHz},
		)
		if err != nil {
			t.Fatal(err)
		}
		if got := ReferenceFor(nano, space) != nil; got != want {
			t.Errorf("GPU up to %v: got a reference: %v, want %v", top, got, want)
		}
	}
}

func TestShippedReferenceIsLeftOutElsewhere(t *testing.T) {
	t.Parallel()
	small, err := tegra.NewSpace(
		[]int{2, 4, 6},
		[]tegra.Freq{tegra.GHz, 1510 * tegra.MHz},
		[]tegra.Freq{306 * tegra.MHz, 625 * tegra.MHz},
		[]tegra.Freq{2133 * tegra.MHz},
	)
	if err != nil {
		t.Fatal(err)
	}
	here := smallSpace(t)
	for name, c := range map[string]struct {
		space *tegra.Space
		from  Provenance
		words string
	}{
		"half the clocks":  {small, Provenance{}, "not this device's"},
		"another name":     {here, Provenance{Device: "Orin NX"}, "measured on AGX Orin, the samples on Orin NX"},
		"a simulated Orin": {here, Provenance{Device: "AGX Orin", Virtual: true}, "simulation"},
	} {
		m := mustFit(
			t,
			truths(c.space.Sample(8, 1)),
			Options{Space: c.space, Reference: ShippedReference(), Provenance: c.from, SkipCV: true},
		)
		if !hasWarning(m, "is not used") || !hasWarning(m, c.words) || m.Reference != "" || m.compact != nil {
			t.Errorf("%s: reference %q, warnings %q lack %q", name, m.Reference, m.Warnings, c.words)
		}
	}
	m := mustFit(
		t,
		truths(here.Sample(8, 1)),
		Options{
			Space:      here,
			Reference:  ShippedReference(),
			Provenance: Provenance{Device: "AGX Orin", Virtual: true, Replay: "x.csv"},
			SkipCV:     true,
		},
	)
	if hasWarning(m, "is not used") {
		t.Errorf("on a replay: %q", m.Warnings)
	}
}

func TestResidualIsTheSameByIndex(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	r, err := madeUpCompact(t).residual(space)
	if err != nil {
		t.Fatal(err)
	}
	index := []int{7, 0, 299}
	var modes []tegra.Mode
	for _, i := range index {
		modes = append(modes, space.At(i))
	}
	wantTime, wantPower := r.at(modes)
	for _, of := range []*tegra.Space{space, smallSpace(t)} { // its own, another one
		if time, power := r.atIndexes(of, index, modes); !reflect.DeepEqual(time, wantTime) ||
			!reflect.DeepEqual(power, wantPower) {
			t.Errorf("got %v and %v, want %v and %v", time, power, wantTime, wantPower)
		}
	}
}

func TestShippedReferenceIsSmallAndSaysWhereItComesFrom(t *testing.T) {
	t.Parallel()
	if len(shippedCompact) > 30_000 {
		t.Errorf("%d bytes, want at most 30 kB", len(shippedCompact))
	}
	c := loadCompact()
	if c.Name != ShippedName || c.Version < 1 || c.Modes != mostReference || c.Licence == "" ||
		!strings.Contains(c.Command, "internal/tools/makeref") ||
		!strings.Contains(c.Source, "bf7d6b73ebe9b311263b6a085255eb56b1fd7149") {
		t.Errorf("note %+v, %d modes", c.ReferenceNote, c.Modes)
	}
}

func TestShippedReferenceIsTheOneItsCommandMakes(t *testing.T) {
	if testing.Short() {
		t.Skip("fits a whole sweep")
	}
	t.Parallel()
	want, err := NewCompact(loadCompact().ReferenceNote, sweeptest.Load(t, sweeptest.ResNet))
	if err != nil {
		t.Fatal(err)
	}
	space := loadSweep(t, sweeptest.ResNet).space
	a, err := want.residual(space)
	if err != nil {
		t.Fatal(err)
	}
	b, err := loadCompact().residual(space)
	if err != nil {
		t.Fatal(err)
	}
	time, power := a.over(space)
	gotTime, gotPower := b.over(space)
	// Another processor's rounding may select other centres, with the same predictions.
	if rms(time, gotTime) > 0.2*want.Says[0] || rms(power, gotPower) > 0.2*want.Says[1] {
		t.Errorf("says %.4f and %.4f apart from what it is made to say", rms(time, gotTime), rms(power, gotPower))
	}
}

// The formula's amplitudes contain ResNet's time and power; they are not shipped, and 384 weights cannot encode 2,000
// measured values.
func TestShippedReferenceHoldsNoMeasuredRows(t *testing.T) {
	t.Parallel()
	c := loadCompact()
	if numbers := len(c.Time) + len(c.Power); numbers > c.Modes {
		t.Errorf("%d weights from %d modes' time and power", numbers, c.Modes)
	}
	s := loadSweep(t, sweeptest.ResNet)
	r, err := c.residual(s.space)
	if err != nil {
		t.Fatal(err)
	}
	var lnTime, lnPower []float64
	for _, m := range s.space.Modes() {
		for _, row := range s.rows {
			if row.Mode == m {
				lnTime, lnPower = append(lnTime, math.Log(row.TimeMS)), append(lnPower, math.Log(row.PowerW))
				break
			}
		}
	}
	time, power := r.over(s.space)
	for name, v := range map[string][2][]float64{"time": {lnTime, time}, "power": {lnPower, power}} {
		share := explained(v[0], v[1])
		t.Logf("the residual explains %.1f %% of ln %s", 100*share, name)
		if share > 0.3 {
			t.Errorf("the residual explains %.0f %% of ln %s", 100*share, name)
		}
	}
}

// explained is the squared correlation of y and r.
func explained(y, r []float64) float64 {
	n := float64(len(y))
	var sy, sr, syy, srr, syr float64
	for i := range y {
		sy, sr, syy, srr, syr = sy+y[i], sr+r[i], syy+y[i]*y[i], srr+r[i]*r[i], syr+y[i]*r[i]
	}
	return square(syr-sy*sr/n) / ((syy - sy*sy/n) * (srr - sr*sr/n))
}

func FuzzReferenceFile(f *testing.F) {
	c := madeUpCompact(f)
	body, err := json.Marshal(c)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Add(
		[]byte(
			`{"name":"x","modes":1,"max":[1,1,1,1],"octaves":[1,1,1,1],` +
				`"centres":[[0,0,0,0]],"time":[0.1],"power":[0.1]}`,
		),
	)
	f.Add([]byte(`{"centres":[[]],"time":[1],"power":[1e38]}`))
	f.Add([]byte(`{`))
	space := smallSpace(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		defer reliability.Input(t)()
		c, err := decodeCompact(frame(referenceMagic, referenceVersion, body))
		if err != nil {
			return
		}
		r, err := c.residual(space)
		if err != nil {
			return
		}
		time, power := r.over(space)
		for i := range time {
			if math.IsNaN(time[i]) || math.IsInf(time[i], 0) || math.IsNaN(power[i]) || math.IsInf(power[i], 0) {
				t.Fatalf("mode %d deviates by %g and %g", i, time[i], power[i])
			}
		}
	})
}

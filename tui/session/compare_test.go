package session

import (
	"math"
	"slices"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tui/session/config"
)

func TestCompareCountsMeasurementsBeforePredictions(t *testing.T) {
	s := fast(t)
	top := s.Device.Space().Max()
	chosen := optimize.MeasuredPrediction(tegra.Measured{Setting: tegra.Setting{Mode: s.Device.Space().At(0)},
		TimeMS: 200, PowerW: 10})
	v := outlook.Compare(chosen, nil, []tegra.Measured{{Setting: tegra.Setting{Mode: top}, TimeMS: 100, PowerW: 40}},
		s.Device.Space(), s.Device.Presets(), tegra.Setup{Mode: tegra.Some(chosen.Mode)})
	if v.MaxN == nil || v.MaxN.How() != "measured" || v.MaxN.TimePct != 100 || v.MaxN.PowerPct != -75 ||
		v.MaxN.EnergyPct != -50 || v.MaxN.Lo != v.MaxN.Difference || v.MaxN.Hi != v.MaxN.Difference {
		t.Errorf("against MAXN: got %+v", v.MaxN)
	}
	must.Equal(t, v.Present, nil)
	guess := oneBand{}.Predict([]tegra.Mode{chosen.Mode})[0]
	v = outlook.Compare(guess, nil, []tegra.Measured{{Setting: tegra.Setting{Mode: top}, TimeMS: 100, PowerW: 40}},
		s.Device.Space(), nil, tegra.Setup{})
	if v.MaxN == nil || !v.MaxN.Measured || v.MaxN.BothMeasured() || v.MaxN.How() != "predicted" ||
		v.MaxN.Lo.TimePct >= 0 || v.MaxN.Hi.TimePct <= 0 {
		t.Errorf("a predicted choice against a measured mode: got %+v, want a predicted range", v.MaxN)
	}
	for locked, want := range map[tegra.Val[bool]]string{
		{}:                "present",
		tegra.Some(true):  "present",
		tegra.Some(false): "present, locked",
	} {
		v := outlook.Compare(chosen, nil, []tegra.Measured{chosen.Measured}, s.Device.Space(), nil,
			tegra.Setup{Mode: tegra.Some(chosen.Mode), Locked: locked})
		if v.Present == nil || v.Present.Name != want {
			t.Errorf("with clocks locked %+v the present mode is %+v, want %q", locked, v.Present, want)
		}
	}
}

// oneBand predicts the same of every mode: 100 ms within a factor of 1.2, 40 W within 1.1.
type oneBand struct{}

func (oneBand) Predict(modes []tegra.Mode) []learn.Prediction {
	out := make([]learn.Prediction, len(modes))
	for i, m := range modes {
		out[i] = learn.Prediction{Measured: tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 100, PowerW: 40},
			TimeLoMS: 100 / 1.2, TimeHiMS: 100 * 1.2, PowerLoW: 40 / 1.1, PowerHiW: 40 * 1.1}
	}
	return out
}

func TestCompareWithAPredictionGivesARange(t *testing.T) {
	s := fast(t)
	space := s.Device.Space()
	top := space.Max()
	near, far := top, top // below the highest measured CPU clock by less than half an octave, and by more
	from := func(least tegra.Freq) tegra.Freq {
		return space.CPU[slices.IndexFunc(space.CPU, func(f tegra.Freq) bool { return f >= least })]
	}
	near.CPU, far.CPU = from(top.CPU*3/4), from(top.CPU/2)
	same := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	reading := optimize.MeasuredPrediction(tegra.Measured{Setting: tegra.Setting{Mode: space.At(0)}, TimeMS: 200,
		PowerW: 10})
	for _, c := range []struct {
		name           string
		chosen         learn.Prediction
		knownTo        tegra.Mode
		how            string
		timeLo, timeHi float64 // of the difference
	}{
		{"a measured choice has the band of the other mode", reading, near, "predicted", 200/1.2 - 100, 240 - 100},
		{"two predictions add up", oneBand{}.Predict([]tegra.Mode{space.At(0)})[0], near, "predicted",
			100*math.Exp(-math.Sqrt2*math.Log(1.2)) - 100, 100*math.Exp(math.Sqrt2*math.Log(1.2)) - 100},
		{"beyond what was measured", reading, far, "extrapolated", 200/1.2 - 100, 240 - 100},
	} {
		known := []tegra.Measured{{Setting: tegra.Setting{Mode: c.knownTo}, TimeMS: 1, PowerW: 1}}
		got := outlook.Compare(c.chosen, oneBand{}, known, space, nil, tegra.Setup{}).MaxN
		if got == nil || got.How() != c.how || !same(got.Lo.TimePct, c.timeLo) || !same(got.Hi.TimePct, c.timeHi) {
			t.Errorf("%s: got %+v, want %s, %.2f to %.2f %% of time", c.name, got, c.how, c.timeLo, c.timeHi)
		}
		if got.EnergyPct < got.Lo.EnergyPct || got.EnergyPct > got.Hi.EnergyPct ||
			got.Hi.EnergyPct-got.Lo.EnergyPct <= got.Hi.PowerPct-got.Lo.PowerPct {
			t.Errorf("%s: the energy's range follows time and power together, got %+v", c.name, got)
		}
	}
}

func TestNameOfIsThePresetsBeforeMAXN(t *testing.T) {
	t.Parallel()
	for board, want := range map[string]string{"orin-nano": "15W", "agx-orin": "MAXN"} {
		s := must.Get(Open(Options{Device: "virtual:" + board, Paths: config.Paths{DataDir: t.TempDir()}}))(t)
		defer s.Close()
		must.Equal(t, s.NameOf(s.Device.Space().Max()), want, board)
	}
	s := must.Get(Open(Options{Device: "virtual:orin-nano", Paths: config.Paths{DataDir: t.TempDir()}}))(t)
	defer s.Close()
	must.Equal(t, tegra.NameOf(s.Device.Space().Max(), s.Device.Space(), nil), "MAXN")
}

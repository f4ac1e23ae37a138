package answers

import (
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// byCores predicts 120 ms divided by the cores at 2 W a core, with bands of ±2 %.
type byCores struct{}

func (byCores) Predict(modes []tegra.Mode) []learn.Prediction {
	out := make([]learn.Prediction, len(modes))
	for i, m := range modes {
		ms, watts := 120/float64(m.Cores), 2*float64(m.Cores)
		out[i] = learn.Prediction{Measured: tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms, PowerW: watts},
			TimeLoMS: 0.98 * ms, TimeHiMS: 1.02 * ms, PowerLoW: 0.98 * watts, PowerHiW: 1.02 * watts,
			LnTimeSD: 0.01, LnPowerSD: 0.01}
	}
	return out
}

func TestChosenComparesWithTheBestPresetAlone(t *testing.T) {
	t.Parallel()
	one := []tegra.Freq{tegra.GHz}
	space := must.Get(tegra.NewSpace([]int{1, 2, 3, 4, 5, 6, 7, 8}, one, one, one))(t)
	mode := func(cores int) tegra.Mode {
		return tegra.Mode{Cores: cores, CPU: tegra.GHz, GPU: tegra.GHz, EMC: tegra.GHz}
	}
	presets := []tegra.Preset{{ID: 0, Name: "MAXN", Mode: mode(8)}, {ID: 1, Name: "LOW", Mode: mode(2)},
		{ID: 2, Name: "MIDDLE", Mode: mode(5)}}
	for _, c := range []struct {
		name            string
		present         int
		measured        []int // cores; the answer has 6
		preset, against string
		measuredAgainst bool
	}{
		{"all are measured", 8, []int{8, 6, 5, 2}, "MIDDLE", "MIDDLE", true},
		{"the best is not", 8, []int{8, 6, 2}, "", Present, true},
		{"the best is the present mode", 5, []int{8, 6, 5, 2}, "", Present, true},
		{"the present mode is, unmeasured", 5, []int{8, 6, 2}, "", Present, false},
	} {
		var rows []tegra.Measured
		for _, n := range c.measured {
			m := byCores{}.Predict([]tegra.Mode{mode(n)})[0].Measured
			rows = append(rows, m)
		}
		o := outlook.By(byCores{}, "w", &learn.Model{Space: space, Samples: rows}, rows, space)
		l := metric.Watts(13)
		at := 0
		for i, p := range o.Predicted {
			if p.Mode == mode(6) {
				at = i
			}
		}
		present := tegra.Setup{Mode: tegra.Some(mode(c.present)), Locked: tegra.Some(true)}
		a := Chosen(o, at, l, presets, present, nil, true)
		got := ""
		if a.Preset != nil {
			got = a.Preset.Name
		}
		if got != c.preset || a.Gain == nil || a.Gain.Against != c.against || a.Gain.Measured != c.measuredAgainst {
			t.Errorf("%s: preset %q, gain %+v; want %q and against %s", c.name, got, a.Gain, c.preset, c.against)
		}
	}
}

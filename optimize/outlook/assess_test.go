package outlook

import (
	"testing"

	"jtune/learn"
	"jtune/tegra"
)

// leftOut returns n modes whose times are predicted a tenth too high, or off by wrong at the lowest GPU clock.
func leftOut(n int, wrong float64) []learn.LeftOut {
	var out []learn.LeftOut
	for i := range n {
		mode := tegra.Mode{Cores: 1 + i%6, CPU: tegra.GHz, GPU: tegra.Freq(1+i/6) * tegra.GHz, EMC: tegra.GHz}
		m := tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: 100, PowerW: 20}
		p := learn.Prediction{Measured: tegra.Measured{Setting: tegra.Setting{Mode: m.Mode}, TimeMS: 110, PowerW: 20}}
		if i < 6 {
			p.TimeMS = 100 * (1 + wrong)
		}
		out = append(out, learn.LeftOut{Measured: m, Prediction: p})
	}
	return out
}

func TestAssessmentNamesTheRegionWhereTheModelErrsMost(t *testing.T) {
	a := Assessment{Left: leftOut(24, 0.9)}
	if r, ok := a.Weakest(); !ok || r.Knob != tegra.KnobGPU || r.Hi != float64(tegra.GHz) || r.Modes != 6 {
		t.Errorf("got %+v %v, want the lowest GPU clock", r, ok)
	}
	if r, ok := (Assessment{Left: leftOut(24, 0.1)}).Weakest(); ok {
		t.Errorf("%+v is called the weakest where all err alike", r)
	}
}

func TestAssessmentOfTooFewModesHasNoRegions(t *testing.T) {
	if r := (Assessment{Left: leftOut(11, 0.1)}).Regions(); r != nil {
		t.Errorf("eleven modes have regions %+v", r)
	}
}

package learn

import (
	"math"
	"slices"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// law is a predictor with a known formula.
type law func(m tegra.Mode) (timeMS, powerW float64)

func (f law) Predict(modes []tegra.Mode) []Prediction {
	out := make([]Prediction, len(modes))
	for i, m := range modes {
		out[i].Mode = m
		out[i].TimeMS, out[i].PowerW = f(m)
	}
	return out
}

func TestImportanceOfAPowerLawIsTheRangeToItsExponent(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	// cores 1–8 (×8), GPU 200–1300 (×6.5); CPU and memory do nothing to time
	f := law(func(m tegra.Mode) (float64, float64) {
		return 100 / (math.Sqrt(float64(m.Cores)) * m.GPU.GHz()), 5 * m.GPU.GHz() * m.EMC.GHz()
	})
	for _, near := range []tegra.Mode{space.At(0), space.Max()} {
		got := Importance(f, space, near, math.Inf(1))
		time := [tegra.NumKnobs]float64{math.Sqrt(8), 1, 6.5, 1}
		power := [tegra.NumKnobs]float64{1, 1, 6.5, 3200.0 / 204}
		for k, e := range got {
			if e.Knob != tegra.Knob(k) || math.Abs(e.TimeX-time[k]) > 1e-9 || math.Abs(e.PowerX-power[k]) > 1e-9 {
				t.Errorf("near %s, %s: got ×%v and ×%v, want ×%v and ×%v",
					near, e.Knob, e.TimeX, e.PowerX, time[k], power[k])
			}
		}
	}
	flat := law(func(tegra.Mode) (float64, float64) { return 7, 9 })
	for _, e := range Importance(flat, space, space.Max(), 1) {
		if e.TimeX != 1 || e.PowerX != 1 {
			t.Errorf("a workload that no knob changes: got %+v", e)
		}
	}
}

func TestImportanceStaysNearTheMode(t *testing.T) {
	t.Parallel()
	mem := []float64{204, 665, 2133, 3199}
	for _, c := range []struct {
		name       string
		v, octaves float64
		want       []float64
	}{
		{"all of them", 665, math.Inf(1), mem},
		{"within an octave of the largest", 3199, 1, mem[2:]},
		{"a neighbour beyond the octave counts", 2133, 1, mem[1:]},
		{"both neighbours do", 665, 0.1, mem[:3]},
		{"the least has one neighbour", 204, 0, mem[:2]},
		{"a value between two has both", 1000, 0, mem[1:3]},
		{"a value above all has the largest", 9000, 0, mem[3:]},
		{"a value below all has the least", 100, 0, mem[:1]},
	} {
		if got := within(mem, c.v, c.octaves); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	space := smallSpace(t)
	f := law(func(m tegra.Mode) (float64, float64) { return 100 / m.GPU.GHz(), 1 })
	if got := Importance(f, space, space.Max(), 1)[tegra.KnobGPU].TimeX; math.Abs(got-1300.0/900) > 1e-9 {
		t.Errorf("of 200, 500, 900 and 1300 MHz one octave below the last reaches 900: got ×%v", got)
	}
}

// Learned from 50 modes, a knob's effect must match the whole sweep's.
func TestImportanceAgreesWithMeasuredSweeps(t *testing.T) {
	t.Parallel()
	for _, file := range []string{sweeptest.MobileNet, sweeptest.LSTM} {
		s := loadSweep(t, file)
		in, _ := s.split(randomPlaces(len(s.rows), 50, 1))
		fit := must.Get(FitSurrogate(s.space, in, SurrogateOptions{Grid: true, Robust: 2}))(t)
		top := s.space.Max()
		for _, e := range Importance(fit, s.space, top, math.Inf(1)) {
			timeX, powerX := s.walked(top, e.Knob)
			if math.Abs(math.Log(e.TimeX/timeX)) > 0.35 || math.Abs(math.Log(e.PowerX/powerX)) > 0.15 {
				t.Errorf("%s, %s: predicted ×%.2f of time and ×%.2f of power, measured ×%.2f and ×%.2f",
					file, e.Knob, e.TimeX, e.PowerX, timeX, powerX)
			}
		}
	}
}

// walked is what one knob does to the measured values around a mode.
func (s sweepOf) walked(near tegra.Mode, k tegra.Knob) (timeX, powerX float64) {
	var times, powers []float64
	for _, r := range s.rows {
		turned := r.Mode.Values()
		if turned[k] = near.Values()[k]; tegra.ModeOfValues(turned) == near {
			times, powers = append(times, r.TimeMS), append(powers, r.PowerW)
		}
	}
	return slices.Max(times) / slices.Min(times), slices.Max(powers) / slices.Min(powers)
}

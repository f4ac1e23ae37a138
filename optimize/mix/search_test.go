package mix

import (
	"context"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// If a profiled mode keeps the limits, a search never reports that none does, however wrong its predictions of cheaper
// modes.
func TestSearchNeverOverlooksAProfiledModeThatKeepsTheLimits(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	told := func(m tegra.Mode) tegra.Measured {
		slow := 1 / (m.GPU.GHz() * (0.5 + m.CPU.GHz()/4))
		return tegra.Measured{Setting: tegra.Setting{Mode: m, Batch: 1}, TimeMS: 10 * slow, PowerW: 6 + 9*m.GPU.GHz() +
			2*m.CPU.GHz() + float64(m.Cores)/4 + m.EMC.GHz()}
	}
	var known []tegra.Measured
	profiled := map[tegra.Mode]bool{}
	for i, m := range space.Modes() {
		if i%13 == 0 {
			known, profiled[m] = append(known, told(m)), true
		}
	}
	probes := 0
	measure := func(_ context.Context, o Outcome) (Reading, error) {
		probes++
		m := told(o.Mode)
		if !profiled[o.Mode] { // only these match their prediction
			m.TimeMS *= 30
		}
		return Reading{Infer: m}, nil
	}
	for _, most := range []int{1, 3, MostVerified} {
		probes = 0
		ask := Ask{LatencyMS: 60, Quantile: 0.95, Seed: 2, Load: arrivals.Load{Pattern: arrivals.Poisson, RatePerS: 30}}
		r, err := Search(t.Context(), measure, Options{Ask: ask, Space: space, Batches: []int{1}, Infer: known,
			Most: most})
		if err != nil || !r.Feasible || !profiled[r.Best.Mode] || probes > most {
			t.Errorf("of at most %d: %v after %d measurements, feasible %v, %v", most, r.Best.Mode, probes,
				r.Feasible, err)
		}
	}
}

// A measured batch is judged under a maximal wait with the predicted times of smaller batches, which leave instead: 24
// to 30 ms here, whereas a full one takes 132 ms.
func TestSearchWithAMaximalWaitJudgesPartialBatchesByTheirTimes(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	reading := func(m tegra.Mode, batch int) tegra.Measured {
		return tegra.Measured{Setting: tegra.Setting{Mode: m, Batch: batch}, TimeMS: 20 + 3.5*float64(batch),
			PowerW: 10 + 5*m.GPU.GHz()}
	}
	var known []tegra.Measured
	var only []tegra.Setting
	for i, m := range space.Modes() {
		if i%13 == 0 {
			known = append(known, reading(m, 1), reading(m, 32))
			only = append(only, known[len(known)-2].Setting, known[len(known)-1].Setting)
		}
	}
	ask := Ask{Load: load(arrivals.Poisson, 8), MaxWait: 20 * time.Millisecond, LatencyMS: 100, IdleW: 5,
		PowerAs: Mean, Goal: metric.Watts(8)}
	r, err := Search(t.Context(), func(_ context.Context, o Outcome) (Reading, error) {
		return Reading{Infer: reading(o.Mode, o.Batch)}, nil
	}, Options{Ask: ask, Space: space, Batches: []int{1, 32}, Infer: known, Only: only})
	if err != nil || !r.Feasible || r.Best.Batch != 32 || r.Best.LatencyMS > 60 || r.Best.MeanW > 7 {
		t.Errorf("%+v, feasible %v, %v", r.Best, r.Feasible, err)
	}
}

// A power limit far below every mode needs no more than a mix or two to be known as hopeless; one that a mode keeps is
// searched for.
func TestSearchEndsWithNoWayWhereNoMixCanMeetTheLimits(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	told := func(m tegra.Mode) tegra.Measured {
		return tegra.Measured{Setting: tegra.Setting{Mode: m, Batch: 1}, TimeMS: 10 / m.GPU.GHz(),
			PowerW: 20 + 5*m.GPU.GHz() + m.CPU.GHz()}
	}
	var known []tegra.Measured
	for i, m := range space.Modes() {
		if i%13 == 0 {
			known = append(known, told(m))
		}
	}
	for watts, want := range map[float64]bool{5: false, 40: true} {
		ask := Ask{LatencyMS: 500, Goal: metric.Watts(watts), Load: arrivals.Load{Pattern: arrivals.Poisson,
			RatePerS: 10}}
		r, err := Search(t.Context(), func(_ context.Context, o Outcome) (Reading, error) {
			return Reading{Infer: told(o.Mode)}, nil
		}, Options{Ask: ask, Space: space, Batches: []int{1}, Infer: known})
		if r.Feasible != want || (r.Ended == optimize.NoWay) == want || !want && len(r.Probes) > 2 {
			t.Errorf("%g W: feasible %v after %d mixes, ended as %v, %v", watts, r.Feasible, len(r.Probes), r.Ended,
				err)
		}
	}
}

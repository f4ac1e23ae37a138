package mix

import (
	"context"
	"testing"

	"jtune/internal/arrivals"
	"jtune/tegra"
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

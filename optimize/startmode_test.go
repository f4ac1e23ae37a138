package optimize

import (
	"context"
	"testing"

	"jtune/internal/stats"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
)

// Once the present mode was read, the first low mode is one that is measured soon: of a job as slow as this one, most
// of those that it may be are not.
func TestFirstLowModeIsMeasuredSoon(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	const slower = 3
	measure := func(ctx context.Context, m tegra.Mode) (tegra.Measured, error) {
		r, err := b.Measure(ctx, m)
		r.TimeMS *= slower
		return r, err
	}
	first := func(present tegra.Val[tegra.Setting]) float64 {
		var times []float64
		for seed := range uint64(10) {
			s, err := newSearch(t.Context(), optimizetest.OfModes(measure), TuneOptions{Limit: Limit{PowerW: 25},
				Space: b.Space, Seed: seed, Baselines: Baselines{Present: present}})
			if err != nil {
				t.Fatal(err)
			}
			s.closedLoop()
			for _, p := range s.probes {
				if p.Why == Start {
					times = append(times, p.TimeMS)
					break
				}
			}
		}
		return stats.Median(times)
	}
	soon, any := first(tegra.Some(tegra.Setting{Mode: b.Space.Max()})), first(tegra.Val[tegra.Setting]{})
	if soon > 1.2*quickMS || any < 1.5*quickMS {
		t.Errorf("a minibatch of the first low mode takes %.0f ms in the median, want %d; %.0f where nothing is known",
			soon, quickMS, any)
	}
}

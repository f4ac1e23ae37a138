package optimize

import (
	"context"
	"testing"

	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// A search of several limits that covers the space measures the top mode and those of a design, none of which is
// stopped for its power, and then has probes left for each limit. Known modes count.
func TestTuneCoversTheSpaceBeforeItAnswers(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	for _, known := range [][]tegra.Measured{nil, sampleOf(b, 5)} {
		spread, probes := 12-len(known), 0
		r, err := tuneModes(t.Context(), func(ctx context.Context, m tegra.Mode) (tegra.Measured, error) {
			probes++
			return b.Measure(ctx, m)
		}, TuneOptions{Limits: goals(metric.Watts(20), metric.Watts(30), metric.Watts(40)), Space: b.Space,
			Seed: 3, Cover: 12, Known: known, Choosing: func(s Step) {
				if probes < spread && (s.Why != Start || s.MostW != 0) {
					t.Errorf("measurement %d: %s, up to %g W", probes, s.Why, s.MostW)
				}
			}})
		if err != nil || r.Probes[0].Mode != b.Space.Max() || len(r.Probes) <= spread ||
			len(r.Probes) > spread+MostProbes(3) {
			t.Errorf("%d known: %d probes, %v", len(known), len(r.Probes), err)
		}
		for _, a := range r.Answers {
			if !a.Feasible || a.N < 2 {
				t.Errorf("%d known: %v is no answer", len(known), a.Measured)
			}
		}
	}
}

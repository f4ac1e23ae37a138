package search

import (
	"math"
	"os"
	"testing"

	"jtune/internal/stats"
	"jtune/optimize/outlook"
	"jtune/tegra/metric"
	"jtune/tegra/virtual"
	"jtune/tui/session"
	"jtune/tui/session/answers"
)

// The gain of an answer is measured in the quantity of the goal, and in 95 % of searches the board's noise-free value
// lies in its band, which is at most 6 points wide. JTUNE_LONG runs six boards and twelve seeds for each goal; without
// it one board and one seed.
func TestGainsAreTrue(t *testing.T) {
	boards, seeds := []string{virtual.AGXOrin}, 1
	if os.Getenv("JTUNE_LONG") != "" {
		boards, seeds = virtual.Names(), seedsOf(t, 12)
	}
	for _, c := range []struct {
		want answers.Quantity
		goal func(*session.Session, string) metric.Goal
	}{
		{answers.Time, func(s *session.Session, _ string) metric.Goal {
			return metric.Watts(outlook.DefaultPowerW(s.Device.Presets()))
		}},
		{answers.Power, func(s *session.Session, workload string) metric.Goal {
			ms, _, _ := s.Virtual.Truth(workload, s.Device.Space().Max())
			return metric.Millis(math.Ceil(1.8 * ms))
		}},
		{answers.Energy, func(*session.Session, string) metric.Goal { return metric.LeastEnergy }},
	} {
		t.Run(string(c.want), func(t *testing.T) {
			t.Parallel()
			var off []float64
			in, board := 0, 0.0
			for _, name := range boards {
				for seed := range seeds {
					of := func(workload string) *searched {
						return searchFor(t, name, workload, uint64(seed)+1, func(s *session.Session) metric.Goal {
							return c.goal(s, workload)
						})
					}
					a := of("resnet18")
					if a == nil { // too large for the board
						a = of("lstm")
					}
					g := a.result.Answers[0].Gain
					if g == nil || !g.Measured || g.Quantity != c.want {
						t.Fatalf("%s, seed %d: gain %+v, want one of %s that was measured", name, seed+1, g, c.want)
					}
					if g.Hi-g.Lo > 6 {
						t.Errorf("%s, seed %d: the band of the gain is %.1f points wide", name, seed+1, g.Hi-g.Lo)
					}
					off, board = append(off, math.Abs(a.truePct-g.Pct)), board+a.boardS
					if a.truePct >= g.Lo-1e-9 && a.truePct <= g.Hi+1e-9 {
						in++
						continue
					}
					t.Logf("%s, seed %d: truly %+.1f %%, outside: %s", name, seed+1, a.truePct,
						a.result.Answers[0].Sheet(answers.Today).Gain)
				}
			}
			n := float64(len(off))
			t.Logf("%s: within the band %d of %.0f, median error %.2f points, board %.0f s in the mean", c.want, in, n,
				stats.Median(off), board/n)
			if stats.Median(off) > 1.5 || float64(in) < 0.95*n {
				t.Errorf("%s: within the band %d of %.0f, want 95 %%; median error %.2f points, want 1.5", c.want, in,
					n, stats.Median(off))
			}
		})
	}
}

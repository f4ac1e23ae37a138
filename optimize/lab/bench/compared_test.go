package bench

import (
	"os"
	"testing"

	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// The mode that the answer is compared with is measured wherever it keeps the limit, and
// only there. It costs a mode, and the answer is as good. The table of decision 017 is
// the long form's.
func TestComparedMeasuresWhatTheAnswerIsComparedWith(t *testing.T) {
	t.Parallel()
	names, seeds := []string{sweeptest.LSTM}, 2
	if os.Getenv("JTUNE_LONG") != "" {
		names, seeds = []string{sweeptest.MobileNet, sweeptest.ResNet, sweeptest.LSTM}, 10
	}
	for _, name := range names {
		for _, c := range []struct {
			what string
			of   func(s *cleanSweep) []optimize.Limit
			all  bool // MAXN keeps these limits
		}{
			{"limits on time", func(s *cleanSweep) []optimize.Limit {
				return s.timeLimits(1.02, 1.1, 1.3, 1.6, 2, 3, 5)
			}, true},
			{"limits on power that MAXN breaks", func(*cleanSweep) []optimize.Limit {
				return powerLimits(18, 22, 26, 30, 34)
			}, false},
			{"limits on power that MAXN keeps", func(s *cleanSweep) []optimize.Limit {
				top := s.At[s.Space.Max()].PowerW
				return powerLimits(1.05*top, 1.2*top, 1.5*top)
			}, true},
		} {
			t.Run(c.what+" on "+name, func(t *testing.T) {
				t.Parallel()
				s := loadClean(t, name)
				without := s.search(t, c.of(s), seeds, optimize.Quick)
				s.compare = []tegra.Mode{s.Space.Max()}
				got := s.search(t, c.of(s), seeds, optimize.Quick)
				if c.all != (got.with > 0) {
					t.Errorf("MAXN was measured in %d of %d searches", got.with, got.total)
				}
				t.Logf("MAXN was measured in %d of %d searches", got.with, got.total)
				if more := got.quantile(got.modes, 0.5) - without.quantile(without.modes, 0.5); more > 1 {
					t.Errorf("%v modes more in the median", more)
				}
				if got.over > without.over {
					t.Errorf("%d searches of %d were hot, %d without", got.over, got.total, without.over)
				}
			})
		}
	}
}

package bench

import (
	"os"
	"testing"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra/sweep/sweeptest"
)

// The shipped reference, which tune uses on an AGX Orin, costs nothing: the bars are
// the same.
func TestSearchMeetsTheBarsWithTheShippedReference(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("42 searches")
	}
	sweeps := []string{sweeptest.LSTM}
	if os.Getenv("JTUNE_LONG") != "" {
		sweeps = append(sweeps, sweeptest.MobileNet)
	}
	for _, name := range sweeps {
		s := loadClean(t, name)
		s.reference = learn.ShippedReference()
		t.Run("fastest within a power limit on "+name, func(t *testing.T) {
			t.Parallel()
			got := s.search(t, powerLimits(17, 20, 23, 26, 30, 35, 40), 3, optimize.Quick)
			median, p90, _ := gapBars(name)
			got.within(t, median, p90, 13)
			if got.over*20 > got.total {
				t.Errorf("%d of %d searches probed more than 10 %% over the limit, want 5 %% at most",
					got.over, got.total)
			}
		})
		t.Run("least power within a time limit on "+name, func(t *testing.T) {
			t.Parallel()
			_, _, timeP90 := gapBars(name)
			s.search(t, s.timeLimits(1.02, 1.3, 1.6, 2, 3, 5, 10), 3, optimize.Quick).within(t, 1.5, timeP90, 11)
		})
	}
}

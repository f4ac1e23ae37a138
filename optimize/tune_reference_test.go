package optimize

import (
	"testing"

	"jtune/learn"
	"jtune/tegra/sweep/sweeptest"
)

// Leaning on the shipped reference, as tune does on an AGX Orin, costs nothing
// of what the loop reaches without: the same bars (recipe §10).
func TestClosedLoopMeetsTheBarsWithTheShippedReference(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("84 searches")
	}
	for _, name := range []string{sweeptest.MobileNet, sweeptest.LSTM} {
		s := loadTruth(t, name).cleaned(t)
		s.lean = learn.ShippedReference()
		t.Run("fastest within a power limit on "+name, func(t *testing.T) {
			t.Parallel()
			got := s.search(t, powerLimits(17, 20, 23, 26, 30, 35, 40), 3, Quick)
			got.within(t, 1.2, 5, 12)
			if got.over*20 > got.total {
				t.Errorf("%d of %d searches probed more than 10 %% over the limit, want 5 %% at most", got.over, got.total)
			}
		})
		t.Run("least power within a time limit on "+name, func(t *testing.T) {
			t.Parallel()
			s.search(t, s.timeLimits(1.02, 1.3, 1.6, 2, 3, 5, 10), 3, Quick).within(t, 1.5, 4, 11)
		})
	}
}

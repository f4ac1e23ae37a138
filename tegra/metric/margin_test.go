package metric

import "testing"

func TestZeroMarginIsTheUsualOne(t *testing.T) {
	t.Parallel()
	if z := (Goal{}).Margin.Z(); z != usualZ {
		t.Errorf("a goal that names no margin keeps %g deviations, want %d", z, usualZ)
	}
	for z, want := range map[float64]Margin{0: NoMargin, 1: UsualMargin, 0.5: 0.5, -1: -1} {
		if got := MarginOf(z); got != want || got.Z() != z {
			t.Errorf("%g deviations are the margin %g, which is %g of them", z, got, got.Z())
		}
	}
}

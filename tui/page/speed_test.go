package page

import (
	"math"
	"testing"

	"jtune/internal/must"
)

func TestSpeedsWalkUpToMaxAndDownToOne(t *testing.T) {
	t.Parallel()
	x, ups := 1.0, 0
	for !math.IsInf(x, 1) && ups < 20 {
		x, ups = Faster(x, true), ups+1
	}
	must.Equal(t, ups, len(speeds)-1)
	must.Equal(t, Faster(x, true), x)
	for range 20 {
		x = Faster(x, false)
	}
	if x != 1 || Faster(7, true) != 10 || Faster(7, false) != 5 {
		t.Errorf("lowest rate %g, after 7 come %g and %g; want 1, 10, 5", x, Faster(7, true), Faster(7, false))
	}
}

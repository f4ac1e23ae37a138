package widget

import (
	"math"
	"testing"
)

func TestZoomAroundAPlaceKeepsItThere(t *testing.T) {
	z := Zoom{}.Around(3, 0.4, 0.6)
	shown := func(z Zoom, v, mid float64) float64 { return (v-mid)*z.Factor() + 0.5 }
	x, y := shown(z, 0.45, z.x), shown(z, 0.55, z.y)
	next := z.Around(2, 0.45, 0.55)
	if gx, gy := shown(next, 0.45, next.x), shown(next, 0.55, next.y); math.Abs(gx-x) > 1e-9 || math.Abs(gy-y) > 1e-9 {
		t.Errorf("the place moves from %g, %g to %g, %g", x, y, gx, gy)
	}
	if back := next.Around(-9, 0.2, 0.2); back.Steps != 0 || back.x != 0.5 || back.y != 0.5 {
		t.Errorf("all the way out is %+v", back)
	}
}

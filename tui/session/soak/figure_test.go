package soak

import (
	"testing"
	"time"

	"jtune/tegra"
	"jtune/telemetry/hold"
)

// The time axis ends where the load ends: while it runs, after it, and where the steady state was not reached.
func TestTimeAxisOfASoakEndsWithItsLoad(t *testing.T) {
	t.Parallel()
	some := tegra.Some[float64]
	near := hold.Steady{TjC: some(78), LoC: some(75), HiC: some(80)}
	steady := near
	steady.Reached = true
	for _, c := range []struct {
		name     string
		last     float64 // minutes
		until    time.Duration
		steady   hold.Steady
		end      float64 // minutes
		predicts bool
	}{
		{"of 45 minutes, which is over", 45, Usual, steady, 45, false},
		{"of 45 minutes, over before the steady state", 45, Usual, near, 45, true},
		{"of 45 minutes, in its midst", 12, Usual, near, 45, true},
		{"of 45 minutes, steady in its midst", 33, Usual, steady, 45, false},
		{"until the steady state, in its midst", 8.5, 0, near, 10, true},
		{"until the steady state, over", 20, 0, steady, 20, false},
	} {
		curves := Curves{State: hold.State{Steady: c.steady}, Until: c.until}
		for at := 0.0; at <= 60*c.last; at += 30 {
			curves.Points = append(curves.Points, Point{AtS: at, PowerW: some(28), TjC: some(60)})
		}
		f, ok := curves.Figure()
		if !ok {
			t.Fatalf("%s: no figure", c.name)
		}
		if got := f.X.Scale(f.Xs()); got.Lo != 0 || got.Hi < c.end-0.01 || got.Hi > c.end+0.01 {
			t.Errorf("%s: the axis spans %+v, want 0 to %g min", c.name, got, c.end)
		}
		heat := f.Panels[len(f.Panels)-1].Series
		if predicts := len(heat) == 2; predicts != c.predicts {
			t.Errorf("%s: predicts %v, want %v", c.name, predicts, c.predicts)
			continue
		}
		if c.predicts {
			ends := heat[1].Points
			if last := ends[len(ends)-1].X; last > c.end+0.01 || last < c.end-0.01 {
				t.Errorf("%s: the prediction ends at %g min, want %g", c.name, last, c.end)
			}
		}
	}
}

// Package pareto finds fronts: the settings that no other beats in both of two quantities, of predictions or readings.
//
//	[]tegra.Measured ──► Front, FrontOf ──► Knee
//	predictions and readings ──► Check ──► the next mode to verify along the front
package pareto

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/tegra"
)

// Axis is a quantity traded along a Pareto front, per minibatch.
type Axis int

// The papers' two fronts trade power or energy against time.
const (
	Power Axis = iota
	Energy
	Time
)

func (a Axis) String() string { return [...]string{"power", "energy", "time"}[a] }

// Unit returns the axis' unit.
func (a Axis) Unit() string { return [...]string{"W", "J", "ms"}[a] }

// Of returns a point's value on the axis, in its unit; time and energy are per sample if the batch size is an input.
func (a Axis) Of(p tegra.Measured) float64 {
	switch a {
	case Power:
		return p.PowerW
	case Energy:
		return p.SampleJ()
	}
	return p.SampleMS()
}

// medians returns the medians of predictions, without their bands.
func medians(preds []learn.Prediction) []tegra.Measured {
	out := make([]tegra.Measured, len(preds))
	for i, p := range preds {
		out[i] = p.Measured
	}
	return out
}

// Front returns the Pareto front of x against time.
func Front(points []tegra.Measured, x Axis) []int { return FrontOf(points, x, Time) }

// FrontOf returns the indices of the Pareto front, ascending in x and so descending in y (docs/method.md, Fronts and
// choices): sort by x, take the leftmost, then every point with less y than the last one taken. Among points with equal
// x only the one of least y belongs to it; with equal y only the one of least x; among equal points the first. Points
// without positive finite x and y are ignored. Cost: four passes, and a sort of the few points near the front.
func FrontOf(points []tegra.Measured, x, y Axis) []int {
	order := make([]place, 0, len(points))
	for i, p := range points {
		if at := (place{x.Of(p), y.Of(p), i}); stats.Positive(at.x, at.y) {
			order = append(order, at)
		}
	}
	order = promising(order)
	slices.SortFunc(order, func(a, b place) int {
		if c := cmp.Compare(a.x, b.x); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.y, b.y), a.i-b.i)
	})
	front, least := []int{}, math.Inf(1)
	for _, at := range order {
		if at.y < least {
			front, least = append(front, at.i), at.y
		}
	}
	return front
}

// place is a point on the plane of two axes.
type place struct {
	x, y float64
	i    int // index of the point
}

// promising removes points that one pass finds off the front: it divides x into ranges, and a point must have less y
// than all earlier ranges.
func promising(list []place) []place {
	const ranges = 8 // log2 of the number of ranges
	lo, hi := uint64(math.MaxUint64), uint64(0)
	for _, at := range list {
		v := math.Float64bits(at.x) // bits of positive floats sort like the numbers
		lo, hi = min(lo, v), max(hi, v)
	}
	shift := max(bits.Len64(hi-lo)-ranges, 0)
	var least [1<<ranges + 1]float64 // least y of the ranges before each
	for i := range least {
		least[i] = math.Inf(1)
	}
	of := func(at place) uint64 { return (math.Float64bits(at.x) - lo) >> shift }
	for _, at := range list {
		next := &least[of(at)+1]
		*next = min(*next, at.y)
	}
	for i := range least[1:] {
		least[i+1] = min(least[i+1], least[i])
	}
	return slices.DeleteFunc(list, func(at place) bool { return at.y >= least[of(at)] })
}

// kneeSlowdown is the largest slowdown of a knee relative to the fastest mode: beyond it a front keeps saving a little
// power for ever more time.
const kneeSlowdown = 2

// Knee returns the member at which a front bends most, where more time stops saving much power. Among those at most
// kneeSlowdown slower than the fastest, it is the one farthest below the chord between the ends, both axes logarithmic
// and scaled to 0 to 1 (Satopää et al. 2011, "Finding a Kneedle in a Haystack": the measure of curvature for scattered
// points). Without a point below the chord, it is the end of least power.
func Knee(points []tegra.Measured, front []int) int {
	last := points[front[len(front)-1]]
	front = slices.DeleteFunc(slices.Clone(front), func(i int) bool {
		return points[i].SampleMS() > kneeSlowdown*last.SampleMS()
	})
	if len(front) < 3 {
		return front[0]
	}
	first := points[front[0]]
	x0, dx := math.Log(first.PowerW), math.Log(last.PowerW/first.PowerW)
	t0, dt := math.Log(last.SampleMS()), math.Log(first.SampleMS()/last.SampleMS())
	best, depth := front[0], 1e-12
	for _, i := range front {
		u := (math.Log(points[i].PowerW) - x0) / dx
		v := (math.Log(points[i].SampleMS()) - t0) / dt
		if d := 1 - u - v; d > depth {
			best, depth = i, d
		}
	}
	return best
}

// underBudget returns the front's point of highest power within the budget, which is the fastest feasible one; -1 if
// there is none.
func underBudget(points []tegra.Measured, front []int, budgetW float64) int {
	found := -1
	for _, i := range front {
		if points[i].PowerW > budgetW {
			break
		}
		found = i
	}
	return found
}

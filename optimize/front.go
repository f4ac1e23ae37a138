package optimize

import (
	"cmp"
	"math"
	"slices"

	"jtune/learn"
	"jtune/tegra"
)

// Axis is a quantity that a front trades, per minibatch.
type Axis int

// The papers' two fronts trade power or energy against time.
const (
	Power Axis = iota
	Energy
	Time
)

func (a Axis) String() string { return [...]string{"power", "energy", "time"}[a] }

// Unit is what On counts in.
func (a Axis) Unit() string { return [...]string{"W", "J", "ms"}[a] }

// Point is a power mode in the plane of a front, predicted or measured.
// All values are per minibatch.
type Point struct {
	Mode    tegra.Mode
	Batch   int // samples per minibatch where that is an input; else 0
	TimeMS  float64
	PowerW  float64
	EnergyJ float64
}

// MeasuredPoint is the point of a measurement.
func MeasuredPoint(m tegra.Measured) Point {
	return Point{Mode: m.Mode, Batch: m.Batch, TimeMS: m.TimeMS, PowerW: m.PowerW, EnergyJ: m.EnergyJ()}
}

// PredictedPoint is the point of a prediction's medians.
func PredictedPoint(p learn.Prediction) Point {
	return Point{Mode: p.Mode, Batch: p.Batch, TimeMS: p.TimeMS, PowerW: p.PowerW, EnergyJ: p.EnergyJ()}
}

// SampleMS is the time per sample where the size of a minibatch is an input:
// what makes one setting faster than another. Else it is that of a minibatch.
func (p Point) SampleMS() float64 { return p.TimeMS / float64(max(1, p.Batch)) }

// sampleJ is the energy per sample, as SampleMS is the time.
func (p Point) sampleJ() float64 { return p.EnergyJ / float64(max(1, p.Batch)) }

// usable tells whether a value can be compared and has a logarithm.
func usable(values ...float64) bool {
	for _, v := range values {
		if !(v > 0) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// On is the point's value on an axis, in the axis' unit; time and energy are
// those of a sample where the size of a minibatch is an input.
func (p Point) On(a Axis) float64 { return [...]float64{p.PowerW, p.sampleJ(), p.SampleMS()}[a] }

// Front is FrontOf x against time.
func Front(points []Point, x Axis) []int { return FrontOf(points, x, Time) }

// FrontOf gives the indexes of the points that no other beats, ascending in x
// and so descending in y (method note f.2): sort by x, take the leftmost, then
// every point that has less y than the last one taken. Of points with equal x
// only that of least y stands; of points with equal y only the one with the
// least x; of equal points the first. Points without a positive finite x and y
// are left out. Cost: one sort.
func FrontOf(points []Point, x, y Axis) []int {
	order := make([]int, 0, len(points))
	for i, p := range points {
		if usable(p.On(x), p.On(y)) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(points[a].On(x), points[b].On(x)), cmp.Compare(points[a].On(y), points[b].On(y)))
	})
	front := order[:0]
	for _, i := range order {
		if len(front) == 0 || points[i].On(y) < points[front[len(front)-1]].On(y) {
			front = append(front, i)
		}
	}
	return front
}

// knee gives the member of a front that lies farthest below the chord between
// the front's ends, both axes logarithmic and scaled so that the ends lie at 0
// and 1: where giving up a little more time stops saving much power. A front
// without a point below the chord has its knee at the end of least x.
func knee(points []Point, front []int, x Axis) int {
	if len(front) < 3 {
		return front[0]
	}
	first, last := points[front[0]], points[front[len(front)-1]]
	x0, dx := math.Log(first.On(x)), math.Log(last.On(x)/first.On(x))
	t0, dt := math.Log(last.SampleMS()), math.Log(first.SampleMS()/last.SampleMS())
	best, depth := front[0], 1e-12
	for _, i := range front {
		u := (math.Log(points[i].On(x)) - x0) / dx
		v := (math.Log(points[i].SampleMS()) - t0) / dt
		if d := 1 - u - v; d > depth {
			best, depth = i, d
		}
	}
	return best
}

// underBudget is the front's query (method note f.2): its point of the largest
// power within the budget, the fastest feasible one; -1 when there is none.
func underBudget(points []Point, front []int, budgetW float64) int {
	found := -1
	for _, i := range front {
		if points[i].PowerW > budgetW {
			break
		}
		found = i
	}
	return found
}

package optimize

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/tegra"
)

var errNoProbe = errors.New("no probe was allowed")

// ErrInfeasible: no mode meets the limits. The error chain contains an *InfeasibleError with the nearest mode.
var ErrInfeasible = errors.New("no power mode meets the limit")

// Limit is the constraint and goal of a choice. PowerW and TimeMS are limits, 0 for none. The first of these that
// applies decides the goal among the modes within the limits:
//
//	Knee            the knee of the Pareto front (see Choose)
//	Energy          least energy per minibatch
//	Throughput      the fastest
//	MaxSlowdownPct  least power within this many percent of the fastest
//	TimeMS > 0      least power (also with a power limit beside it)
//	otherwise       the fastest
//
// If the batch size is an input, energy and speed are per sample, and the time limit applies to the minibatch: the
// latency.
type Limit struct {
	PowerW         float64
	TimeMS         float64
	EnergyJ        float64 // per minibatch, or per sample as above; only for predictions, not searches
	Energy         bool
	MaxSlowdownPct float64
	Knee           bool
	Throughput     bool // the fastest, even with a time limit
	// GuardTime keeps a search from measuring modes expected to exceed MaxOvershoot times TimeMS, as for power, because
	// users wait for the answers measured.
	GuardTime bool
	Margin    Margin // for predictions
}

// Check returns an error for a contradictory limit.
func (l Limit) Check() error {
	for _, v := range []struct {
		name  string
		value float64
	}{{"power limit", l.PowerW}, {"time limit", l.TimeMS}, {"energy limit", l.EnergyJ},
		{"slowdown", l.MaxSlowdownPct}, {"margin", l.Margin.Z()}} {
		if v.value < 0 || math.IsNaN(v.value) || math.IsInf(v.value, 0) {
			return fmt.Errorf("%s is %g, must be a positive number", v.name, v.value)
		}
	}
	wishes := 0
	for _, w := range []bool{l.Knee, l.Energy, l.Throughput, l.MaxSlowdownPct > 0} {
		if w {
			wishes++
		}
	}
	if wishes > 1 {
		return fmt.Errorf("knee, energy, throughput and maximum slowdown exclude each other: give one")
	}
	return nil
}

// String describes the limit in words.
func (l Limit) String() string {
	var parts []string
	switch l.objective() {
	case byKnee:
		parts = append(parts, "knee of the front")
	case byEnergy:
		parts = append(parts, "least energy")
	case byPower:
		parts = append(parts, "least power")
	default:
		parts = append(parts, "fastest")
	}
	if l.objective() != byKnee && l.MaxSlowdownPct > 0 {
		parts = append(parts, fmt.Sprintf("at most %g %% slower than the fastest", l.MaxSlowdownPct))
	}
	if l.PowerW > 0 {
		parts = append(parts, fmt.Sprintf("power ≤ %g W", l.PowerW))
	}
	if l.TimeMS > 0 {
		parts = append(parts, fmt.Sprintf("time ≤ %g ms", l.TimeMS))
	}
	if l.EnergyJ > 0 {
		parts = append(parts, fmt.Sprintf("energy ≤ %g J", l.EnergyJ))
	}
	return strings.Join(parts, ", ")
}

// objective is the quantity to minimise among feasible modes.
type objective int

const (
	byTime objective = iota
	byPower
	byEnergy
	byKnee
)

func (l Limit) objective() objective {
	switch {
	case l.Knee:
		return byKnee
	case l.Energy:
		return byEnergy
	case l.Throughput:
		return byTime
	case l.MaxSlowdownPct > 0 || l.TimeMS > 0:
		return byPower
	}
	return byTime
}

// value returns what the objective minimises, and a second quantity for ties.
func (o objective) value(p tegra.Measured) (first, second float64) {
	switch o {
	case byPower:
		return p.PowerW, p.SampleMS()
	case byEnergy:
		return p.SampleJ(), p.SampleMS()
	}
	return p.SampleMS(), p.PowerW
}

func (o objective) better(a, b tegra.Measured) bool {
	a1, a2 := o.value(a)
	b1, b2 := o.value(b)
	return a1 < b1 || a1 == b1 && a2 < b2
}

// Met reports whether a measured or predicted point is within the power, time and energy limits, without margin.
func (l Limit) Met(p tegra.Measured) bool {
	return stats.Positive(p.TimeMS, p.PowerW) &&
		(l.PowerW == 0 || p.PowerW <= l.PowerW) && (l.TimeMS == 0 || p.TimeMS <= l.TimeMS) &&
		(l.EnergyJ == 0 || p.SampleJ() <= l.EnergyJ)
}

// Better reports whether a beats b for the limit's goal, if both are within the limit.
func (l Limit) Better(a, b tegra.Measured) bool { return l.objective().better(a, b) }

// BestOf returns the best setting whose mean is within the limit; N is 0 if there is none.
func (l Limit) BestOf(list []tegra.Measured) (best tegra.Mean) {
	for _, m := range tegra.MeansOf(list) {
		if l.Met(m.Measured) && (best.N == 0 || l.Better(m.Measured, best.Measured)) {
			best = m
		}
	}
	return best
}

// excess returns by how much, in logarithms summed over the violated limits, a point with these standard deviations
// exceeds the limits with margin.
func (l Limit) excess(p tegra.Measured, sdTime, sdPower float64) float64 {
	over, z := 0.0, l.Margin.Z()
	if l.PowerW > 0 {
		over += max(0, math.Log(p.PowerW)+z*sdPower-math.Log(l.PowerW))
	}
	if l.TimeMS > 0 {
		over += max(0, math.Log(p.TimeMS)+z*sdTime-math.Log(l.TimeMS))
	}
	if l.EnergyJ > 0 { // treats the errors of time and power as independent
		over += max(0, math.Log(p.SampleJ())+z*math.Hypot(sdTime, sdPower)-math.Log(l.EnergyJ))
	}
	return over
}

// InfeasibleError names the violated limit and the nearest mode.
type InfeasibleError struct {
	Limit    Limit
	Nearest  tegra.Measured
	Measured bool    // Nearest is the nearest of those measured, else of all predicted
	Shown    bool    // the readings show that no mode meets the limit
	Tried    int     // modes measured
	Chance   float64 // that the true values of a measured Nearest keep the limit
}

func (e *InfeasibleError) Error() string {
	n, measured, none := e.Nearest, "", ErrInfeasible.Error()
	if e.Measured {
		measured = " measured"
	}
	if e.Measured && !e.Shown {
		none = fmt.Sprintf("none of %s measured surely meets the limit", text.Count(e.Tried, "mode"))
	}
	if n.Batch > 0 {
		return fmt.Sprintf("%s (%v): nearest%s is %v at batch size %d with %s ms per minibatch and %s W",
			none, e.Limit, measured, n.Mode, n.Batch, text.Of(n.TimeMS), text.Of(n.PowerW))
	}
	return fmt.Sprintf("%s (%v): nearest%s is %v with %s ms and %s W",
		none, e.Limit, measured, n.Mode, text.Of(n.TimeMS), text.Of(n.PowerW))
}

func (e *InfeasibleError) Unwrap() error { return ErrInfeasible }

// Choose picks the mode for a limit from predictions, by index. MaxSlowdownPct compares medians with the fastest mode
// within the limits, without margin, since the errors of two near predictions are correlated. The knee is the point
// where the log–log front bends most, at most twice as slow as its fastest mode. Ties go to less power, then less time,
// then the first.
//
// It ignores predictions that are clamped or lack positive finite time and power. If no mode meets the limits, the
// index is the nearest one's and the error an *InfeasibleError.
func Choose(preds []learn.Prediction, l Limit) (int, error) { return choose(preds, nil, l) }

// ChooseKnown is Choose with measured settings: setting i was measured n(i) times, and known[i] is then the mean. Among
// settings within reading noise of the best one, it prefers the better known: measured, surely within the limit,
// predicted; then the best. So no setting of the same certainty beats the choice, and a wider limit makes it worse only
// where a more certain one enters, by reading noise at most.
func ChooseKnown(known []learn.Prediction, n func(i int) int, l Limit) (int, error) {
	return choose(known, n, l)
}

func choose(preds []learn.Prediction, n func(i int) int, l Limit) (int, error) {
	if err := l.Check(); err != nil {
		return 0, err
	}
	points, at := make([]tegra.Measured, 0, len(preds)), make([]int, 0, len(preds))
	nearest, least := -1, math.Inf(1)
	for i := range preds {
		p := &preds[i]
		point := p.Measured
		if !stats.Positive(point.TimeMS, point.PowerW) || p.Clamped {
			continue
		}
		switch over := l.excess(point, p.LnTimeSD, p.LnPowerSD); {
		case over <= 0:
			points, at = append(points, point), append(at, i)
		case len(points) > 0 || math.IsNaN(over): // if no mode meets the limits, the nearest is wanted
		case over < least || over == least && l.objective().better(point, preds[nearest].Measured):
			nearest, least = i, over
		}
	}
	switch {
	case len(points) > 0:
	case nearest < 0:
		return 0, errors.New("no predictions to choose from")
	default:
		return nearest, &InfeasibleError{Limit: l, Nearest: preds[nearest].Measured}
	}
	doubt := func(int) int { return 0 }
	if n != nil {
		doubt = func(k int) int { return l.Stand(preds[at[k]], n(at[k])).doubt() }
	}
	return at[pick(points, doubt, l)], nil
}

// pick returns the index of the best of the points, which all meet the limits; there is at least one. Among those equal
// within the noise it takes the one of least doubt.
func pick(points []tegra.Measured, doubt func(i int) int, l Limit) int {
	if l.Knee {
		return knee(points, Front(points, Power))
	}
	slowest := math.Inf(1)
	if l.MaxSlowdownPct > 0 {
		slowest = points[best(points, byTime, slowest)].SampleMS() * (1 + l.MaxSlowdownPct/100)
	}
	o := l.objective()
	found := best(points, o, slowest)
	most, _ := o.value(points[found])
	least := doubt(found)
	for i, p := range points {
		if v, _ := o.value(p); v > most*(1+sameValue) || p.SampleMS() > slowest {
			continue
		}
		if d := doubt(i); d < least || d == least && o.better(p, points[found]) {
			found, least = i, d
		}
	}
	return found
}

// best returns the first of the best points no slower than slowestMS per sample.
func best(points []tegra.Measured, o objective, slowestMS float64) int {
	found := -1
	for i, p := range points {
		if p.SampleMS() <= slowestMS && (found < 0 || o.better(p, points[found])) {
			found = i
		}
	}
	return found
}

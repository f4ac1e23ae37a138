package optimize

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize/pareto"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
)

var errNoProbe = errors.New("no probe was allowed")

// ErrInfeasible: no mode meets the limits. The error chain contains an *InfeasibleError with the nearest mode.
var ErrInfeasible = errors.New("no power mode meets the limit")

// InfeasibleError names the violated limit and the nearest mode.
type InfeasibleError struct {
	Limit    metric.Goal
	Also     []metric.Goal // other limits of the same search of which the same is true
	Nearest  tegra.Measured
	Measured bool    // Nearest is the nearest of those measured, else of all predicted
	Shown    bool    // the readings show that no mode meets the limit
	Tried    int     // settings of the search's probes
	Of       string  // what they are called: tegra.NameOfSettings
	Chance   float64 // that the true values of a measured Nearest keep the limit
}

func (e *InfeasibleError) Error() string {
	n, measured, none := e.Nearest, "", ErrInfeasible.Error()
	if e.Measured {
		measured = " measured"
	}
	if e.Measured && !e.Shown {
		none = fmt.Sprintf("none of %s measured surely meets the limit", text.Count(e.Tried, e.Of))
	}
	limits := "(" + e.Limit.Words() + ")"
	for _, l := range e.Also {
		limits += ", nor " + l.Brief()
	}
	return fmt.Sprintf("%s %s: nearest%s is %v with %s ms%s and %s W%s", none, limits, measured, n.Mode,
		text.Of(n.TimeMS), n.PerBatch(), text.Of(n.PowerW), e.Limit.Further(n))
}

func (e *InfeasibleError) Unwrap() error { return ErrInfeasible }

// Choose picks the mode for a limit from predictions, by index. SlowerPct compares medians with the fastest mode
// within the limits, without margin, since the errors of two near predictions are correlated. The knee is the point
// where the log–log front bends most, at most twice as slow as its fastest mode. Ties go to less power, then less time,
// then the first.
//
// It ignores predictions that are clamped or lack positive finite time and power. If no mode meets the limits, the
// index is the nearest one's and the error an *InfeasibleError.
func Choose(preds []learn.Prediction, l metric.Goal) (int, error) { return choose(preds, nil, l) }

// ChooseKnown is Choose with measured settings: setting i was measured n(i) times, and known[i] is then the mean, which
// must keep the limits with the chance that the goal's risk asks for. Among settings within reading noise of the best
// one, it prefers the better known: measured, surely within the limit, predicted; then the best. So no setting of the
// same certainty beats the choice, and a wider limit makes it worse only where a more certain one enters, by reading
// noise at most.
func ChooseKnown(known []learn.Prediction, n func(i int) int, l metric.Goal) (int, error) {
	return choose(known, n, l)
}

func choose(preds []learn.Prediction, n func(i int) int, l metric.Goal) (int, error) {
	if err := errors.Join(l.Check(), l.Told()); err != nil {
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
		over := l.Excess(point, p.LnTimeSD, p.LnPowerSD)
		if over <= 0 && n != nil && n(i) > 0 &&
			l.ChanceOver(slices.Repeat([]tegra.Measured{point}, n(i))) > standing.RiskOf(l) {
			over = math.SmallestNonzeroFloat64
		}
		switch {
		case over <= 0:
			points, at = append(points, point), append(at, i)
		case len(points) > 0 || math.IsNaN(over): // if no mode meets the limits, the nearest is wanted
		case over < least || over == least && l.Better(point, preds[nearest].Measured):
			nearest, least = i, over
		}
	}
	switch {
	case len(points) > 0:
	case nearest < 0 && l.Limits.Further() != nil:
		return 0, fmt.Errorf("a limit of %s: %w: no reading has it", unread(l, preds),
			tegra.ErrUnsupported)
	case nearest < 0:
		return 0, errors.New("no predictions to choose from")
	default:
		return nearest, &InfeasibleError{Limit: l, Nearest: preds[nearest].Measured}
	}
	doubt := func(int) int { return 0 }
	if n != nil {
		doubt = func(k int) int { return standing.Stand(l, preds[at[k]], n(at[k])).Doubt() }
	}
	return at[pick(points, doubt, l)], nil
}

// unread returns the limits on quantities that no prediction has.
func unread(l metric.Goal, preds []learn.Prediction) (lacks metric.Limits) {
	for _, b := range l.Limits.Further() {
		l.Limits = metric.Limits{}.With(b)
		if !slices.ContainsFunc(preds, func(p learn.Prediction) bool {
			return !math.IsNaN(l.Excess(p.Measured, p.LnTimeSD, p.LnPowerSD))
		}) {
			lacks = lacks.With(b)
		}
	}
	return lacks
}

// pick returns the index of the best of the points, which all meet the limits; there is at least one. Among those equal
// within the noise it takes the one of least doubt.
func pick(points []tegra.Measured, doubt func(i int) int, l metric.Goal) int {
	if l.Knee {
		return pareto.Knee(points, pareto.Front(points, pareto.Power))
	}
	slowest := math.Inf(1)
	if l.SlowerPct > 0 {
		slowest = points[best(points, metric.Time, slowest)].SampleMS() * (1 + l.SlowerPct/100)
	}
	o := l.Aim()
	found := best(points, o, slowest)
	most := o.Aim(points[found])
	least := doubt(found)
	for i, p := range points {
		if o.Aim(p) > most*(1+sameValue) || p.SampleMS() > slowest {
			continue
		}
		if d := doubt(i); d < least || d == least && o.Better(p, points[found]) {
			found, least = i, d
		}
	}
	return found
}

// best returns the first of the best points no slower than slowestMS per sample.
func best(points []tegra.Measured, o *metric.Metric, slowestMS float64) int {
	found := -1
	for i, p := range points {
		if p.SampleMS() <= slowestMS && (found < 0 || o.Better(p, points[found])) {
			found = i
		}
	}
	return found
}

package mix

import (
	"fmt"
	"math"
	"strings"

	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra/metric"
)

// judged returns the power compared with the limit, including the margin.
func (a *Ask) judged(o *Outcome) float64 {
	if a.PowerAs == Mean {
		return o.MeanW * o.peakHigh / o.PeakW
	}
	return o.peakHigh
}

// judge decides whether an outcome meets the limits with this power, latency and service time.
func (a *Ask) judge(o *Outcome, powerW, latencyMS, timeMS float64) {
	ownW, busiest := o.PeakW, 0.0
	if a.PowerAs == Mean {
		ownW = o.MeanW
	}
	if a.Load.Open() {
		busiest = a.mostBusy()
	}
	o.limits = [...]limit{
		{"busy %s %% of the time, over %s %%", 100, o.Rho, o.Rho * timeMS / o.TimeMS, busiest},
		itsPower:   {"power %s W, over %s W", 1, ownW, powerW, a.Goal.Of(metric.Power)},
		itsLatency: {"latency %s ms, over %s ms", 1, o.LatencyMS, latencyMS, a.LatencyMS},
		{"batch %s ms, over %s ms", 1, o.TimeMS, timeMS, a.Goal.Of(metric.Time)},
	}
	o.excess, o.Meets = 0, true
	for _, l := range o.limits {
		if l.violated() {
			o.excess += math.Log(l.value / l.most)
			o.Meets = false
		}
	}
}

// Indices of limits.
const (
	itsPower   = 1
	itsLatency = 2
)

// limit is a limit and what is compared with it.
type limit struct {
	says  string // a value and the limit, in its words
	unit  float64
	own   float64 // without the margin, as in the answer
	value float64 // including the margin
	most  float64 // 0: no limit
}

func (l limit) violated() bool { return l.most > 0 && !(l.value <= l.most) }

// late reports whether the limit on latency is violated.
func (o *Outcome) late() bool { return o.limits[itsLatency].violated() }

// chance returns the chance that each value is at most `over` times its limit, of the least likely one, for an outcome
// with a margin of one standard deviation.
func (o *Outcome) chance(over float64) float64 {
	least := 1.0
	for _, l := range o.limits {
		if l.most > 0 && !math.IsInf(l.own, 1) { // of an overloaded server the busy share tells
			sd := max(math.Log(l.value/l.own), leastSD)
			least = min(least, stats.NormalCDF(math.Log(over*l.most/l.own)/sd))
		}
	}
	return least
}

// ChanceOver returns the chance that a predicted mode exceeds a limit at a batch size; NaN if it is unknown.
func (a Ask) ChanceOver(p learn.Prediction, batch int) float64 {
	a.Goal.Margin, p.Batch = metric.UsualMargin, batch
	o, known := a.Evaluate(p.Setting, NewPhase([]learn.Prediction{p}), Phase{})
	if !known {
		return math.NaN()
	}
	return 1 - o.chance(1)
}

// String names a violated limit with the answer's value; if only the margin violates it, it adds the value with margin.
func (l limit) String() string {
	out := text.Exact(l.unit * l.own)
	switch {
	case math.IsInf(l.own, 1) || math.IsNaN(l.own):
		out = text.Exact(l.unit * l.value)
	case l.own <= l.most:
		out += " ± " + text.Of(l.unit*(l.value-l.own))
	}
	return fmt.Sprintf(l.says, out, text.Exact(l.unit*l.most))
}

// Why names the violated limits; "" if there are none.
func (o *Outcome) Why() string {
	var parts []string
	for _, m := range o.limits {
		if m.violated() && !math.IsInf(m.value, 1) { // an infinite latency means an overloaded server
			parts = append(parts, m.String())
		}
	}
	return strings.Join(parts, "; ")
}

// NoSettingError reports that no setting meets an ask, with the nearest one.
type NoSettingError struct {
	Ask     Ask
	Nearest Outcome
	Tried   int            // settings measured; 0: Nearest is predicted
	Ended   optimize.Ended // how measuring them ended
}

func (e *NoSettingError) Error() string {
	n, none := e.Nearest, "no power mode is predicted to meet the limit"
	switch shown := e.Ended == optimize.NoWay || e.Ended == optimize.Exhausted; {
	case e.Tried > 0 && shown:
		none = optimize.ErrInfeasible.Error()
	case e.Tried > 0:
		none = fmt.Sprintf("none of %s measured meets the limit", text.Count(e.Tried, "setting"))
	}
	rate := n.ServedPerS
	if n.Batch > 0 && n.TimeMS > 0 {
		rate = 1000 * float64(n.Batch) / n.TimeMS
	}
	late := ""
	if !math.IsInf(n.LatencyMS, 1) {
		late = fmt.Sprintf("p%.4g %s ms, ", 100*e.Ask.quantile(), text.Exact(n.LatencyMS))
	}
	return fmt.Sprintf("%s (%v): nearest is %v%s with %s%s W, at most %s requests/s (%s)",
		none, e.Ask, n.Mode, text.IfAny(" at batch size %d", n.Batch), late, text.Exact(n.PeakW), text.Exact(rate),
		n.Why())
}

func (e *NoSettingError) Unwrap() error { return optimize.ErrInfeasible }

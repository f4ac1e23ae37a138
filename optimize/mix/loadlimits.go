package mix

import (
	"fmt"
	"math"
	"strings"

	"jtune/internal/stats"
	"jtune/internal/text"
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
	mean, busiest := a.PowerAs == Mean, 0.0
	if a.Load.Open() {
		busiest = a.mostBusy()
	}
	o.limits = [...]limit{
		{busyShare, o.Rho * timeMS / o.TimeMS, busiest, mean},
		{itsPower, powerW, a.Goal.Of(metric.Power), mean},
		{itsLatency, latencyMS, a.LatencyMS, mean},
		{batchTime, timeMS, a.Goal.Of(metric.Time), mean},
	}
	o.excess, o.Meets = 0, true
	for _, l := range o.limits {
		if l.violated() {
			o.excess += math.Log(l.value / l.most)
			o.Meets = false
		}
	}
}

// limited is a limited quantity.
type limited int

const (
	busyShare limited = iota
	itsPower
	itsLatency
	batchTime
	kinds // their number
)

// limit is a limit and the value compared with it, including the margin.
type limit struct {
	what        limited
	value, most float64 // most 0: no limit
	mean        bool    // of the power: the limit is on the mean
}

func (l limit) violated() bool { return l.most > 0 && !(l.value <= l.most) }

// late reports whether the limit on latency is violated.
func (o *Outcome) late() bool { return o.limits[itsLatency].violated() }

// own returns the value without the margin, as in the answer.
func (o *Outcome) own(l limit) float64 {
	switch {
	case l.what == busyShare:
		return o.Rho
	case l.what == itsLatency:
		return o.LatencyMS
	case l.what == batchTime:
		return o.TimeMS
	case l.mean:
		return o.MeanW
	}
	return o.PeakW
}

// chance returns the chance that each value is at most `over` times its limit, of the least likely one, for an outcome
// with a margin of one standard deviation.
func (o *Outcome) chance(over float64) float64 {
	least := 1.0
	for _, l := range o.limits {
		if own := o.own(l); l.most > 0 && !math.IsInf(own, 1) { // of an overloaded server the busy share tells
			sd := max(math.Log(l.value/own), leastSD)
			least = min(least, stats.NormalCDF(math.Log(over*l.most/own)/sd))
		}
	}
	return least
}

// says names the violated limit with the answer's value; if only the margin violates it, it adds the value with margin.
func (o *Outcome) says(m limit) string {
	unit, own := 1.0, o.own(m)
	if m.what == busyShare {
		unit = 100
	}
	out := text.Exact(unit * own)
	switch {
	case math.IsInf(own, 1) || math.IsNaN(own):
		out = text.Exact(unit * m.value)
	case own <= m.most:
		out += " ± " + text.Of(unit*(m.value-own))
	}
	return fmt.Sprintf(missFormats[m.what], out, text.Exact(unit*m.most))
}

var missFormats = [...]string{
	busyShare:  "busy %s %% of the time, over %s %%",
	itsPower:   "power %s W, over %s W",
	itsLatency: "latency %s ms, over %s ms",
	batchTime:  "batch %s ms, over %s ms",
}

// Why names the violated limits; "" if there are none.
func (o *Outcome) Why() string {
	var parts []string
	for _, m := range o.limits {
		if m.violated() && !math.IsInf(m.value, 1) { // an infinite latency means an overloaded server
			parts = append(parts, o.says(m))
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

package mix

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
	o.excess, o.missed = 0, [batchTime]miss{}
	n := 0
	over := func(what limited, value, limit float64) {
		if limit > 0 && !(value <= limit) {
			o.excess += math.Log(value / limit)
			o.missed[n] = miss{what, value, limit, a.PowerAs == Mean}
			n++
		}
	}
	if a.Load.Open() {
		over(busyShare, o.Rho*timeMS/o.TimeMS, a.mostBusy())
	}
	over(itsPower, powerW, a.Goal.Of(metric.Power))
	over(itsLatency, latencyMS, a.LatencyMS)
	over(batchTime, timeMS, a.Goal.Of(metric.Time))
	o.Meets = n == 0
}

// limited is a limited quantity.
type limited int

const (
	nothing limited = iota
	busyShare
	itsPower
	itsLatency
	batchTime
)

// miss is a violated limit and the value that violates it, including the margin.
type miss struct {
	what         limited
	value, limit float64
	mean         bool // of the power: the limit is on the mean
}

// misses reports whether a limit is violated.
func (o *Outcome) misses(what limited) bool {
	return slices.ContainsFunc(o.missed[:], func(m miss) bool { return m.what == what })
}

// own returns the value without the margin, as in the answer.
func (o *Outcome) own(m miss) float64 {
	switch {
	case m.what == busyShare:
		return o.Rho
	case m.what == itsLatency:
		return o.LatencyMS
	case m.what == batchTime:
		return o.TimeMS
	case m.mean:
		return o.MeanW
	}
	return o.PeakW
}

// says names the violated limit with the answer's value; if only the margin violates it, it adds the value with margin.
func (o *Outcome) says(m miss) string {
	unit, own := 1.0, o.own(m)
	if m.what == busyShare {
		unit = 100
	}
	out := text.Exact(unit * own)
	switch {
	case math.IsInf(own, 1) || math.IsNaN(own):
		out = text.Exact(unit * m.value)
	case own <= m.limit:
		out += " ± " + text.Of(unit*(m.value-own))
	}
	return fmt.Sprintf(missFormats[m.what], out, text.Exact(unit*m.limit))
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
	for _, m := range o.missed {
		if m.what != nothing && !math.IsInf(m.value, 1) { // an infinite latency means an overloaded server
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
	n, batch, none := e.Nearest, "", "no power mode is predicted to meet the limit"
	switch shown := e.Ended == optimize.NoWay || e.Ended == optimize.Exhausted; {
	case e.Tried > 0 && shown:
		none = optimize.ErrInfeasible.Error()
	case e.Tried > 0:
		none = fmt.Sprintf("none of %s measured meets the limit", text.Count(e.Tried, "setting"))
	}
	if n.Batch > 0 {
		batch = fmt.Sprintf(" at batch size %d", n.Batch)
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
		none, e.Ask, n.Mode, batch, late, text.Exact(n.PeakW), text.Exact(rate), n.Why())
}

func (e *NoSettingError) Unwrap() error { return optimize.ErrInfeasible }

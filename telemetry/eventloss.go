package telemetry

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"jtune/tegra"
)

const (
	// MostLost is the share of its time that events may cost a sample, or a load, that still counts.
	MostLost = 0.01
	// eventBoundS is what one event is taken to cost while nothing better is measured: owners of an Orin Nano report
	// about 1 ms at half the clock. UNVERIFIED on other boards.
	eventBoundS = 1.5e-3
	// fewestIntervals is how many intervals with steps a measured cost needs.
	fewestIntervals = 10
)

// EventLoss weighs the events of a board's signals by the time that they cost a load. The cost of an event is measured:
// the slope of the mean step time over the rate of events (ordinary least squares over the samples' intervals), while
// that is known well enough to tell MostLost; otherwise it is a bound.
type EventLoss struct {
	at    time.Duration
	begun bool
	spanS float64
	stepS float64 // of the steps since the last sample
	steps int
	of    []*signalLoss
}

// signalLoss is what is known of one signal: its newest count and when that was read, its events, and sums of rate (x)
// and step time in seconds (y).
type signalLoss struct {
	tegra.Signal
	at                  time.Duration
	events              int64
	n, x, y, xx, xy, yy float64
}

// Loss is what the events of one signal cost.
type Loss struct {
	tegra.Signal
	Events   int64
	Rate     float64 // events per second
	Share    float64 // of the time
	Measured bool    // by step times; else a bound
}

// Step adds a step of the load that ended after the last sample.
func (e *EventLoss) Step(ms float64) {
	if ms > 0 && !math.IsInf(ms, 0) {
		e.stepS, e.steps = e.stepS+ms/1000, e.steps+1
	}
}

// Take adds a sample; the first is the baseline. It returns the share of the time since the sample before that the
// events in it cost. Events that came while a counter could not be read belong to the time since it was.
func (e *EventLoss) Take(t time.Duration, now tegra.Signals) (share float64) {
	if e.begun {
		e.spanS += max(0, t-e.at).Seconds()
	}
	for _, s := range now {
		if s.Count.OK {
			share += e.count(t, s)
		}
	}
	e.at, e.begun, e.stepS, e.steps = t, true, 0, 0
	return share
}

// count takes the count of a signal and returns the share of the time since its last one that the events cost.
func (e *EventLoss) count(t time.Duration, s tegra.Signal) float64 {
	i := slices.IndexFunc(e.of, func(l *signalLoss) bool { return l.Name == s.Name })
	if i < 0 {
		e.of = append(e.of, &signalLoss{Signal: s, at: t})
		return 0
	}
	l := e.of[i]
	n, span := s.Count.V-l.Count.V, (t - l.at).Seconds()
	l.Signal, l.at = s, t
	if n < 0 || span <= 0 {
		return 0
	}
	l.events += n
	rate := float64(n) / span
	if e.steps > 0 {
		step := e.stepS / float64(e.steps)
		l.n, l.x, l.y = l.n+1, l.x+rate, l.y+step
		l.xx, l.xy, l.yy = l.xx+rate*rate, l.xy+rate*step, l.yy+step*step
	}
	cost, _ := l.cost(e.spanS)
	return rate * cost
}

// cost returns the seconds that an event costs, and whether that was measured: a step of s0 seconds takes s0·(1 + rate
// · cost).
func (l *signalLoss) cost(spanS float64) (s float64, measured bool) {
	sxx, sxy, syy := l.xx-l.x*l.x/l.n, l.xy-l.x*l.y/l.n, l.yy-l.y*l.y/l.n
	if l.n < fewestIntervals || sxx <= 1e-9*l.xx {
		return eventBoundS, false
	}
	slope := sxy / sxx
	base := (l.y - slope*l.x) / l.n
	noise := math.Sqrt(max(0, syy-slope*sxy) / (l.n - 2) / sxx)
	if base <= 0 || 2*noise/base*float64(l.events)/spanS > MostLost {
		return eventBoundS, false
	}
	return max(0, slope/base), true
}

// Losses returns the signals that had events.
func (e *EventLoss) Losses() (out []Loss) {
	for _, l := range e.of {
		if l.events == 0 {
			continue
		}
		cost, measured := l.cost(e.spanS)
		rate := float64(l.events) / e.spanS
		out = append(out, Loss{l.Signal, l.events, rate, rate * cost, measured})
	}
	return out
}

// Lost returns the share of the time that all events cost, and describes them; "" if there were none.
func (e *EventLoss) Lost() (share float64, text string) {
	var parts []string
	for _, l := range e.Losses() {
		share += l.Share
		parts = append(parts, l.String())
	}
	if len(parts) == 0 {
		return 0, ""
	}
	verdict := "counted"
	if share >= MostLost {
		verdict = "too much to count"
	}
	return share, strings.Join(parts, "; ") + ": " + verdict
}

// String describes a loss: "instantaneous over-current (oc3) 1.4/s, about 0.2 % of the time (a bound, not measured)".
func (l Loss) String() string {
	mark := ""
	if !l.Measured {
		mark = " (a bound, not measured)"
	}
	return fmt.Sprintf("%s %.2g/s, about %.2g %% of the time%s", l.Label(), l.Rate, 100*l.Share, mark)
}

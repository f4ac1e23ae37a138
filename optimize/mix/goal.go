package mix

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/optimize"
)

// Goal is a user's request: limits, and the load under which they hold.
type Goal struct {
	Limit optimize.Limit
	Load  arrivals.Spec // zero: none
}

// Loaded reports whether the limits apply under a load.
func (g Goal) Loaded() bool { return g.Load != arrivals.Spec{} }

// Ask returns the goal under its load, with the arrival times drawn by seed. Errors are usage errors.
func (g Goal) Ask(seed uint64) (Ask, error) {
	l, v := g.Limit, g.Load
	load, err := v.Load()
	if err != nil {
		return Ask{}, err
	}
	a := Ask{Limit: l, LatencyMS: v.LatencyMS,
		Quantile: v.Quantile, Load: load, MaxWait: time.Duration(v.MaxWaitMS * float64(time.Millisecond)), Seed: seed,
		PowerAs: PowerAs(cmp.Or(v.PowerAs, string(Peak))), IdleW: v.IdleW}
	if v.IdleW == 0 {
		a.IdleW = math.NaN()
	}
	switch {
	case a.PowerAs != Peak && a.PowerAs != Mean:
		return a, usage.PowerAs.Errorf("%s %q: want peak or mean", usage.PowerAs, v.PowerAs)
	case l.Knee || l.MaxSlowdownPct > 0 || l.EnergyJ > 0:
		return a, usage.Errorf("%s, %s and %s are not for a load", usage.EnergyLimit, usage.Knee, usage.MaxSlowdown)
	}
	if err := a.Check(); err != nil {
		return a, usage.Of(err)
	}
	return a, nil
}

// GoalForm is an example line of limits and load.
const GoalForm = "30 W, p99 50 ms, 30/s"

// ParseGoal reads comma-separated clauses, as in the dialog and --limit:
//
//	30 W        largest power, watts
//	50 ms       longest time of a batch
//	p99 50 ms   longest time from a request's arrival to its answer, for 99 % of requests
//	30/s        rate of requests, at random times (poisson) unless "uniform" is added
//	wait 20 ms  longest wait of a batch that is not full, from its first request
func ParseGoal(line string) (g Goal, err error) {
	v := arrivals.Spec{Quantile: UsualQuantile, PowerAs: string(Peak)}
	load := false
	for clause := range strings.SplitSeq(line, ",") {
		clause = strings.ToLower(strings.Join(strings.Fields(clause), " "))
		switch quantile, ms, isLatency := latencyOf(clause); {
		case clause == "":
		case isLatency:
			if !(quantile > 0 && quantile < 1) {
				return g, noGoal(clause, "want a quantile such as p99")
			}
			v.LatencyMS, err = amount(ms, "ms")
			v.Quantile, load = quantile, true
		case strings.HasSuffix(clause, "/s"):
			v.RatePerS, err = amount(clause, "/s")
			load = true
		case clause == string(arrivals.Uniform) || clause == string(arrivals.Poisson):
			v.Arrivals = clause
		case strings.HasPrefix(clause, "wait "):
			v.MaxWaitMS, err = amount(clause[len("wait "):], "ms")
			load = true
		case strings.HasSuffix(clause, "ms"):
			g.Limit.TimeMS, err = amount(clause, "ms")
		case strings.HasSuffix(clause, "w"):
			g.Limit.PowerW, err = amount(clause, "w")
		default:
			return g, noGoal(clause, "want clauses such as "+GoalForm)
		}
		if err != nil {
			return g, noGoal(clause, err.Error())
		}
	}
	if v.Arrivals != "" && v.RatePerS == 0 {
		return g, usage.Errorf("%s arrivals take a rate, such as 30/s", v.Arrivals)
	}
	if load {
		g.Load = v
		_, err = g.Ask(0)
	} else if g.Limit == (optimize.Limit{}) {
		err = usage.Errorf("no limit: want clauses such as %s", GoalForm)
	}
	return g, err
}

// UsualQuantile is the default quantile of a latency.
const UsualQuantile = 0.99

// latencyOf splits "p99 50 ms".
func latencyOf(clause string) (quantile float64, ms string, ok bool) {
	name, ms, ok := strings.Cut(clause, " ")
	digits, isP := strings.CutPrefix(name, "p")
	if !ok || !isP {
		return 0, "", false
	}
	pct, err := strconv.ParseFloat(digits, 64)
	return math.Round(pct*1e4) / 1e6, ms, err == nil
}

// amount reads a positive number with a unit.
func amount(word, unit string) (float64, error) {
	digits, found := strings.CutSuffix(word, unit)
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if !found || err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("want a number above 0 and %s", unit)
	}
	return v, nil
}

func noGoal(clause, why string) error {
	return usage.Errorf("%q: %s", text.Clip(clause), why)
}

// String prints the goal in the form that ParseGoal reads.
func (g Goal) String() string {
	var parts []string
	add := func(v float64, before, after string) {
		if v > 0 {
			parts = append(parts, before+strconv.FormatFloat(v, 'f', -1, 64)+after)
		}
	}
	add(g.Limit.PowerW, "", " W")
	add(g.Limit.TimeMS, "", " ms")
	v := g.Load
	add(v.LatencyMS, "p"+strconv.FormatFloat(math.Round(v.Quantile*1e6)/1e4, 'f', -1, 64)+" ", " ms")
	add(v.RatePerS, "", "/s")
	if v.Arrivals != "" && v.RatePerS > 0 {
		parts = append(parts, v.Arrivals)
	}
	add(v.MaxWaitMS, "wait ", " ms")
	return strings.Join(parts, ", ")
}

package serving

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"jtune/internal/arrivals"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/optimize"
	"jtune/optimize/mix"
)

// Asked is what one line asks for: limits, and the load under which they hold.
type Asked struct {
	Limit   optimize.Limit
	Serving *arrivals.Spec // nil: no load
}

// AskedForm is how such a line is written.
const AskedForm = "30 W, p99 50 ms, 30/s"

// ParseAsked reads a line of clauses with commas between them, as the dialog and --limit take it:
//
//	30 W        at most so many watts
//	50 ms       a batch takes at most so long
//	p99 50 ms   from a request's arrival to its answer, for 99 of 100
//	30/s        so many requests arrive each second, at random (poisson) unless "uniform" stands beside it
//	wait 20 ms  a batch that is not full leaves so long after its first request
func ParseAsked(line string) (a Asked, err error) {
	v := arrivals.Spec{Quantile: UsualQuantile, PowerAs: string(mix.Peak)}
	load := false
	for clause := range strings.SplitSeq(line, ",") {
		clause = strings.ToLower(strings.Join(strings.Fields(clause), " "))
		switch quantile, ms, isLatency := latencyOf(clause); {
		case clause == "":
		case isLatency:
			if !(quantile > 0 && quantile < 1) {
				return a, notAsked(clause, "want a quantile such as p99")
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
			a.Limit.TimeMS, err = amount(clause, "ms")
		case strings.HasSuffix(clause, "w"):
			a.Limit.PowerW, err = amount(clause, "w")
		default:
			return a, notAsked(clause, "want clauses such as "+AskedForm)
		}
		if err != nil {
			return a, notAsked(clause, err.Error())
		}
	}
	if v.Arrivals != "" && v.RatePerS == 0 {
		return a, usage.Errorf("%s arrivals take a rate, such as 30/s", v.Arrivals)
	}
	if load {
		a.Serving = &v
		_, err = mix.AskOf(a.Limit, v, 0)
	} else if a.Limit == (optimize.Limit{}) {
		err = usage.Errorf("no limit: want clauses such as %s", AskedForm)
	}
	return a, err
}

// UsualQuantile is that of a latency without one.
const UsualQuantile = 0.99

// latencyOf takes "p99 50 ms" apart.
func latencyOf(clause string) (quantile float64, ms string, ok bool) {
	name, ms, ok := strings.Cut(clause, " ")
	digits, isP := strings.CutPrefix(name, "p")
	if !ok || !isP {
		return 0, "", false
	}
	pct, err := strconv.ParseFloat(digits, 64)
	return math.Round(pct*1e4) / 1e6, ms, err == nil
}

// amount reads a positive number in a unit.
func amount(word, unit string) (float64, error) {
	digits, found := strings.CutSuffix(word, unit)
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if !found || err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("want a number above 0 and %s", unit)
	}
	return v, nil
}

func notAsked(clause, why string) error {
	return usage.Errorf("%q: %s", text.Clip(clause), why)
}

// String says what is asked for, in the form that ParseAsked reads.
func (a Asked) String() string {
	var parts []string
	add := func(v float64, before, after string) {
		if v > 0 {
			parts = append(parts, before+strconv.FormatFloat(v, 'f', -1, 64)+after)
		}
	}
	add(a.Limit.PowerW, "", " W")
	add(a.Limit.TimeMS, "", " ms")
	if v := a.Serving; v != nil {
		add(v.LatencyMS, "p"+strconv.FormatFloat(math.Round(v.Quantile*1e6)/1e4, 'f', -1, 64)+" ", " ms")
		add(v.RatePerS, "", "/s")
		if v.Arrivals != "" && v.RatePerS > 0 {
			parts = append(parts, v.Arrivals)
		}
		add(v.MaxWaitMS, "wait ", " ms")
	}
	return strings.Join(parts, ", ")
}

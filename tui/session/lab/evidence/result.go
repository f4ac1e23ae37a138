package evidence

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"jtune/internal/conclusion"
)

// Result is a figure with the program's own values.
type Result struct {
	Figure
	Values    []float64 // the worst of them counts; empty if it is not computed
	Off       float64   // deviation of the worst value, in tolerances; NaN without values
	Verdict   Verdict
	Simulated bool   // the values come from a virtual board
	Samples   int    // number of random samples of modes behind the medians; 0: no sampling
	Lacks     string // why there is no value
}

// Worst returns the value that deviates most, or comes nearest to its bound; NaN without values.
func (r Result) Worst() float64 {
	worst, most := math.NaN(), math.Inf(-1)
	for _, v := range r.Values {
		if over := r.excess(v); over > most {
			worst, most = v, over
		}
	}
	return worst
}

// Why returns the reason for a verdict that is not a success, or what a proxy replaces; otherwise "". The figure's note
// counts only for the value that it was written for.
func (r *Result) Why() string {
	missed := r.Verdict == Near || r.Verdict == Outside || r.Verdict == TooGood
	switch {
	case r.Kind != Proxy && r.Verdict.Holds():
		return ""
	case !missed || len(r.Values) == 0:
		return cmp.Or(r.Lacks, r.Note)
	}
	says := miss.Say(missing{r.Unit, r.Worst(), r.Value, r.Most, r.Off})
	if r.Note != "" && (r.NotedAt == "" || r.NotedAt == Number(r.Worst())) {
		says += ": " + r.Note
	}
	return says
}

// missing is a result that misses its figure.
type missing struct {
	Unit        string
	Own         float64 `turn:"1 100"`
	Value, Most float64 `turn:"1 100"` // Most: the upper end of a range
	Off         float64 `shown:"1 9"`
}

var miss = conclusion.New("evidence: a missed figure", 3, func(m missing) string {
	bound, side := m.Value, "below"
	if m.Own > m.Value {
		bound, side = max(m.Value, m.Most), "above"
	}
	if m.Own == bound {
		return fmt.Sprintf("%s at the bound", strings.TrimSpace(Number(m.Own)+" "+m.Unit))
	}
	says := fmt.Sprintf("%s is %s %s", strings.TrimSpace(Number(m.Own)+" "+m.Unit), side, Number(bound))
	if m.Off < farthest { // otherwise an exact figure
		says += fmt.Sprintf(", by %.1f tolerances", m.Off)
	}
	return says
})

// Counts counts results by what counters say of them.
type Counts map[string]int

// counters say of a result what it counts as.
var counters = []struct {
	key string
	of  func(r *Result) bool
}{
	{"simulated", func(r *Result) bool { return r.Kind == Simulated }},
	{"within", func(r *Result) bool { return r.Kind == Simulated && r.Verdict == Within }},
	{"better", func(r *Result) bool { return r.Kind == Simulated && r.Verdict == TooGood }},
	{"near", func(r *Result) bool { return r.Kind == Simulated && r.Verdict == Near }},
	{"outside", func(r *Result) bool { return r.Kind == Simulated && r.Verdict == Outside }},
	{"settings", func(r *Result) bool { return r.Verdict == AsSet }},
	{"stated", func(r *Result) bool { return r.Kind == Stated }},
	{"contradictory", func(r *Result) bool { return r.Kind == Contradictory }},
	{"not_simulated", func(r *Result) bool { return r.Kind == NotSimulated }},
	{"restatements", func(r *Result) bool { return r.Kind == Simulated && r.SameAs != "" }},
	{"once_within", func(r *Result) bool { return r.Kind == Simulated && r.Verdict == Within && r.SameAs == "" }},
	{"of_settings", func(r *Result) bool { return r.Kind == Setting }},
	{"proxies", func(r *Result) bool { return r.Kind == Proxy }},
	{"proxies_within", func(r *Result) bool { return r.Kind == Proxy && r.Verdict == Within }},
	{Hold, func(r *Result) bool { return r.Verdict.Holds() }},
	{Total, func(*Result) bool { return true }},
}

// Keys of Counts: the figures that are met, set as an input, or stated; and all.
const (
	Hold  = "hold"
	Total = "figures"
)

// Summary counts the results by Place, and in total.
func Summary(results []Result) map[string]Counts {
	out := map[string]Counts{}
	for _, r := range results {
		for _, place := range []string{r.Place(), All} {
			if out[place] == nil {
				out[place] = Counts{}
			}
			for _, c := range counters {
				out[place][c.key] += map[bool]int{true: 1}[c.of(&r)]
			}
		}
	}
	return out
}

// Number formats a value with four digits, or all digits before the decimal point.
func Number(v float64) string {
	if math.Abs(v) >= 1e4 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

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

// Counts counts verdicts. Within, too good, near and outside count simulated figures.
type Counts struct {
	Simulated     int `json:"simulated"`
	Within        int `json:"within"`
	TooGood       int `json:"better"` // better than published by more than the tolerance
	Near          int `json:"near"`
	Outside       int `json:"outside"`
	Settings      int `json:"settings"`
	Stated        int `json:"stated"`
	Contradictory int `json:"contradictory"`
	NotSimulated  int `json:"not_simulated"`
	Restatements  int `json:"restatements"` // of Simulated: repeat another figure
	OnceWithin    int `json:"once_within"`  // Within, without restatements
	OfSettings    int `json:"of_settings"`
	Proxies       int `json:"proxies"`
	ProxiesWithin int `json:"proxies_within"`
}

// Holding returns how many figures are met, set as an input, or stated.
func (c Counts) Holding() int { return c.Within + c.ProxiesWithin + c.Settings + c.Stated }

// Total returns the number of figures.
func (c Counts) Total() int {
	return c.Simulated + c.Proxies + c.OfSettings + c.Stated + c.Contradictory + c.NotSimulated
}

func (c *Counts) add(r Result) {
	switch r.Kind {
	case Simulated:
		c.simulated(r)
	case Proxy:
		c.Proxies++
		if r.Verdict == Within {
			c.ProxiesWithin++
		}
	case Setting:
		c.OfSettings++
		if r.Verdict == AsSet {
			c.Settings++
		}
	case Stated:
		c.Stated++
	case Contradictory:
		c.Contradictory++
	case NotSimulated:
		c.NotSimulated++
	}
}

func (c *Counts) simulated(r Result) {
	c.Simulated++
	if r.SameAs != "" {
		c.Restatements++
	}
	switch r.Verdict {
	case Within:
		c.Within++
		if r.SameAs == "" {
			c.OnceWithin++
		}
	case TooGood:
		c.TooGood++
	case Near:
		c.Near++
	default:
		c.Outside++
	}
}

// Summary counts the verdicts by Place, and in total.
func Summary(results []Result) map[string]Counts {
	out := map[string]Counts{}
	for _, r := range results {
		for _, place := range []string{r.Place(), All} {
			c := out[place]
			c.add(r)
			out[place] = c
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

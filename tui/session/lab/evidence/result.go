package evidence

import (
	"cmp"
	"math"
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

// Worst returns the value that deviates most; NaN without values.
func (r Result) Worst() float64 {
	worst, off := math.NaN(), -1.0
	for _, v := range r.Values {
		if o := r.Figure.Off(v); o > off {
			worst, off = v, o
		}
	}
	return worst
}

// Why returns the reason for a verdict that is not a success, or what a proxy replaces; otherwise "".
func (r *Result) Why() string {
	if r.Kind != Proxy && (r.Verdict.Holds() || r.Verdict == Better) {
		return ""
	}
	return cmp.Or(r.Lacks, r.Note)
}

// Counts counts verdicts. Within, better, near and outside count simulated figures.
type Counts struct {
	Simulated     int `json:"simulated"`
	Within        int `json:"within"`
	Better        int `json:"better"`
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
	case Better:
		c.Better++
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

package evidence

import (
	"cmp"
	"math"
)

// Result is a figure beside the program's own values.
type Result struct {
	Figure
	Values    []float64 // the worst of them counts; empty where it is not worked out
	Off       float64   // tolerances that the worst of them is off; NaN without values
	Verdict   Verdict
	Simulated bool   // the values rest on a virtual board
	Samples   int    // random samples of modes that the values are medians of; 0: none is drawn
	Lacks     string // why there is no value
}

// Worst is the value that is farthest off; NaN without any.
func (r Result) Worst() float64 {
	worst, off := math.NaN(), -1.0
	for _, v := range r.Values {
		if o := r.Figure.Off(v); o > off {
			worst, off = v, o
		}
	}
	return worst
}

// Why is the reason of a verdict that is no success, or what a proxy stands for; "" else.
func (r *Result) Why() string {
	if r.Kind != Proxy && (r.Verdict.Holds() || r.Verdict == Better) {
		return ""
	}
	return cmp.Or(r.Lacks, r.Note)
}

// Counts sums verdicts up. Within, better, near and outside count simulated figures.
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
	Restatements  int `json:"restatements"` // of simulated: they say what another figure says
	OnceWithin    int `json:"once_within"`  // within, restatements left out
	OfSettings    int `json:"of_settings"`
	Proxies       int `json:"proxies"`
	ProxiesWithin int `json:"proxies_within"`
}

// Holding is how many figures are met, held as a setting, or stated.
func (c Counts) Holding() int { return c.Within + c.ProxiesWithin + c.Settings + c.Stated }

// Total is how many figures there are.
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

// Summary counts the verdicts by Place, and all of them.
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

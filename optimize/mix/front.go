package mix

import (
	"cmp"
	"math"

	"jtune/internal/sorted"
	"jtune/tegra"
)

// Front returns the Pareto front of latency and a cost among the settings that keep up with the load and the limits,
// shortest latency first. Latencies are interpolated.
func (c *LoadCurve) Front(settings []tegra.Setting, cost func(Outcome) float64) []Outcome {
	var list []Outcome
	for _, at := range settings {
		o, ok := c.Estimate(at)
		if ok && o.Meets && !math.IsNaN(cost(o)) && 1000*o.slowS <= c.slowest(o) {
			list = append(list, o)
		}
	}
	return Thinned(list, cost)
}

// Thinned returns the outcomes that no other beats in both latency and cost, shortest latency first. It reorders the
// list.
func Thinned(list []Outcome, cost func(Outcome) float64) []Outcome {
	sorted.Stable(list, func(x, y Outcome) int {
		return cmp.Or(cmp.Compare(x.LatencyMS, y.LatencyMS), cmp.Compare(cost(x), cost(y)))
	})
	var out []Outcome
	for _, o := range list {
		if len(out) == 0 || cost(o) < cost(out[len(out)-1]) {
			out = append(out, o)
		}
	}
	return out
}

package optimize

import (
	"cmp"
	"math"
	"slices"

	"jtune/tegra"
)

// Front is the Pareto front of latency and a cost among the settings that follow the load and keep the
// limits, the shortest latency first. Where the latency is simulated, the front of its lower bounds is
// simulated and thinned.
func (a Ask) Front(settings []tegra.Setting, infer Phase, cost func(Outcome) float64) []Outcome {
	var list []Outcome
	for _, at := range settings {
		if o, ok := a.bound(at, infer, nil); ok && o.Meets && !math.IsNaN(cost(o)) {
			list = append(list, o)
		}
	}
	list = thinned(list, cost)
	if a.simulates() {
		for i := range list {
			a.simulate(&list[i], infer)
		}
		list = thinned(slices.DeleteFunc(list, func(o Outcome) bool { return !o.Meets }), cost)
	}
	return list
}

// thinned leaves those that no other beats in both.
func thinned(list []Outcome, cost func(Outcome) float64) []Outcome {
	slices.SortStableFunc(list, func(x, y Outcome) int {
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

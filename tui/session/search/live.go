package search

import (
	"math"
	"slices"

	"jtune/internal/arrivals"
	"jtune/internal/usage"
	"jtune/optimize"
	"jtune/tegra/metric"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
)

// guarded adapts a request to a server with real traffic, whose users feel every probe. The latency becomes a limit
// that no probe may exceed by much, and the goal within it is the least power, which is the least energy at a given
// traffic.
func guarded(r measure.TuneRequest) (measure.TuneRequest, error) {
	w, v := r.Workload, r.Load
	if slices.ContainsFunc([]string{"arrivals", "outstanding", "max-wait"}, v.Gives) {
		return r, usage.Load.Errorf("workload %s is measured on its real traffic, nothing is sent", w.Name).
			Advise("remove %s, %s, %s and %s", usage.Rate, usage.Arrivals, usage.Outstanding, usage.MaxWait)
	}
	latencyMS := v.LatencyMS
	r.Load, r.Watched = arrivals.Spec{}, v
	if r.Coverage == campaigns.CoverFront || r.Strategy != "" && r.Strategy != optimize.Auto {
		return r, usage.Errorf("workload %s is measured on its real traffic: strategy auto and coverage limit alone "+
			"keep its users from slow modes", w.Name)
	}
	r.Limits = slices.Clone(r.Limits)
	for i := range r.Limits {
		l := &r.Limits[i]
		if most := l.Limits.Val(metric.Time); latencyMS > 0 && most.Or(math.Inf(1)) > latencyMS {
			l.Limits = l.Limits.And(metric.Time.Max(latencyMS))
		}
		if !l.Limited() {
			return r, usage.Latency.Errorf("workload %s is measured on its real traffic: the slowest mode that keeps "+
				"up has the least energy", w.Name).
				Advise("limit the latency of its users, with %s or limit.latency_ms", usage.Latency.Value())
		}
		l.Objective, l.GuardTime = nil, l.Limits.Val(metric.Time).OK
	}
	return r, nil
}

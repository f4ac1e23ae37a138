package mix

import (
	"math"
	"testing"

	"jtune/internal/arrivals"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/sweep/sweeptest"
)

// phaseOf returns every tenth mode of a sweep as a phase, at a batch size and with deviations that differ.
func phaseOf(rows []tegra.Measured, batch int, scale float64) (out []learn.Prediction) {
	for i := 0; i < len(rows); i += 10 {
		m := rows[i]
		m.TimeMS, m.Batch = m.TimeMS*scale, batch
		p := optimize.MeasuredPrediction(m)
		p.LnTimeSD, p.LnPowerSD = 0.01*float64(i/10%4), 0.01*float64(i/10%3)
		out = append(out, p)
	}
	return out
}

// More power or latency allowed never worsens the goal of a pair or of a server, and nothing beats its answer in goal
// and tie-break.
func TestAskNeverWorsensWithTheLimit(t *testing.T) {
	t.Parallel()
	infer := NewPhase(phaseOf(sweeptest.Load(t, sweeptest.MobileNet), 4, 0.1))
	train := NewPhase(phaseOf(sweeptest.Load(t, sweeptest.ResNet), 0, 1))
	var settings []tegra.Setting
	for _, p := range phaseOf(sweeptest.Load(t, sweeptest.MobileNet), 4, 0.1) {
		settings = append(settings, p.Setting)
	}
	for _, pattern := range []arrivals.Pattern{arrivals.Uniform, arrivals.Poisson} {
		for _, beside := range []*Phase{nil, &train} {
			if pattern == arrivals.Poisson && beside != nil {
				continue // the rows above cover the goal, and a simulation of each takes long
			}
			for _, limit := range []func(a *Ask, v float64){
				func(a *Ask, v float64) { a.Goal.Limits = metric.Power.Max(12 * v) },
				func(a *Ask, v float64) { a.LatencyMS = 150 * v },
				func(a *Ask, v float64) { a.LatencyMS, a.Goal.Objective = 150*v, metric.Energy },
			} {
				before := math.Inf(1)
				for k := range 16 {
					a := Ask{Load: load(pattern, 20), IdleW: 8}
					limit(&a, math.Pow(1.12, float64(k)))
					list, err := a.Choose(settings, infer, beside)
					if err != nil {
						continue
					}
					want := a.want(beside != nil)
					first, second := want.value(&list[0], a.PowerAs)
					if first > before+1e-9*math.Abs(first) {
						t.Errorf("%s %v, step %d: the goal rises from %.5g to %.5g", pattern, want, k, before, first)
					}
					before = first
					for i := range list[1:] {
						if v, w := want.value(&list[1+i], a.PowerAs); v < first || v == first && w < second {
							t.Errorf("%s %v, step %d: %v is beaten by %v", pattern, want, k, list[0].Setting,
								list[1+i].Setting)
						}
					}
				}
				if math.IsInf(before, 1) {
					t.Errorf("%s: no limit has an answer", pattern)
				}
			}
		}
	}
}

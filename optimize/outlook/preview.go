package outlook

import (
	"context"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize/pareto"
	"jtune/tegra"
)

// LeastPreview is the fewest modes for a preview.
const LeastPreview = 4

// Preview is the Pareto front predicted from the modes measured so far, before a campaign's end, and the width of its
// 95 % bands.
type Preview struct {
	Modes               int       // number measured
	TimeMS              []float64 // along the front, per sample if the batch size is an input
	PowerW, LowW, HighW []float64
	TimePct, PowerPct   float64 // median half width of the bands along the front
}

// NewPreview fits and predicts; on failure only Modes is set.
func NewPreview(ctx context.Context, samples []tegra.Measured, space *tegra.Space) Preview {
	s := Preview{Modes: len(samples)}
	m, err := learn.Fit(ctx, samples, learn.Options{Space: space, SkipCV: true})
	if err != nil {
		return s
	}
	preds := m.PredictSettings(tegra.Settings(space.Modes(), m.Batches))
	points := make([]tegra.Measured, len(preds))
	for i, p := range preds {
		points[i] = p.Measured
	}
	var times, powers []float64
	for _, i := range pareto.Front(points, pareto.Power) {
		p := preds[i]
		s.TimeMS, s.PowerW = append(s.TimeMS, points[i].SampleMS()), append(s.PowerW, p.PowerW)
		s.LowW, s.HighW = append(s.LowW, p.PowerLoW), append(s.HighW, p.PowerHiW)
		times = append(times, 50*(p.TimeHiMS-p.TimeLoMS)/p.TimeMS)
		powers = append(powers, 50*(p.PowerHiW-p.PowerLoW)/p.PowerW)
	}
	s.TimePct, s.PowerPct = stats.OrZero(stats.Median(times)), stats.OrZero(stats.Median(powers))
	return s
}

package session

import (
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
)

// bestSoFar compares the best mode with MAXN; model may be nil.
func (s *Session) bestSoFar(best tegra.Mean, l optimize.Limit, p learn.Predictor,
	measured []tegra.Measured) *BestSoFar {
	out := &BestSoFar{Mean: best, Limit: l}
	if top := s.Device.Space().Max(); best.N > 0 && best.Mode != top {
		out.MaxN = Compare(optimize.MeasuredPrediction(best.Measured), p, measured, s.Device.Space(),
			s.Device.Presets(), tegra.Setup{}).MaxN
	}
	return out
}

// atSize lets a surrogate predict modes with a batch size.
type atSize struct {
	*learn.Surrogate
	batch int
}

// Predict is learn.Predictor's.
func (a atSize) Predict(modes []tegra.Mode) []learn.Prediction {
	list := make([]tegra.Setting, len(modes))
	for i, m := range modes {
		list[i] = tegra.Setting{Mode: m, Batch: a.batch}
	}
	return a.PredictSettings(list)
}

// seen reports a probe of a search and the best mode after it.
func (s *Session) seen(observe func(Event)) func(optimize.Seen) {
	return func(k optimize.Seen) {
		var p learn.Predictor
		var measured []tegra.Measured
		if k.Model != nil {
			p, measured = atSize{k.Model, k.Best.Batch}, k.Model.Samples()
		}
		observer(observe).send(ProbeEvent{Probe: k.Probe, Best: s.bestSoFar(k.Best, k.Probe.Limit, p, measured)})
	}
}

// tracked adds to the finished rows of a campaign the best mode so far for a limit, of these
// rows alone.
func (s *Session) tracked(l optimize.Limit, observe func(Event)) func(Event) {
	var done []tegra.Measured
	return func(e Event) {
		if row := FinishedRow(e); row != nil && row.Status.Usable() {
			done = append(done, row.Measured)
			p := e.(ProgressEvent)
			p.Best = s.bestSoFar(bestMean(done, l), l, nil, tegra.OncePerSetting(done))
			e = p
		}
		observer(observe).send(e)
	}
}

// bestMean is the best of the settings whose mean keeps a limit; N is 0 where none does.
func bestMean(list []tegra.Measured, l optimize.Limit) (best tegra.Mean) {
	for _, m := range tegra.MeansOf(list) {
		if l.Met(m.Measured) && (best.N == 0 || l.Better(m.Measured, best.Measured)) {
			best = m
		}
	}
	return best
}

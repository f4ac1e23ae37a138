package search

import (
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/measure"
)

// bestSoFar compares the best mode with MAXN; model may be nil.
func bestSoFar(s *session.Session, best tegra.Mean, l metric.Goal, p learn.Predictor,
	measured []tegra.Measured) *answers.Answer {
	out := &answers.Answer{Setting: best.Setting, About: outlook.About{Reading: best}, Limit: l}
	if top := s.Device.Space().Max(); best.N > 0 && best.Mode != top {
		out.Versus.MaxN = outlook.Compare(optimize.MeasuredPrediction(best.Measured), p, measured, s.Device.Space(),
			s.Device.Presets(), tegra.Setup{}).MaxN
	}
	return out
}

// atSize makes a surrogate predict modes at one batch size.
type atSize struct {
	*learn.Surrogate
	batch int
}

// Predict implements learn.Predictor.
func (a atSize) Predict(modes []tegra.Mode) []learn.Prediction {
	list := make([]tegra.Setting, len(modes))
	for i, m := range modes {
		list[i] = tegra.Setting{Mode: m, Batch: a.batch}
	}
	return a.PredictSettings(list)
}

// seen reports each probe of a search and the best mode so far.
func seen(s *session.Session, observe func(measure.Event)) func(optimize.Seen) {
	return func(k optimize.Seen) {
		var p learn.Predictor
		var measured []tegra.Measured
		if k.Model != nil {
			p, measured = atSize{k.Model, k.Best.Batch}, k.Model.Samples()
		}
		measure.Observer(observe).Send(measure.ProbeEvent{Probe: k.Probe,
			Best: bestSoFar(s, k.Best, k.Probe.Limit, p, measured)})
	}
}

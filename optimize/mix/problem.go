package mix

import (
	"errors"
	"math"
	"slices"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Problem states the ask as the problem of a search: a load is met up to some service time of a batch, and power and
// energy with the waiting follow from those of serving (docs/method.md, "Load"). own is the batch size of a workload
// that is measured without one.
func (a Ask) Problem(sizes []int, own int) optimize.Problem {
	a.Goal.Margin = metric.NoMargin
	curve := a.NewLoadCurve(Phase{})
	return func(_ metric.Goal, expected func(tegra.Setting) tegra.Measured) func(tegra.Measured) optimize.Terms {
		at := service{a, sizes, own, expected}
		c := curve.With(at.corrected())
		return func(m tegra.Measured) optimize.Terms {
			m.Setting = m.WithBatch(own)
			c := LoadCurve{c.ask, at.phase(m), c.simulated}
			return c.terms(m.Setting)
		}
	}
}

// service is a workload under a load, with what is expected of it in a setting as it is measured.
type service struct {
	ask      Ask
	sizes    []int
	own      int
	expected func(tegra.Setting) tegra.Measured
}

// phase returns what is known of the mode of a setting that is served: its values, and those of partial batches.
func (s *service) phase(m tegra.Measured) Phase {
	preds := []learn.Prediction{optimize.MeasuredPrediction(m)}
	for _, size := range s.sizes {
		if s.ask.MaxWait > 0 && size != m.Batch {
			preds = append(preds, optimize.MeasuredPrediction(s.expected(tegra.Setting{Mode: m.Mode, Batch: size})))
		}
	}
	return NewPhase(preds)
}

// corrected returns the ask with latencies corrected by the measured ones.
func (s *service) corrected() Ask {
	var preds []learn.Prediction
	for _, sent := range s.ask.Sent {
		at := sent.Setting
		if !slices.Contains(s.sizes, at.Batch) {
			at.Batch = 0 // the job's own
		}
		m := s.expected(at)
		m.Setting = sent.WithBatch(s.own)
		preds = append(preds, optimize.MeasuredPrediction(m))
	}
	return s.ask.Corrected(NewPhase(preds))
}

// terms returns the limits and the goal of a setting under the load.
func (c *LoadCurve) terms(at tegra.Setting) optimize.Terms {
	a, t := &c.ask, optimize.Terms{MostMS: math.Inf(1), MostW: math.Inf(1), ByPower: 1}
	o, ok := a.bound(at, c.infer, Phase{})
	if !ok {
		return t
	}
	if a.MaxWait > 0 {
		o, _ = c.Estimate(at)
	}
	t.MostMS = c.slowest(o)
	if slices.Contains(a.Failed, at) {
		t.MostMS = 0
	}
	means := a.PowerAs == Mean && !math.IsNaN(o.MeanW)
	serving := 1 - o.IdleShare
	if b, limited := a.Goal.Limits.On(metric.Power); limited {
		if t.MostW = b.Value; means && o.IdleShare > 0 {
			t.MostW = max(0, (b.Value-o.IdleShare*a.IdleW)/serving)
		}
	}
	want, value := a.want(false), o.PeakW
	switch {
	case want == LeastTime:
		value, t.ByTime, t.ByPower = o.TimeMS, 1, 0
	case want == MostRequests && !a.Load.Open():
		value, t.ByTime, t.ByPower = 1/o.ServedPerS, 1, 0
	case want == LeastEnergy && !a.Load.Open():
		value, t.ByTime = o.JPerUnit, 1
	case want == LeastEnergy && math.IsNaN(o.JPerUnit):
		value, t.ByTime = o.BusyJPerUnit, 1
	case want == LeastEnergy || means: // the rate is given
		value, t.ByPower = o.MeanW, serving*o.PeakW/o.MeanW
		if o.IdleShare > 0 {
			t.ByTime = max(0, serving*(o.PeakW-a.IdleW)/o.MeanW)
		}
	}
	t.Plus = math.Log(value) - t.ByTime*math.Log(o.TimeMS) - t.ByPower*math.Log(o.PeakW)
	return t
}

// Answer returns what a search under the ask found, or the nearest setting with a *NoSettingError in place of err if it
// is that none keeps the limits.
func (a Ask) Answer(r optimize.Result, err error, sizes []int, own int) (Outcome, error) {
	found := r.Answers[0]
	if !(found.TimeMS > 0) {
		return Outcome{}, err
	}
	s := service{a, sizes, own, func(at tegra.Setting) tegra.Measured {
		if at == found.Setting || r.Model == nil {
			return found.Measured
		}
		return r.Model.PredictSettings([]tegra.Setting{at})[0].Measured
	}}
	m := found.Measured
	m.Setting = m.WithBatch(own)
	o, _ := s.corrected().Evaluate(m.Setting, s.phase(m), Phase{})
	if none, ok := errors.AsType[*optimize.InfeasibleError](err); ok {
		err = &NoSettingError{Ask: a, Nearest: o, Tried: none.Tried, Ended: r.Ended}
	}
	return o, err
}

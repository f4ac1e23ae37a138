package optimize

import (
	"math"

	"jtune/tegra"
	"jtune/tegra/metric"
)

// Problem returns the terms of settings for a goal: of each by its time and power, with what is expected of others.
type Problem func(g metric.Goal, expected func(tegra.Setting) tegra.Measured) func(tegra.Measured) Terms

// Terms hold the limits and the goal of one setting.
type Terms struct {
	MostMS, MostW float64 // limits on the true time and power; +Inf: none; 0: the setting keeps none
	// The goal in logarithms, to be least: ByTime·ln time + ByPower·ln power + Plus.
	ByTime, ByPower, Plus float64
}

// Alone is the problem of a job by itself: every setting is compared with the limits of the goal, per sample.
func Alone(g metric.Goal, _ func(tegra.Setting) tegra.Measured) func(tegra.Measured) Terms {
	t := Terms{MostMS: math.Inf(1), MostW: math.Inf(1), ByTime: g.Aim().InTime, ByPower: g.Aim().InPower}
	if b, ok := g.Limits.On(metric.Time); ok {
		t.MostMS = b.Value
	}
	if b, ok := g.Limits.On(metric.Power); ok {
		t.MostW = b.Value
	}
	return func(m tegra.Measured) Terms {
		t := t
		t.Plus = -t.ByTime * math.Log(float64(max(1, m.Batch)))
		return t
	}
}

// Limits returns the limits on time and power.
func (t Terms) Limits() (l metric.Limits) {
	for _, b := range []metric.Bound{{Metric: metric.Time, Value: t.MostMS}, {Metric: metric.Power, Value: t.MostW}} {
		if b.Value = max(b.Value, math.SmallestNonzeroFloat64); !math.IsInf(b.Value, 1) {
			l = l.With(b)
		}
	}
	return l
}

// terms holds those of a setting, with the logarithms of its limits.
type terms struct {
	Terms
	lnTime, lnPower float64
}

// at returns the ln of the goal at a ln time and a ln power.
func (t *terms) at(lnTime, lnPower float64) float64 {
	return t.ByTime*lnTime + t.ByPower*lnPower + t.Plus
}

// terms returns the limits and the goal of setting i, which is known.
func (r *rule) terms(i int) *terms {
	if r.asked[i] == nil {
		t := r.asks(r.expected(r.places.At(i)))
		r.asked[i] = &terms{t, math.Log(t.MostMS), math.Log(t.MostW)}
	}
	return r.asked[i]
}

// expected returns the expected time and power of a setting; zero before the first fit.
func (s *search) expected(at tegra.Setting) tegra.Measured {
	m := tegra.Measured{Setting: at}
	if i, ok := s.places.Index(at); ok && s.model != nil {
		b := s.believe()
		b.know([]int{i})
		m.TimeMS, m.PowerW = math.Exp(b.lnT[i]), math.Exp(b.lnP[i])
	}
	return m
}

// limitOn returns the goal with the limits that a reading has to keep.
func (s *search) limitOn(m tegra.Measured) metric.Goal {
	l := s.limit
	l.Limits = l.Limits.And(s.o.Problem(s.limit, s.expected)(m).Limits())
	return l
}

// excess returns by how much a reading exceeds its limits, in logarithms.
func (s *search) excess(m tegra.Measured) float64 { return s.limitOn(m).Excess(m, 0, 0) }

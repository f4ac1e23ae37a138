package tegra

import (
	"math"
	"slices"
)

// Measured is the measured time and power of a workload in one setting.
type Measured struct {
	Setting
	TimeMS float64 // per minibatch, mean of the clean minibatches, stalls included
	PowerW float64 // module, mean over the same time; NaN if power was not measured
	Errors Errors  // of this reading
	// Also holds further quantities, at most one of each. A prediction has those that a limit asks for.
	Also *[]Value
}

// Value is a further quantity of a setting: the mean current or power of a rail, the steady temperature.
type Value struct {
	Metric string // key
	On     string // the rail; "": the module
	V      float64
	LnSD   float64 // of its logarithm, where it is predicted
}

// Further lists the further quantities.
func (m Measured) Further() []Value {
	if m.Also == nil {
		return nil
	}
	return *m.Also
}

// With returns the measurement with further quantities, in place of those of the same name.
func (m Measured) With(list ...Value) Measured {
	if len(list) == 0 {
		return m
	}
	all := slices.Clone(m.Further())
	for _, v := range list {
		all = append(slices.DeleteFunc(all, func(o Value) bool { return o.Metric == v.Metric && o.On == v.On }), v)
	}
	m.Also = &all
	return m
}

// Sums averages further quantities over samples. The zero value has none.
type Sums struct {
	list []Value
	n    []int
}

// Add takes the values of a sample.
func (s *Sums) Add(values []Value) {
	for _, v := range values {
		i := slices.IndexFunc(s.list, func(o Value) bool { return o.Metric == v.Metric && o.On == v.On })
		if i < 0 {
			i, s.list, s.n = len(s.list), append(s.list, Value{Metric: v.Metric, On: v.On}), append(s.n, 0)
		}
		s.n[i]++
		s.list[i].V += (v.V - s.list[i].V) / float64(s.n[i])
	}
}

// Means returns the means of those that at least half of the samples have.
func (s *Sums) Means() (list []Value) {
	for i, v := range s.list {
		if 2*s.n[i] >= slices.Max(s.n) {
			list = append(list, v)
		}
	}
	return list
}

// Value returns a further quantity; absent if it is unknown.
func (m Measured) Value(key, on string) Val[float64] {
	for _, v := range m.Further() {
		if v.Metric == key && v.On == on {
			return Finite(v.V)
		}
	}
	return Val[float64]{}
}

// Errors are the relative standard errors of a reading's time and power, each absent if it is unknown. They come from
// the scatter within the reading (stats.MeanOf, telemetry.Energy); what differs between two readings of one setting is
// not in them. They are widened where a reading holds few values, so that 1.96 errors are half of the 95 % band.
type Errors struct{ Time, Power Val[float64] }

// Energy returns the relative standard error of time × power; absent unless both are known.
func (e Errors) Energy() Val[float64] {
	return Val[float64]{V: math.Hypot(e.Time.V, e.Power.V), OK: e.Time.OK && e.Power.OK}
}

// plus returns the errors of a weighted mean of readings with independent errors; absent where one is unknown.
func (e Errors) plus(weight float64, other Errors, its float64) Errors {
	sum := func(a, b Val[float64]) Val[float64] {
		switch {
		case weight == 0:
			return Val[float64]{V: its * b.V, OK: b.OK}
		case its == 0:
			return Val[float64]{V: weight * a.V, OK: a.OK}
		}
		return Val[float64]{V: math.Hypot(weight*a.V, its*b.V), OK: a.OK && b.OK}
	}
	return Errors{sum(e.Time, other.Time), sum(e.Power, other.Power)}
}

// HasPower reports whether power was measured.
func (m Measured) HasPower() bool { return !math.IsNaN(m.PowerW) }

// EnergyJ returns the energy per minibatch in joules; NaN without power.
func (m Measured) EnergyJ() float64 { return m.TimeMS * m.PowerW / 1000 }

// SampleMS returns the time per sample, by which settings of several batch sizes are compared; the time per minibatch
// if there is no batch size.
func (m Measured) SampleMS() float64 { return m.TimeMS / float64(max(1, m.Batch)) }

// PerSampleMS is SampleMS where there is a batch size and a time.
func (m Measured) PerSampleMS() Val[float64] {
	return Val[float64]{V: m.SampleMS(), OK: m.Batch > 0 && m.TimeMS > 0}
}

// SampleJ returns the energy per sample; the energy per minibatch if there is no batch size.
func (m Measured) SampleJ() float64 { return m.EnergyJ() / float64(max(1, m.Batch)) }

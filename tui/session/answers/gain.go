package answers

import (
	"math"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Present names the mode that the board was in, as a baseline.
const Present = "present"

// Baseline is the measurement of a mode that an answer is compared with.
type Baseline struct {
	Name       string
	tegra.Mean        // N readings
	Error      Errors // of the mean
}

// Errors are the relative standard errors of a measured time and power.
type Errors struct{ Time, Power float64 }

// unknownError is the error of a reading whose row is unknown, or has too few values to show their scatter.
const unknownError = 0.011

// ErrorsOf returns the errors of the mean of n readings of a setting, from their rows: each reading's own, and what
// differs between readings of one setting, as far as rows show it.
func ErrorsOf(at tegra.Setting, n int, rows []record.Row) Errors {
	again := between(rows)
	var of []Errors
	for _, r := range rows {
		if r.Setting == at && r.Status.Usable() && !r.Bare {
			of = append(of, Errors{math.Hypot(r.Errors.Time.Or(unknownError), again.Time),
				math.Hypot(r.Errors.Power.Or(unknownError), again.Power)})
		}
	}
	of = of[max(0, len(of)-n):]
	for len(of) < n {
		of = append(of, Errors{unknownError, unknownError})
	}
	var sum Errors
	for _, e := range of {
		sum.Time, sum.Power = math.Hypot(sum.Time, e.Time), math.Hypot(sum.Power, e.Power)
	}
	return Errors{sum.Time / float64(max(1, n)), sum.Power / float64(max(1, n))}
}

// between returns the standard deviation between readings of one setting beyond their own errors, from the settings
// that were read more than once (restarts, settling, heat); zero without any.
func between(rows []record.Row) Errors {
	groups := tegra.BySetting(record.Usable(rows))
	pooled := func(values func(*tegra.Repeats) []float64, own func(tegra.Errors) tegra.Val[float64]) float64 {
		squares, free := 0.0, 0.0
		for i := range groups {
			list := values(&groups[i])
			if len(list) < 2 {
				continue
			}
			mean := stats.Mean(list)
			for k, v := range list {
				by, e := v/mean-1, own(groups[i].Errors[k]).Or(unknownError)
				squares += by*by - e*e*float64(len(list)-1)/float64(len(list))
			}
			free += float64(len(list) - 1)
		}
		return math.Sqrt(max(0, squares) / max(1, free))
	}
	return Errors{
		pooled(func(r *tegra.Repeats) []float64 { return r.TimesMS },
			func(e tegra.Errors) tegra.Val[float64] { return e.Time }),
		pooled(func(r *tegra.Repeats) []float64 { return r.PowersW },
			func(e tegra.Errors) tegra.Val[float64] { return e.Power }),
	}
}

// Quantity is what a goal optimizes.
type Quantity string

// Quantities.
const (
	Time       Quantity = "time"
	Power      Quantity = "power"
	Energy     Quantity = "energy"
	Throughput Quantity = "throughput" // when the batch size is searched
)

// Gain is how much an answer differs from a baseline, in the quantity of the goal.
type Gain struct {
	Quantity
	Against  string  // Present, or the preset's name
	Pct      float64 // per cent of the baseline; negative if the answer takes less
	Lo, Hi   float64 // the ends of its 95 % band
	Measured bool    // both were measured
	// ToldApart reports that both were measured and differ by more than their errors.
	ToldApart bool
}

// optimizes returns what the answer's limit optimizes, among several batch sizes too.
func (a *Answer) optimizes() Quantity {
	l := a.Limit.Over(tegra.Sizes(0, a.Batch))
	switch aim := l.Aim(); {
	case aim != metric.Time:
		return Quantity(aim.Key)
	case a.Batch > 0 || l.Objective == metric.Time:
		return Throughput
	}
	return Time
}

// of returns the value of a quantity, per sample if the batch size is an input, and its relative error.
func (q Quantity) of(m tegra.Measured, e Errors) (value, err float64) {
	switch q {
	case Power:
		return m.PowerW, e.Power
	case Energy:
		return m.SampleJ(), math.Hypot(e.Time, e.Power)
	case Throughput:
		return 1000 / m.SampleMS(), e.Time
	}
	return m.SampleMS(), e.Time
}

// z95 is the half-width of a 95 % band in standard deviations.
const z95 = 1.96

// gain compares the answer with a mode; err is the standard error of the difference in logarithms. The answer has none
// over itself. nil if a value is unknown.
func (a *Answer) gain(with learn.Prediction, against string, measured bool, err func(q Quantity) float64) *Gain {
	of := optimize.MeasuredPrediction(a.Best())
	of.Setting = a.Setting
	q, mine := a.terms().aim(of)
	_, its := a.terms().aim(with)
	g := &Gain{Quantity: q, Against: against, Measured: measured}
	switch {
	case with.Setting == a.Setting || mine == its:
	case !(mine > 0 && its > 0):
		return nil
	default:
		g.between(math.Log(mine/its), err(q))
	}
	return g
}

// between sets the difference and its band from the log ratio and its standard error.
func (g *Gain) between(by, err float64) {
	half := z95 * err
	pct := func(ln float64) float64 { return 100 * math.Expm1(ln) }
	g.Pct, g.Lo, g.Hi = pct(by), pct(by-half), pct(by+half)
	g.ToldApart = g.Measured && math.Abs(by) > half
}

// Compared sets the gain over a measured baseline: the best preset within the limits, else the mode that the board was
// in. A preset that exceeds the limits when measured is none.
func (a *Answer) Compared() {
	t, b, against := a.terms(), a.Before, Present
	if a.Preset != nil && !t.within(optimize.MeasuredPrediction(a.Preset.Measured)).Or(true) {
		a.Preset = nil
	}
	if a.Preset != nil && t.limited() && (b == nil || b.Setting != a.Setting) {
		b, against = a.Preset, a.Preset.Name
	}
	if b == nil || a.Reading.N == 0 {
		return
	}
	a.Gain = a.gain(optimize.MeasuredPrediction(b.Measured), against, true, func(q Quantity) float64 {
		_, mine := q.of(a.Reading.Measured, a.Error)
		_, its := q.of(b.Measured, b.Error)
		return math.Hypot(mine, its)
	})
}

// Guessed sets a predicted gain over the present mode, or MAXN, unless both were measured. A mode has none over itself.
func (a *Answer) Guessed() {
	c, name := a.Versus.Present, Present
	if c == nil {
		c, name = a.Versus.MaxN, "MAXN"
	}
	if a.Gain != nil || c == nil {
		return
	}
	itself := name == Present && c.Other.Mode == a.Mode
	a.Gain = a.gain(c.Other, name, itself, func(q Quantity) float64 {
		return math.Abs(math.Log1p(q.in(c.Hi)/100)-math.Log1p(q.in(c.Lo)/100)) / 2 / z95
	})
}

// in returns the part of a difference in this quantity, in percent.
func (q Quantity) in(d outlook.Difference) float64 {
	switch q {
	case Power:
		return d.PowerPct
	case Energy:
		return d.EnergyPct
	case Throughput:
		return 100 * (100/(100+d.TimePct) - 1)
	}
	return d.TimePct
}

package answers

import (
	"math"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/mix"
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

// quantityOf returns what a limit optimizes; sized: the batch size is searched too.
func quantityOf(l metric.Goal, sized bool) Quantity {
	if sized {
		l = l.Sized()
	}
	if aim := l.Aim(); aim != metric.Time {
		return Quantity(aim.Key)
	}
	if sized || l.Objective == metric.Time {
		return Throughput
	}
	return Time
}

// quantity returns what the answer's goal optimizes. For a setting that is only the nearest it is the quantity that
// exceeds its limit, because a comparison of speed means nothing there.
func (a *Answer) quantity() Quantity {
	if b, over := a.Limit.Broken(a.Best()); over && !a.Feasible {
		return Quantity(b.Key)
	}
	return quantityOf(a.Limit, a.Batch > 0)
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

// gain compares the answer's reading with a baseline's.
func (a *Answer) gain(q Quantity, b *Baseline, against string) *Gain {
	g := &Gain{Quantity: q, Against: against, Measured: true}
	if b.Setting == a.Setting {
		return g
	}
	mine, myError := q.of(a.Reading.Measured, a.Error)
	its, itsError := q.of(b.Measured, b.Error)
	g.between(math.Log(mine/its), math.Hypot(myError, itsError))
	return g
}

// between sets the difference and its band from the log ratio and its standard error.
func (g *Gain) between(by, err float64) {
	half := z95 * err
	pct := func(ln float64) float64 { return 100 * math.Expm1(ln) }
	g.Pct, g.Lo, g.Hi, g.ToldApart = pct(by), pct(by-half), pct(by+half), math.Abs(by) > half
}

// Compared sets the gain over a measured baseline: the best preset within the limit, else the mode that the board was
// in. A preset that exceeds the limit when measured is none.
func (a *Answer) Compared() {
	if a.Served != nil {
		a.comparedUnderLoad()
		return
	}
	if a.Preset != nil && !Fits(a.Limit, a.Preset.Measured).Or(true) {
		a.Preset = nil
	}
	q := a.quantity()
	switch {
	case a.Reading.N == 0:
	case a.Before != nil && a.Before.Setting == a.Setting:
		a.Gain = a.gain(q, a.Before, Present)
	case a.Preset != nil && a.Limit.Limited():
		a.Gain = a.gain(q, a.Preset, a.Preset.Name)
	case a.Before != nil:
		a.Gain = a.gain(q, a.Before, Present)
	}
}

// wanted returns the quantity that the goal under a load optimizes, and its value for an outcome.
func (a *Answer) wanted(o mix.Outcome) (Quantity, float64) {
	switch a.Ask.Wants() {
	case mix.LeastEnergy:
		if math.IsNaN(o.JPerUnit) {
			return Energy, o.BusyJPerUnit
		}
		return Energy, o.JPerUnit
	case mix.MostRequests:
		return Throughput, o.ServedPerS
	case mix.LeastTime:
		return Time, o.TimeMS
	}
	if a.Ask.PowerAs == mix.Mean {
		return Power, o.MeanW
	}
	return Power, o.PeakW
}

// under returns the outcome of a mode under the answer's load, from its reading or prediction.
func (a *Answer) under(p learn.Prediction) (mix.Outcome, bool) {
	at := tegra.Setting{Mode: p.Mode, Batch: a.Served.Batch}
	p.Setting = at
	return a.Ask.Evaluate(at, mix.NewPhase([]learn.Prediction{p}), nil)
}

// comparedUnderLoad compares the measured outcomes of the answer and a baseline under the load: the present mode if it
// meets the limits, else the best preset.
func (a *Answer) comparedUnderLoad() {
	read := func(b *Baseline) (mix.Outcome, bool) {
		if b == nil {
			return mix.Outcome{}, false
		}
		return a.under(optimize.MeasuredPrediction(b.Measured))
	}
	q, mine := a.wanted(*a.Served)
	present, known := read(a.Before)
	b, against, theirs := a.Before, Present, present
	if v, ok := read(a.Preset); ok && !(known && present.Meets) {
		b, against, theirs, known = a.Preset, a.Preset.Name, v, true
	}
	_, its := a.wanted(theirs)
	if !known || a.Reading.N == 0 || !(mine > 0 && its > 0) {
		return
	}
	a.Gain = &Gain{Quantity: q, Against: against, Measured: true}
	if b.Mode == a.Mode {
		return
	}
	_, myError := q.of(a.Reading.Measured, a.Error)
	_, itsError := q.of(b.Measured, b.Error)
	a.Gain.between(math.Log(mine/its), math.Hypot(myError, itsError))
}

// Guessed sets a predicted gain over the present mode, or MAXN, unless both were measured. A mode has none over itself.
func (a *Answer) Guessed() {
	c, name := a.Versus.Present, Present
	if c == nil {
		c, name = a.Versus.MaxN, "MAXN"
	}
	switch {
	case a.Gain != nil || c == nil:
	case c == a.Versus.Present && c.Other.Mode == a.Mode:
		a.Gain = &Gain{Quantity: a.quantity(), Against: name, Measured: true}
	case a.Served != nil:
		q, mine := a.wanted(*a.Served)
		theirs, known := a.under(c.Other)
		_, its := a.wanted(theirs)
		if !known || !(mine > 0 && its > 0) {
			return
		}
		a.Gain = &Gain{Quantity: q, Against: name}
		half := math.Log1p(q.in(c.Hi)/100) - math.Log1p(q.in(c.Lo)/100) // band of the difference without the load
		a.Gain.between(math.Log(mine/its), math.Abs(half)/2/z95)
		a.Gain.ToldApart = false
	default:
		q := a.quantity()
		lo, hi := q.in(c.Lo), q.in(c.Hi)
		a.Gain = &Gain{Quantity: q, Against: name, Pct: q.in(c.Difference), Lo: min(lo, hi), Hi: max(lo, hi)}
	}
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

package outlook

import (
	"errors"
	"maps"
	"math"
	"slices"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
)

// Plane is the two quantities that a Pareto front trades: one across, one up.
type Plane struct{ Across, Up optimize.Axis }

// Planes are those that can be chosen; each has a front of its own.
var Planes = [...]Plane{
	{optimize.Time, optimize.Power},
	{optimize.Time, optimize.Energy},
	{optimize.Power, optimize.Energy},
}

// NumAxes is how many quantities there are.
const NumAxes = optimize.Time + 1

// Outlook is what is known of every mode of a space for one workload on one board:
// the predictions of a model, and measurements in their place where there are any.
// It is a value: With, AtBatch and Answering return another one.
//
//	model ──► Predicted ─┐
//	readings ────────────┴─► Known ──► columns, Pareto fronts ──► Choose, Answer, Compare
type Outlook struct {
	Workload  string
	Batch     int // samples per minibatch where that is an input; 0 where it is none, or several are compared
	Model     *learn.Model
	Predicted []learn.Prediction // by the model, by index of the space
	Known     []learn.Prediction // the same with readings in place of predictions
	// Found is what searches have found for limits by measuring, since which nothing else was measured: Choose gives
	// it.
	Found map[optimize.Limit]tegra.Setting

	space     *tegra.Space
	predictor learn.Predictor // of Predicted
	readings  map[tegra.Setting]tegra.Mean
	doubted   map[tegra.Setting]tegra.Measured // disagree with all others and were not repeated: they count for nothing
	learned   map[tegra.Setting]bool           // what the model has learned from
	before    map[tegra.Mode]learn.Prediction  // of measured modes: what was predicted before they were measured
	columns   [NumAxes][]float64               // of Known
	span      [NumAxes][]float64               // the least and the largest usable value of each column
	fronts    [len(Planes)][]int               // indexes of Known, ascending across
	tuned     []optimize.Limit                 // that tuning answered with this batch size
}

// Space is the modes of the outlook's board.
func (o *Outlook) Space() *tegra.Space { return o.space }

// Predictor made the predictions.
func (o *Outlook) Predictor() learn.Predictor { return o.predictor }

// Readings are the means of what was measured, by setting.
func (o *Outlook) Readings() map[tegra.Setting]tegra.Mean { return o.readings }

// Columns are the values of Known along each axis.
func (o *Outlook) Columns() [NumAxes][]float64 { return o.columns }

// Span is the least and the largest usable value of each column.
func (o *Outlook) Span() [NumAxes][]float64 { return o.span }

// New predicts every mode of the space by a model; with the largest batch
// size where the model knows several.
func New(workload string, m *learn.Model, space *tegra.Space) *Outlook {
	if m.Batches != nil {
		m = m.At(slices.Max(m.Batches))
	}
	return build(m, workload, m, m.Readings(), space, m.Predict(space.Modes()))
}

// By is an outlook with the predictions of p and the readings of samples;
// the model lists its samples and its outliers.
func By(p learn.Predictor, workload string, m *learn.Model, samples []tegra.Measured,
	space *tegra.Space) *Outlook {
	return build(p, workload, m, tegra.MeansOf(samples), space, p.Predict(space.Modes()))
}

// OutlookOf predicts these settings, which may have several batch sizes.
func OutlookOf(m *learn.Model, settings []tegra.Setting) *Outlook {
	return build(m, m.Provenance.Workload, m, m.Readings(), m.Space, m.PredictSettings(settings))
}

// Measured holds samples alone, of several of one setting the mean.
func Measured(samples []tegra.Measured, from learn.Provenance) *Outlook {
	readings := tegra.MeansOf(samples)
	preds := make([]learn.Prediction, len(readings))
	for i, m := range readings {
		preds[i] = optimize.MeasuredPrediction(m.Measured)
	}
	return build(nil, from.Workload, &learn.Model{Provenance: from}, readings, nil, preds)
}

func build(p learn.Predictor, workload string, m *learn.Model, readings []tegra.Mean, space *tegra.Space,
	preds []learn.Prediction) *Outlook {
	o := &Outlook{
		Workload: workload, Batch: m.Batch, Model: m, Predicted: preds, space: space, predictor: p,
		readings: map[tegra.Setting]tegra.Mean{},
		doubted:  map[tegra.Setting]tegra.Measured{},
		learned:  map[tegra.Setting]bool{},
	}
	for _, r := range readings {
		if at := r.Setting; slices.Contains(m.Suspicious, at) {
			o.doubted[at] = r.Measured
		} else {
			o.readings[at] = r
		}
	}
	for _, s := range m.Samples {
		o.learned[s.Setting] = true
	}
	o.work()
	return o
}

// work makes what follows from predictions and readings.
func (o *Outlook) work() {
	o.Known = optimize.Known(o.Predicted, o.Measured())
	points := make([]tegra.Measured, len(o.Known))
	several := o.Several()
	for a := range o.columns {
		o.columns[a] = make([]float64, len(o.Known))
	}
	for i, p := range o.Known {
		points[i] = p.Measured
		if !several { // all have one batch size: they compare by the minibatch
			points[i].Batch = 0
		}
		for a := range o.columns {
			o.columns[a][i] = optimize.Axis(a).Of(points[i])
		}
	}
	for a, column := range o.columns {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, x := range column {
			if x > 0 && !math.IsInf(x, 0) {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
		o.span[a] = []float64{lo, hi}
	}
	for i, pl := range Planes {
		o.fronts[i] = optimize.FrontOf(points, pl.Across, pl.Up)
	}
}

// Several reports whether the outlook compares several batch sizes.
func (o *Outlook) Several() bool {
	return slices.ContainsFunc(o.Predicted, func(p learn.Prediction) bool { return p.Batch != o.Predicted[0].Batch })
}

// Batches are the batch sizes that the model knows, ascending; nil where the size
// is not an input.
func (o *Outlook) Batches() []int { return o.Model.Whole().Batches }

// AtBatch predicts every mode with another batch size of the model.
func (o *Outlook) AtBatch(n int) *Outlook {
	return New(o.Workload, o.Model.Whole().At(n), o.space)
}

// Renewed is the outlook by a later model of its pool: for the same batch size, with what
// tuning found.
func (o *Outlook) Renewed(m *learn.Model) *Outlook {
	if slices.Contains(m.Batches, o.Batch) {
		m = m.At(o.Batch)
	}
	next := New(o.Workload, m, o.space)
	next.tuned, next.before = o.tuned, o.before
	return next
}

// With also knows one more measurement, with the outlook's own batch size. A mode
// whose reading was an outlier has this reading from now on.
func (o *Outlook) With(m tegra.Measured) *Outlook {
	next := *o
	m.Batch = o.Predicted[0].Batch // 0 in a model of one size
	at := m.Setting
	next.readings = maps.Clone(o.readings)
	next.readings[at] = o.readings[at].And(tegra.Mean{Measured: m, N: 1})
	next.doubted = maps.Clone(o.doubted)
	delete(next.doubted, at)
	next.work()
	return &next
}

// Answering also knows the readings that tuning counted of what it found for a limit, and
// what it expected of the modes that it measured.
func (o *Outlook) Answering(l optimize.Limit, a About, probes []optimize.Probe) *Outlook {
	next := *o
	next.tuned = append(slices.Clone(o.tuned), l)
	found := a.Reading
	if at := (tegra.Setting{Mode: found.Mode, Batch: o.Predicted[0].Batch}); found.N > 0 && found.Batch == o.Batch {
		found.Setting = at
		next.readings, next.doubted = maps.Clone(o.readings), maps.Clone(o.doubted)
		next.readings[at] = found
		delete(next.doubted, at)
		next.work()
	}
	next.before = map[tegra.Mode]learn.Prediction{}
	answer := optimize.Probe{Measured: a.Reading.Measured, Predicted: a.Predicted}
	for _, p := range append(slices.Clone(probes), answer) {
		if _, earlier := next.before[p.Mode]; !earlier && p.Batch == answer.Batch {
			next.before[p.Mode] = p.Predicted
		}
	}
	return &next
}

// Measured lists the readings that count.
func (o *Outlook) Measured() []tegra.Measured {
	out := make([]tegra.Measured, 0, len(o.readings))
	for _, r := range o.readings {
		out = append(out, r.Measured)
	}
	return out
}

// Doubted lists the readings that disagree with all others.
func (o *Outlook) Doubted() []tegra.Measured { return slices.Collect(maps.Values(o.doubted)) }

// Index finds a mode; false when it has no prediction. An outlook of chosen
// settings has no such index.
func (o *Outlook) Index(m tegra.Mode) (int, bool) {
	i, ok := o.space.Index(m)
	return i, ok && i < len(o.Predicted)
}

// Column is the value of every mode on an axis, by index.
func (o *Outlook) Column(a optimize.Axis) []float64 { return o.columns[a] }

// Front is the Pareto front of one of Planes: indexes, ascending across.
func (o *Outlook) Front(plane int) []int { return o.fronts[plane] }

// About is what is known of one mode.
type About struct {
	Predicted learn.Prediction // without the mode's own reading, as far as that is known
	Fitted    bool             // Predicted is what the model fitted: it has learned from this very mode
	Reading   tegra.Mean       // N is 0 where it was not measured
	Doubted   tegra.Val[tegra.Measured]
}

// Measured reports whether there is a reading that counts.
func (a About) Measured() bool { return a.Reading.N > 0 }

// Best is the reading, else the prediction.
func (a About) Best() tegra.Measured {
	if a.Measured() {
		return a.Reading.Measured
	}
	return a.Predicted.Measured
}

// About is what is known of a mode; nothing without an outlook.
func (o *Outlook) About(m tegra.Mode) About {
	if o == nil {
		return About{}
	}
	i, ok := o.Index(m)
	if !ok {
		return About{}
	}
	return o.At(i)
}

// At is About by index.
func (o *Outlook) At(i int) About {
	p := o.Predicted[i]
	at := p.Setting
	a := About{Predicted: p, Fitted: o.learned[at], Reading: o.readings[at]}
	if before, ok := o.before[p.Mode]; ok && before.TimeMS > 0 {
		a.Predicted, a.Fitted = before, false
	}
	if m, ok := o.doubted[at]; ok {
		a.Doubted = tegra.Some(m)
	}
	return a
}

// Choose returns the index of the mode that a limit asks for, as optimize.ChooseKnown has it: on screens and in
// commands. If none keeps the limit it is the nearest, and the error an *optimize.InfeasibleError. With a power limit a
// model of several batch sizes is searched for the most samples per second, within a time limit too, which is one on
// the latency.
func (o *Outlook) Choose(l optimize.Limit) (int, error) { return o.choose(l, nil) }

// choose is Choose among some of the settings, by index; nil: all.
func (o *Outlook) choose(l optimize.Limit, among []int) (int, error) {
	if at, ok := o.Found[l]; ok && among == nil {
		if own := o.Predicted[0].Batch; !o.Several() && (at.Batch == o.Batch || own == 0 && o.Batch == 0) {
			at.Batch = own // 0 where the size is no input of the predictions
		}
		for i := range o.Predicted {
			if o.Predicted[i].Setting == at {
				return i, nil
			}
		}
	}
	if o.Batches() != nil && l.PowerW > 0 {
		l.Throughput = true
	}
	known := o.Known
	if among != nil {
		known = make([]learn.Prediction, len(among))
		for k, i := range among {
			known[k] = o.Known[i]
		}
	}
	n := func(i int) int { return o.readings[known[i].Setting].N }
	choice, err := optimize.ChooseKnown(known, n, l)
	at := choice.Index
	var none *optimize.InfeasibleError
	if errors.As(err, &none) {
		at = none.Index
	}
	if among != nil && at < len(among) {
		at = among[at]
	}
	return at, err
}

// FrontAmong is the Pareto front of some settings alone, as Front is for all.
func (o *Outlook) FrontAmong(plane int, among []int) []int {
	points := make([]tegra.Measured, len(among))
	for k, i := range among {
		points[k] = o.Known[i].Measured
		if !o.Several() {
			points[k].Batch = 0
		}
	}
	front := optimize.FrontOf(points, Planes[plane].Across, Planes[plane].Up)
	for k, at := range front {
		front[k] = among[at]
	}
	return front
}

// Standing is where setting i stands against a limit. Screens and commands call this.
func (o *Outlook) Standing(i int, l optimize.Limit) optimize.Standing {
	return l.Stand(o.Known[i], o.readings[o.Known[i].Setting].N)
}

// StandingOf is the standing of a mode; optimize.Unknown without an outlook, or without a prediction of the mode.
func (o *Outlook) StandingOf(m tegra.Mode, l optimize.Limit) optimize.Standing {
	if o != nil {
		if i, ok := o.Index(m); ok {
			return o.Standing(i, l)
		}
	}
	return optimize.Standing{State: optimize.Unknown}
}

// Standings are the standings of all settings, by index.
func (o *Outlook) Standings(l optimize.Limit) []optimize.Standing {
	out := make([]optimize.Standing, len(o.Known))
	for i := range out {
		out[i] = o.Standing(i, l)
	}
	return out
}

// Answer is the mode to show for a limit: what Choose returns, else
// the knee of the Pareto front.
func (o *Outlook) Answer(l optimize.Limit) int { return o.AnswerAmong(l, nil) }

// AnswerAmong is Answer among some of the settings, by index; nil: all.
func (o *Outlook) AnswerAmong(l optimize.Limit, among []int) int {
	i, err := o.choose(l, among)
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		i, _ = o.choose(optimize.Limit{Knee: true}, among)
	}
	return i
}

// Tuned reports whether tuning answered this very limit, with the outlook's batch size.
func (o *Outlook) Tuned(l optimize.Limit) bool { return slices.Contains(o.tuned, l) }

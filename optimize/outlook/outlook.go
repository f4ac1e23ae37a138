package outlook

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"sync"

	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/pareto"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Plane is the two quantities of a Pareto front: x axis and y axis.
type Plane struct{ Across, Up pareto.Axis }

// Planes are the available planes, each with its own front.
var Planes = [...]Plane{
	{pareto.Time, pareto.Power},
	{pareto.Time, pareto.Energy},
	{pareto.Power, pareto.Energy},
}

// NumAxes is the number of quantities.
const NumAxes = pareto.Time + 1

// Outlook is the state of knowledge of every mode of a space for one workload on one board: the predictions of a model,
// replaced by measurements if there are any. It is a value: With, AtBatch and Answering return a new one.
//
//	model ──► Predicted ─┐
//	readings ────────────┴─► Known ──► columns, Pareto fronts ──► Choose, Answer, Compare
type Outlook struct {
	Workload  string
	Batch     int // samples per minibatch if that is an input; 0 if not, or if several are compared
	Model     *learn.Model
	Predicted []learn.Prediction // by the model, in index order of the space
	Known     []learn.Prediction // likewise with readings replacing predictions
	// Found holds the measured answers of searches, valid until another measurement: Choose returns those for limits.
	Found map[metric.Question]Answered

	space     *tegra.Space
	Predictor learn.Predictor // of Predicted
	several   bool            // Predicted has several batch sizes
	readings  map[tegra.Setting]tegra.Mean
	doubted   map[tegra.Setting]tegra.Measured // outliers that were not repeated: ignored
	learned   map[tegra.Setting]bool           // samples of the model
	before    map[tegra.Mode]learn.Prediction  // of measured modes: the prediction before measurement
	tuned     []metric.Goal                    // answered by tuning at this batch size

	// These are computed at their first call: many answers need none of them.
	columns func() [NumAxes][]float64 // of Known
	span    func() [NumAxes][]float64 // smallest and largest usable value of each column
	fronts  [len(Planes)]func() []int // indices of Known, ascending in x
}

// Answered is the answer of a search, with the chance of exceeding the limit that it worked out.
type Answered struct {
	tegra.Setting
	Over tegra.Val[float64]
}

// Space returns the modes of the outlook's board.
func (o *Outlook) Space() *tegra.Space { return o.space }

// Readings returns the means of the measurements, by setting.
func (o *Outlook) Readings() map[tegra.Setting]tegra.Mean { return o.readings }

// Columns returns the values of Known along each axis.
func (o *Outlook) Columns() [NumAxes][]float64 { return o.columns() }

// Span returns the smallest and largest usable value of each column.
func (o *Outlook) Span() [NumAxes][]float64 { return o.span() }

// New predicts every mode of the space by a model, at the largest batch size if the model has several.
func New(workload string, m *learn.Model, space *tegra.Space) *Outlook {
	m = m.AtLargest()
	return build(m, workload, m, m.Readings(), space, m.Predict(space.Modes()))
}

// By returns an outlook with the predictions of p and the readings of samples; m lists the samples and outliers of its
// fit.
func By(p learn.Predictor, workload string, m *learn.Model, samples []tegra.Measured,
	space *tegra.Space) *Outlook {
	return build(p, workload, m, tegra.MeansOf(samples), space, p.Predict(space.Modes()))
}

// OutlookOf predicts these settings, which may have several batch sizes.
func OutlookOf(m *learn.Model, settings []tegra.Setting) *Outlook {
	return build(m, m.Provenance.Workload, m, m.Readings(), m.Space, m.PredictSettings(settings))
}

// Measured returns an outlook of samples alone, with the mean of repeated settings.
func Measured(samples []tegra.Measured, from learn.Provenance) *Outlook {
	readings := tegra.MeansOf(samples)
	preds := make([]learn.Prediction, len(readings))
	for i, m := range readings {
		preds[i] = optimize.MeasuredPrediction(m.Measured)
	}
	return build(nil, from.Workload, &learn.Model{Provenance: from, Batches: tegra.Own}, readings, nil, preds)
}

func build(p learn.Predictor, workload string, m *learn.Model, readings []tegra.Mean, space *tegra.Space,
	preds []learn.Prediction) *Outlook {
	o := &Outlook{
		Workload: workload, Batch: m.Batch, Model: m, Predicted: preds, space: space, Predictor: p,
		several:  slices.ContainsFunc(preds, func(p learn.Prediction) bool { return p.Batch != preds[0].Batch }),
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

// work computes what follows from predictions and readings.
func (o *Outlook) work() {
	o.Known = optimize.Known(o.Predicted, o.Measured())
	o.columns, o.span = sync.OnceValue(o.listColumns), sync.OnceValue(o.spanColumns)
	for i, pl := range Planes {
		o.fronts[i] = sync.OnceValue(func() []int { return pareto.FrontOf(o.points(), pl.Across, pl.Up) })
	}
}

// points returns the values of Known as the fronts compare them.
func (o *Outlook) points() []tegra.Measured {
	points := make([]tegra.Measured, len(o.Known))
	for i := range o.Known {
		points[i] = o.candidate(i)
	}
	return points
}

// candidate returns the point of setting i, empty for an impossible prediction: it is never chosen and on no front.
func (o *Outlook) candidate(i int) tegra.Measured {
	if o.Known[i].Clamped {
		return tegra.Measured{}
	}
	return o.point(i)
}

// point returns the values of setting i as they are compared: per minibatch with one batch size.
func (o *Outlook) point(i int) tegra.Measured {
	p := o.Known[i].Measured
	if !o.several {
		p.Batch = 0
	}
	return p
}

func (o *Outlook) listColumns() (columns [NumAxes][]float64) {
	for a := range columns {
		columns[a] = make([]float64, len(o.Known))
		for i := range o.Known {
			columns[a][i] = pareto.Axis(a).Of(o.point(i))
		}
	}
	return columns
}

func (o *Outlook) spanColumns() (span [NumAxes][]float64) {
	for a, column := range o.columns() {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, x := range column {
			if x > 0 && !math.IsInf(x, 0) {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
		span[a] = []float64{lo, hi}
	}
	return span
}

// Several reports whether the outlook compares several batch sizes.
func (o *Outlook) Several() bool { return o.several }

// Batches returns the batch sizes that the model knows, ascending.
func (o *Outlook) Batches() []int { return o.Model.Whole().Batches }

// AtBatch returns the outlook at another batch size of the model.
func (o *Outlook) AtBatch(n int) *Outlook {
	return New(o.Workload, o.Model.Whole().At(n), o.space)
}

// Renewed returns the outlook with a later model of its pool, or with more modes of its board, at the same batch size,
// with the answers found by tuning.
func (o *Outlook) Renewed(m *learn.Model, space *tegra.Space) *Outlook {
	if slices.Contains(m.Batches, o.Batch) {
		m = m.At(o.Batch)
	}
	next := New(o.Workload, m, space)
	next.tuned, next.before = o.tuned, o.before
	return next
}

// Knowing returns the outlook with the further quantities that a goal limits, read and predicted from samples; those
// without a reading of them have the predicted ones.
func (o *Outlook) Knowing(l metric.Goal, samples []tegra.Measured, heat metric.Heat) (*Outlook, error) {
	if l.Limits.Further() == nil {
		return o, nil
	}
	next := *o
	var err error
	if next.Predicted, err = optimize.Further(o.Predicted, samples, l, heat, o.space); err != nil {
		return o, err
	}
	next.readings = maps.Clone(o.readings)
	predicted := map[tegra.Setting][]tegra.Value{}
	for _, p := range next.Predicted {
		predicted[p.Setting] = p.Further()
	}
	for at, r := range next.readings {
		r.Measured = r.With(predicted[at]...)
		if heat.PerW > 0 {
			r.Measured = r.With(heat.At(r.PowerW, 0))
		}
		next.readings[at] = r
	}
	for _, m := range tegra.MeansOf(samples) {
		if r, ok := next.readings[m.Setting]; ok {
			r.Measured = r.With(m.Further()...)
			next.readings[m.Setting] = r
		}
	}
	next.work()
	return &next, nil
}

// With adds a measurement at the outlook's batch size. It replaces a mode's outlier.
func (o *Outlook) With(m tegra.Measured) *Outlook {
	next := *o
	m.Batch = o.Predicted[0].Batch
	at := m.Setting
	next.readings = maps.Clone(o.readings)
	next.readings[at] = o.readings[at].And(tegra.Mean{Measured: m, N: 1})
	next.doubted = maps.Clone(o.doubted)
	delete(next.doubted, at)
	next.work()
	return &next
}

// Answering adds the readings with which tuning found the answer to a limit, and its predictions for the modes it
// measured.
func (o *Outlook) Answering(l metric.Goal, a About, probes []optimize.Probe) *Outlook {
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

// Doubted lists the outliers.
func (o *Outlook) Doubted() []tegra.Measured { return slices.Collect(maps.Values(o.doubted)) }

// Index finds a mode; false if it has no prediction. An outlook of chosen settings has no such index.
func (o *Outlook) Index(m tegra.Mode) (int, bool) {
	i, ok := o.space.Index(m)
	return i, ok && i < len(o.Predicted)
}

// Front returns the Pareto front of one of Planes: indices, ascending in x.
func (o *Outlook) Front(plane int) []int { return o.fronts[plane]() }

// About holds prediction and reading of one mode.
type About struct {
	Predicted learn.Prediction // without the mode's own reading, if available
	Fitted    bool             // Predicted comes from a model fitted to this mode
	Reading   tegra.Mean       // N is 0 if it was not measured
	Doubted   tegra.Val[tegra.Measured]
}

// Measured reports whether there is a reading that counts.
func (a About) Measured() bool { return a.Reading.N > 0 }

// Best returns the reading, else the prediction.
func (a About) Best() tegra.Measured {
	if a.Measured() {
		return a.Reading.Measured
	}
	return a.Predicted.Measured
}

// About returns what is known of a mode; empty without an outlook.
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

// Choose returns the index of the mode for a limit, as optimize.ChooseKnown does. If no mode keeps the limit, it
// returns the nearest and an *optimize.InfeasibleError. With a power limit and several batch sizes it maximises samples
// per second; a time limit then applies to the latency.
func (o *Outlook) Choose(l metric.Goal) (int, error) { return o.choose(l, nil) }

// answers returns what a search found for a limit if that is setting i.
func (o *Outlook) answers(i int, l metric.Goal) (Answered, bool) {
	a, ok := o.Found[metric.Question{Limit: l}]
	at := o.Predicted[i].Setting
	at.Batch = cmp.Or(at.Batch, a.Batch)
	return a, ok && at == a.Setting
}

// choose is Choose among some of the settings, by index; nil: all.
func (o *Outlook) choose(l metric.Goal, among []int) (int, error) {
	if among == nil {
		for i := range o.Predicted {
			if _, ok := o.answers(i, l); ok {
				return i, nil
			}
		}
	}
	l = l.Over(o.Batches())
	known := o.Known
	if among != nil {
		known = make([]learn.Prediction, len(among))
		for k, i := range among {
			known[k] = o.Known[i]
		}
	}
	n := func(i int) int { return o.readings[known[i].Setting].N }
	at, err := optimize.ChooseKnown(known, n, l)
	if among != nil && at < len(among) {
		at = among[at]
	}
	return at, err
}

// FrontAmong returns the Pareto front of some settings.
func (o *Outlook) FrontAmong(plane int, among []int) []int {
	points := make([]tegra.Measured, len(among))
	for k, i := range among {
		points[k] = o.candidate(i)
	}
	front := pareto.FrontOf(points, Planes[plane].Across, Planes[plane].Up)
	for k, at := range front {
		front[k] = among[at]
	}
	return front
}

// Standing returns the standing of setting i against a limit. Screens and commands call this.
func (o *Outlook) Standing(i int, l metric.Goal) standing.Standing {
	n := o.readings[o.Known[i].Setting].N
	if a, ok := o.answers(i, l); ok && a.Over.OK && n > 0 {
		return standing.Believe(l, n, a.Over.V)
	}
	return standing.Stand(l, o.Known[i], n)
}

// StandingOf returns the standing of a mode; standing.Unknown without an outlook or a prediction of the mode.
func (o *Outlook) StandingOf(m tegra.Mode, l metric.Goal) standing.Standing {
	if o != nil {
		if i, ok := o.Index(m); ok {
			return o.Standing(i, l)
		}
	}
	return standing.Standing{State: standing.Unknown}
}

// Standings returns the standings of all settings, by index.
func (o *Outlook) Standings(l metric.Goal) []standing.Standing {
	out := make([]standing.Standing, len(o.Known))
	for i := range out {
		out[i] = o.Standing(i, l)
	}
	return out
}

// Answer returns the mode to show for a limit: what Choose returns, else the knee of the Pareto front.
func (o *Outlook) Answer(l metric.Goal) int { return o.AnswerAmong(l, nil) }

// AnswerAmong is Answer among some of the settings, by index; nil: all.
func (o *Outlook) AnswerAmong(l metric.Goal, among []int) int {
	i, err := o.choose(l, among)
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		i, _ = o.choose(metric.Goal{Knee: true}, among)
	}
	return i
}

// Tuned reports whether tuning answered exactly this limit at the outlook's batch size.
func (o *Outlook) Tuned(l metric.Goal) bool { return slices.Contains(o.tuned, l) }

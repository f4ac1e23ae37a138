package tui

import (
	"maps"
	"math"
	"slices"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/session"
)

// plane is what a plot of modes shows: one quantity across, one up.
type plane struct{ across, up optimize.Axis }

// planes are those that can be chosen; each has a front of its own.
var planes = [...]plane{{optimize.Time, optimize.Power}, {optimize.Time, optimize.Energy}, {optimize.Power, optimize.Energy}}

// numAxes is how many quantities there are.
const numAxes = optimize.Time + 1

// mapView is what is believed about every mode of the space for one workload,
// ready to be drawn. It is built off the screen's goroutine and not changed.
type mapView struct {
	workload string
	model    *learn.Model
	space    *tegra.Space
	preds    []learn.Prediction // by index of the space: what the model says
	known    []learn.Prediction // preds, with what was measured in the place of its prediction
	points   []optimize.Point   // of known
	values   [numAxes][]float64 // columns of points, for the plot
	span     [numAxes][]float64 // the least and the largest usable value of each
	fronts   [len(planes)][]int // indexes of points, ascending across
	measured map[tegra.Mode]tegra.Measured
	doubted  map[tegra.Mode]tegra.Measured   // readings that disagree with all others and were not repeated: they count for nothing
	learned  map[tegra.Mode]bool             // modes that the model has learned from
	before   map[tegra.Mode]learn.Prediction // of measured modes: what was said before they were, where that is known
	found    found
}

// found is what tuning answered, measured, to a limit.
type found struct {
	mode  tegra.Val[tegra.Mode]
	limit optimize.Limit
}

// newMapView predicts every mode of the space; with minibatches of the largest
// size where the model knows several.
func newMapView(workload string, m *learn.Model, space *tegra.Space) *mapView {
	if m.Batches != nil {
		m = m.At(slices.Max(m.Batches))
	}
	return mapOf(workload, m, m, m.Samples, space)
}

func mapOf(workload string, m *learn.Model, p learn.Predictor, samples []tegra.Measured, space *tegra.Space) *mapView {
	v := &mapView{workload: workload, model: m, preds: p.Predict(space.Modes()), space: space, measured: map[tegra.Mode]tegra.Measured{}, doubted: map[tegra.Mode]tegra.Measured{}}
	for _, s := range samples {
		if slices.Contains(m.Suspicious, learn.SettingOf(s)) {
			v.doubted[s.Mode] = s
		} else {
			v.measured[s.Mode] = s
		}
	}
	v.learned = map[tegra.Mode]bool{}
	for _, s := range m.Samples {
		v.learned[s.Mode] = true
	}
	v.know(v.samples())
	return v
}

// sizes are the minibatch sizes that there are views of, ascending; nil where
// the size is no input.
func (v *mapView) sizes() []int { return v.model.Whole().Batches }

// size is that of the minibatches which the view speaks of; 0 where it is no
// input.
func (v *mapView) size() int { return v.model.Batch }

// sized is the view of minibatches of another size.
func (v *mapView) sized(batch int) *mapView {
	return newMapView(v.workload, v.model.Whole().At(batch), v.space)
}

// know puts what was measured in the place of what was predicted.
func (v *mapView) know(samples []tegra.Measured) {
	v.known = optimize.Known(v.preds, samples)
	v.points = make([]optimize.Point, len(v.known))
	for a := range v.values {
		v.values[a] = make([]float64, len(v.known))
	}
	for i, p := range v.known {
		v.points[i] = optimize.PredictedPoint(p)
		v.points[i].Batch = 0 // all have one size: they compare by the minibatch
		for a := range v.values {
			v.values[a][i] = v.points[i].On(optimize.Axis(a))
		}
	}
	for a, column := range v.values {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, x := range column {
			if x > 0 && !math.IsInf(x, 0) {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
		v.span[a] = []float64{lo, hi}
	}
	for i, pl := range planes {
		v.fronts[i] = optimize.FrontOf(v.points, pl.across, pl.up)
	}
}

// with gives a copy that also knows one more measurement, of its own size.
func (v *mapView) with(m tegra.Measured) *mapView {
	next := *v
	m.Batch = v.preds[0].Batch // 0 in a model of one size
	next.measured = map[tegra.Mode]tegra.Measured{m.Mode: m}
	for mode, old := range v.measured {
		if mode != m.Mode {
			next.measured[mode] = old
		}
	}
	next.doubted = maps.Clone(v.doubted)
	delete(next.doubted, m.Mode) // read again: this reading stands
	next.know(next.samples())
	return &next
}

// samples lists the measurements that count.
func (v *mapView) samples() []tegra.Measured {
	out := make([]tegra.Measured, 0, len(v.measured))
	for _, m := range v.measured {
		out = append(out, m)
	}
	return out
}

// answering gives a copy that knows what tuning found for a limit, and what
// was expected of the modes that it measured.
func (v *mapView) answering(l optimize.Limit, r *session.TuneResult) *mapView {
	next := *v
	next.found = found{tegra.Some(r.Mode), l}
	next.before = map[tegra.Mode]learn.Prediction{}
	for _, p := range append(slices.Clone(r.Probes), optimize.Probe{Measured: tegra.Measured{Mode: r.Mode, Batch: r.Batch}, Predicted: r.Predicted}) {
		if _, earlier := next.before[p.Mode]; !earlier && p.Batch == r.Batch {
			next.before[p.Mode] = p.Predicted
		}
	}
	return &next
}

// expected gives what was predicted of mode i without its own measurement.
// Where the model has learned from the very mode and nothing was said before,
// that is not known: then it is what the model fitted, and fitted is true.
func (v *mapView) expected(i int) (p learn.Prediction, fitted bool) {
	m := v.preds[i].Mode
	if p, ok := v.before[m]; ok && p.TimeMS > 0 {
		return p, false
	}
	return v.preds[i], v.learned[m]
}

// at gives the index of a mode; false when it has no prediction.
func (v *mapView) at(m tegra.Mode) (int, bool) {
	i, ok := v.space.Index(m)
	return i, ok && i < len(v.preds)
}

// answer is where the cursor starts: what tuning found for this limit, else
// the best mode within it, else the nearest to it, else the knee.
func (v *mapView) answer(l optimize.Limit) int {
	if i, ok := v.at(v.found.mode.V); ok && v.foundFor(l) {
		return i
	}
	choice, err := optimize.Choose(v.known, l)
	if err == nil {
		return choice.Index
	}
	if near, ok := nearest(err); ok {
		if i, found := v.at(near); found {
			return i
		}
	}
	if choice, err = optimize.Choose(v.known, optimize.Limit{Knee: true}); err == nil {
		return choice.Index
	}
	return 0
}

// foundFor tells whether tuning answered this very limit with a mode of the view.
func (v *mapView) foundFor(l optimize.Limit) bool { return v.found.mode.OK && v.found.limit == l }

// cloud is the view as it is written into files.
func (v *mapView) cloud(pl plane, title string) *export.Cloud {
	c := export.Predicted(v.preds, v.samples())
	c.Title = title
	c.TakeFront(pl.across, pl.up)
	return c
}

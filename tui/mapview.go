package tui

import (
	"math"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
)

// mapView is what is believed about every mode of the space for one workload,
// ready to be drawn. It is built off the screen's goroutine and not changed.
type mapView struct {
	workload string
	model    *learn.Model
	preds    []learn.Prediction // by index of the space
	points   []optimize.Point
	fronts   [2][]int // by optimize.Axis: indexes of points, x ascending
	measured map[tegra.Mode]tegra.Measured
	space    *tegra.Space
	timeMS   []float64 // columns of points, for the plot
	powerW   []float64
	energyJ  []float64
	effects  [tegra.NumKnobs]learn.KnobEffect // of the knobs, the others at their largest
	bound    string                           // what a minibatch waits for there; "" when the model cannot tell
}

// newMapView predicts every mode of the space.
func newMapView(workload string, m *learn.Model, space *tegra.Space) *mapView {
	v := mapOf(workload, m, m, m.Samples, space)
	if s, ok := m.Surrogate(); ok {
		v.bound = s.Bound(space.Max()).String()
	}
	return v
}

func mapOf(workload string, m *learn.Model, p learn.Predictor, samples []tegra.Measured, space *tegra.Space) *mapView {
	preds := p.Predict(space.Modes())
	v := &mapView{workload: workload, model: m, preds: preds, space: space, measured: map[tegra.Mode]tegra.Measured{}}
	v.effects = learn.Importance(p, space, space.Max(), math.Inf(1))
	for _, p := range preds {
		v.points = append(v.points, optimize.PredictedPoint(p))
		v.timeMS = append(v.timeMS, p.TimeMS)
		v.powerW = append(v.powerW, p.PowerW)
		v.energyJ = append(v.energyJ, p.EnergyJ())
	}
	for _, axis := range []optimize.Axis{optimize.Power, optimize.Energy} {
		v.fronts[axis] = optimize.Front(v.points, axis)
	}
	for _, s := range samples {
		v.measured[s.Mode] = s
	}
	return v
}

// with gives a copy that also knows one more measurement.
func (v *mapView) with(m tegra.Measured) *mapView {
	next := *v
	next.measured = map[tegra.Mode]tegra.Measured{m.Mode: m}
	for mode, old := range v.measured {
		if mode != m.Mode {
			next.measured[mode] = old
		}
	}
	return &next
}

// at gives the index of a mode; false when it has no prediction.
func (v *mapView) at(m tegra.Mode) (int, bool) {
	i, ok := v.space.Index(m)
	return i, ok && i < len(v.preds)
}

// y gives the value of point i on the vertical axis.
func (v *mapView) y(i int, axis optimize.Axis) float64 {
	if axis == optimize.Energy {
		return v.points[i].EnergyJ
	}
	return v.points[i].PowerW
}

// answer is where the cursor starts: the best mode within the limit, else the
// nearest to it, else the knee.
func (v *mapView) answer(l optimize.Limit) int {
	choice, err := optimize.Choose(v.preds, l)
	if err == nil {
		return choice.Index
	}
	if near, ok := nearest(err); ok {
		if i, found := v.at(near); found {
			return i
		}
	}
	if choice, err = optimize.Choose(v.preds, optimize.Limit{Knee: true}); err == nil {
		return choice.Index
	}
	return 0
}

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
}

// newMapView predicts every mode of the space.
func newMapView(workload string, m *learn.Model, space *tegra.Space) *mapView {
	preds := m.Predict(space.Modes())
	return mapOf(workload, m, preds, m.Samples, space)
}

func mapOf(workload string, m *learn.Model, preds []learn.Prediction, samples []tegra.Measured, space *tegra.Space) *mapView {
	v := &mapView{workload: workload, model: m, preds: preds, space: space, measured: map[tegra.Mode]tegra.Measured{}}
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

// importance is how much each knob matters at the answer's corner of the
// space: the largest over the smallest predicted value when this knob alone
// walks through its settings and the others stand at their largest.
func (v *mapView) importance() (time, power [tegra.NumKnobs]float64) {
	top := v.space.Max()
	for k := range tegra.NumKnobs {
		loT, hiT, loP, hiP := math.Inf(1), 0.0, math.Inf(1), 0.0
		for i, m := range v.space.All() {
			if !alike(m, top, k) {
				continue
			}
			p := v.preds[i]
			loT, hiT = min(loT, p.TimeMS), max(hiT, p.TimeMS)
			loP, hiP = min(loP, p.PowerW), max(hiP, p.PowerW)
		}
		if hiT > 0 && hiP > 0 {
			time[k], power[k] = hiT/loT, hiP/loP
		}
	}
	return time, power
}

// alike tells whether two modes agree in every knob but one.
func alike(a, b tegra.Mode, but tegra.Knob) bool {
	for k := range tegra.NumKnobs {
		if k != but && a.Value(k) != b.Value(k) {
			return false
		}
	}
	return true
}

package pareto

import (
	"math"

	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Check chooses the modes to verify when the power limit is not known in advance: the modes that the limits
// select, the most often selected and least certain first (docs/method.md, Fronts and choices).
type Check struct {
	Space    *tegra.Space
	BudgetsW []float64 // power limits in watts
}

// frontLimits is the number of power limits for which a front is checked: the same as in the papers (17 to 50 W).
const frontLimits = 34

// Limits returns power limits in watts spread evenly along the Pareto front of these predictions; none without a
// front.
func Limits(preds []learn.Prediction) []float64 {
	points := medians(preds)
	front := Front(points, Power)
	if len(front) == 0 {
		return nil
	}
	least, most := points[front[0]].PowerW, points[front[len(front)-1]].PowerW
	out := make([]float64, frontLimits)
	for k := range out {
		out[k] = least + (most-least)*float64(k+1)/frontLimits
	}
	return out
}

// Next returns the next mode to measure, from predictions for all modes by a model of the measurements so far; false if
// every choice has been measured. Refit after each measurement.
func (c Check) Next(preds []learn.Prediction, done []tegra.Measured) (tegra.Mode, bool) {
	points := pointsWithMargin(preds, c.Space, done)
	known := map[int]bool{}
	for _, m := range done {
		if i, ok := c.Space.Index(m.Mode); ok {
			known[i] = true
		}
	}
	front := Front(points, Power)
	chosen := map[int]int{}
	for _, b := range c.BudgetsW {
		if i := underBudget(points, front, b); i >= 0 && !known[i] {
			chosen[i]++
		}
	}
	next, most := -1, 0.0
	for _, i := range front { // in order, so that ties do not depend on the map
		if v := float64(chosen[i]) * preds[i].LnPowerSD; chosen[i] > 0 && (next < 0 || v > most) {
			next, most = i, v
		}
	}
	if next < 0 {
		return tegra.Mode{}, false
	}
	return c.Space.At(next), true
}

// pointsWithMargin returns the points to choose from, by index of the space: predicted powers raised by the usual
// margin, measured powers unchanged.
func pointsWithMargin(preds []learn.Prediction, space *tegra.Space, done []tegra.Measured) []tegra.Measured {
	points := medians(preds)
	for i, p := range preds {
		points[i].PowerW *= math.Exp(metric.UsualMargin.Z() * p.LnPowerSD)
	}
	for _, m := range done {
		if i, ok := space.Index(m.Mode); ok {
			points[i] = m
		}
	}
	return points
}

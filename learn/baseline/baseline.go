// Package baseline provides the prediction methods to which jtune's own is compared.
//
//	modes, values ──► Fit (Of a method's name) ──► Predictor ──► values in any mode
//	[]tegra.Measured ──► FitPair ──► Pair: one predictor of time, one of power
//
// The methods are in packages linear, forest and nn. None has error bars; package learn adds them by
// cross-validation.
package baseline

import (
	"context"

	"jtune/learn/baseline/forest"
	"jtune/tegra"
)

// Predictor predicts one quantity, time or power.
type Predictor interface {
	At(modes []tegra.Mode) []float64
}

// Fit fits one quantity to values y of the given modes, all positive.
type Fit func(ctx context.Context, modes []tegra.Mode, y []float64, seed uint64) (Predictor, error)

// Of returns the Fit of a method by name; false for other methods and for networks, which train on individual
// measurements (nn.TrainPair).
func Of(method string) (Fit, bool) {
	fit, ok := map[string]Fit{
		"linear": fitLine,
		"tree":   growing(forest.Tree),
		"forest": growing(forest.Config{}),
		"mlp":    fitPerceptron,
	}[method]
	return fit, ok
}

// Pair predicts time and power; Power is nil if it was not measured.
type Pair struct{ Time, Power Predictor }

// FitPair fits time, then power separately with the next seed.
func FitPair(ctx context.Context, samples []tegra.Measured, seed uint64, fit Fit) (*Pair, error) {
	modes := make([]tegra.Mode, len(samples))
	timeMS, powerW := make([]float64, len(samples)), make([]float64, len(samples))
	powered := false
	for i, s := range samples {
		modes[i], timeMS[i], powerW[i] = s.Mode, s.TimeMS, s.PowerW
		powered = powered || s.HasPower()
	}
	var p Pair
	var err error
	if p.Time, err = fit(ctx, modes, timeMS, seed); err != nil || !powered {
		return &p, err
	}
	p.Power, err = fit(ctx, modes, powerW, seed+1)
	return &p, err
}

// Warning describes the limitations of the time fit; "" for none.
func (p *Pair) Warning() string {
	if w, ok := p.Time.(interface{ Warning() string }); ok {
		return w.Warning()
	}
	return ""
}

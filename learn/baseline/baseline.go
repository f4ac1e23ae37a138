// Package baseline predicts by the methods that jtune's own is compared with.
//
//	modes, values ──► Fit (Of a method's name) ──► Predictor ──► values in any mode
//	[]tegra.Measured ──► FitPair ──► Pair: one predictor of time, one of power
//
// The methods themselves are in packages linear, forest, mlp and nn. None gives
// error bars; package learn makes them by cross-validation.
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

// Fit learns one quantity of the given modes; all its values are positive.
type Fit func(ctx context.Context, modes []tegra.Mode, y []float64, seed uint64) (Predictor, error)

// Of returns how the method of a name learns; false for names of other methods
// and of networks, which learn from single measurements (nn.TrainPair).
func Of(method string) (Fit, bool) {
	fit, ok := map[string]Fit{
		"linear": fitLine,
		"tree":   growing(forest.Tree),
		"forest": growing(forest.Config{}),
		"mlp":    fitPerceptron,
	}[method]
	return fit, ok
}

// Pair predicts time and power; Power is nil where it was not measured.
type Pair struct{ Time, Power Predictor }

// FitPair learns time, then power by itself with the next seed.
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

// Warning says what limits the trust in a fit of time; "" for nothing.
func (p *Pair) Warning() string {
	if w, ok := p.Time.(interface{ Warning() string }); ok {
		return w.Warning()
	}
	return ""
}

package learn

import (
	"gonum.org/v1/gonum/mat"

	"jtune/tegra"
)

// Surrogate is the gp model of time and power over a space: what a design or
// a search asks and refits after every measurement.
type Surrogate struct{}

// SurrogateOptions say how to fit a Surrogate. The zero value fits with fixed
// hyper-parameters and without the outlier rule: the fastest.
type SurrogateOptions struct {
	Grid      bool      // choose among 3×3 noise and smoothness settings by evidence
	Robust    int       // rounds in which outliers are found and down-weighted: 2 for a final fit, 1 in a loop
	Reference *Residual // another workload of this device; nil: none
}

// Residual is what the physics misses in a reference workload, per mode.
type Residual struct{}

// NewResidual learns the residual from a reference's measured modes, which
// belong to space; 100 at least.
func NewResidual(space *tegra.Space, reference []tegra.Measured) (*Residual, error) {
	panic("not yet")
}

// FitSurrogate fits the model. No samples at all is allowed and gives the
// prior, whose absolute time means nothing.
func FitSurrogate(space *tegra.Space, samples []tegra.Measured, o SurrogateOptions) (*Surrogate, error) {
	panic("not yet")
}

// Posterior is the belief about every mode of the space, by index: mean and
// standard deviation of ln time (ms) and ln power (W), without the noise of a
// measurement, which is NoiseTime and NoisePower (standard deviations).
type Posterior struct {
	LnTime, SdTime, LnPower, SdPower []float64
	NoiseTime, NoisePower            float64
	DoF                              int // of the Student quantile for error bars
}

// Posterior gives the belief about all modes of the space.
func (s *Surrogate) Posterior() *Posterior { panic("not yet") }

// CovTime gives the posterior covariance of ln time between modes a (rows)
// and b (columns), indexes of the space.
func (s *Surrogate) CovTime(a, b []int) *mat.Dense { panic("not yet") }

// CovPower is CovTime for ln power.
func (s *Surrogate) CovPower(a, b []int) *mat.Dense { panic("not yet") }

// Suspicious lists the measured modes that disagree with all others.
func (s *Surrogate) Suspicious() []tegra.Mode { panic("not yet") }

// Predict predicts the given modes.
func (s *Surrogate) Predict(modes []tegra.Mode) []Prediction { panic("not yet") }

var _ Predictor = (*Surrogate)(nil)

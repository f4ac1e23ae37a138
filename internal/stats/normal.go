package stats

import "math"

// NormalCDF is the share of a standard normal distribution below z.
func NormalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// Improvement is the expected gain, E[(by + sd·Z)⁺], by a value that is expected to be better by `by`, with this
// standard deviation: the expected improvement of Bayesian optimization.
func Improvement(by, sd float64) float64 {
	z := by / sd
	return sd * (z*NormalCDF(z) + math.Exp(-z*z/2)/math.Sqrt(2*math.Pi))
}

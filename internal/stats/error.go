package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// scatterReadings is how many values the belief in their scatter is worth. The scatter of the values themselves is
// added; their mean then follows Student's distribution (Gelman et al., Bayesian Data Analysis, section 3.3).
const scatterReadings = 4

// ErrorOf returns the distribution of the error of the mean of values that are believed to scatter by sd.
func ErrorOf(values []float64, sd float64) distuv.StudentsT {
	n, mean, square := float64(len(values)), Mean(values), scatterReadings*sd*sd
	for _, v := range values {
		square += (v - mean) * (v - mean)
	}
	freedom := scatterReadings + n - 1
	return distuv.StudentsT{Sigma: math.Sqrt(square / freedom / n), Nu: freedom}
}

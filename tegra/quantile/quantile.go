// Package quantile sums up readings.
//
//	readings ──► Of(v, 0.95), Median(v) ──► a value, absent when there are none
package quantile

import (
	"math"
	"slices"

	"jtune/tegra"
)

// Of is the q-quantile (0 to 1) of values, in any order, by linear
// interpolation between the order statistics. Values that are not finite are
// left out; without any it is absent.
func Of(values []float64, q float64) tegra.Val[float64] {
	v := make([]float64, 0, len(values))
	for _, x := range values {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			v = append(v, x)
		}
	}
	if len(v) == 0 {
		return tegra.Val[float64]{}
	}
	slices.Sort(v)
	at := q * float64(len(v)-1)
	i := min(int(at), len(v)-1)
	if i == len(v)-1 || v[i] == v[i+1] {
		return tegra.Some(v[i])
	}
	return tegra.Some(v[i] + (at-float64(i))*(v[i+1]-v[i]))
}

// Median is the middle one of values, or between the two in the middle.
func Median(values []float64) tegra.Val[float64] { return Of(values, 0.5) }

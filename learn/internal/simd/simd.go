// Package simd contains the inner loops of predicting many modes: sixteen modes are stored side by side, and on amd64
// processors with AVX2 and FMA a register holds four of them.
//
//	samples, sixteen modes ──► Matern ──► covariances ──► Dot ──► solves, means
//	logarithms of terms ──► Exp ──► terms
//
// On other processors plain Go gives the same results to within rounding: Dot to 1e-14 of the sum of the products'
// magnitudes, Matern to 1e-13 of the largest value, Exp to 1e-15 of its value.
package simd

import "math"

// Wide is the number of modes computed at once.
const Wide = 16

// Lanes holds one number per mode.
type Lanes [Wide]float64

// Dims is the number of coordinates of a point.
const Dims = 5

// Points are the coordinates of the modes.
type Points [Dims]Lanes

// Dot returns the sum over j of a[j] times row j of b; b must have len(a) rows.
func Dot(a []float64, b []Lanes) (sum Lanes) {
	b = b[:len(a)]
	if vector && len(a) > 0 {
		dotAVX2(&sum, &a[0], &b[0], len(a))
		return sum
	}
	for from := 0; from < Wide; from += 4 {
		var s0, s1, s2, s3 float64
		for j, v := range a {
			r := (*[4]float64)(b[j][from:])
			s0 += v * r[0]
			s1 += v * r[1]
			s2 += v * r[2]
			s3 += v * r[3]
		}
		sum[from], sum[from+1], sum[from+2], sum[from+3] = s0, s1, s2, s3
	}
	return sum
}

// Matern writes the covariance of each mode with sample j into row j of out: a Matérn 5/2 kernel with this variance.
// Coordinates are divided by the lengthscales.
func Matern(out []Lanes, samples [][Dims]float64, modes *Points, variance float64) {
	out = out[:len(samples)]
	if vector && len(samples) > 0 {
		maternAVX2(&out[0], &samples[0], len(samples), modes, variance)
		return
	}
	for j := range samples {
		for b := range Wide {
			r2 := 0.0
			for k, x := range samples[j] {
				d := modes[k][b] - x
				r2 += d * d
			}
			out[j][b] = variance * Correlation(r2)
		}
	}
}

// Exp replaces values ≤ 0 by their exponentials. For values below −700 the result may be as large as exp(−700).
func Exp(x []Lanes) {
	if vector && len(x) > 0 {
		expAVX2(&x[0], len(x))
		return
	}
	for i := range x {
		for b, v := range x[i] {
			x[i][b] = math.Exp(v)
		}
	}
}

// Correlation returns the Matérn 5/2 correlation at a squared scaled distance.
func Correlation(r2 float64) float64 {
	const sqrt5 = 2.23606797749978969640917366873127623544
	r := math.Sqrt(r2)
	return (1 + sqrt5*r + 5*r2/3) * math.Exp(-sqrt5*r)
}

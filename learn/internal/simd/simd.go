// Package simd contains the inner loops of predicting many modes: sixteen modes are stored side by side, and on amd64
// processors with AVX2 and FMA a register holds four of them.
//
//	samples, sixteen modes ──► Matern ──► covariances ──► Solve, Dot ──► means, variances
//	logarithms of terms ──► SoftMax ──► logarithm of their sum, share of each
//
// On other processors plain Go gives the same results to within rounding: Dot and Solve to 1e-14 of the sum of the
// products' magnitudes, Matern to 1e-13 of the largest value, SoftMax to 1e-14.
package simd

import "math"

// Wide is the number of modes computed at once.
const Wide = 16

// Lanes holds one number per mode.
type Lanes [Wide]float64

// dims is the number of coordinates of a point.
const dims = 5

// Points are the coordinates of the modes.
type Points [dims]Lanes

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
func Matern(out []Lanes, samples [][dims]float64, modes *Points, variance float64) {
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

// SoftMax returns (1/p) ln Σ_k exp(p z_k) for z_k = theta[k] + logs[k] and p > 0, and the mean of the z_k weighted by
// the share of each term in the sum, which it writes into shares. logs and shares have as many rows as theta, at least
// one. A share below exp(−700) may be as large as that.
func SoftMax(shares []Lanes, theta []float64, logs []Lanes, p float64) (most, mean Lanes) {
	shares, logs = shares[:len(theta)], logs[:len(theta)]
	if vector {
		softMaxAVX2(&shares[0], &theta[0], &logs[0], len(theta), p, &most, &mean)
		return most, mean
	}
	for b := range Wide {
		top, sum := math.Inf(-1), 0.0
		for k, a := range theta {
			top = max(top, a+logs[k][b])
		}
		for k, a := range theta {
			e := math.Exp(p * (a + logs[k][b] - top))
			shares[k][b], sum = e, sum+e
		}
		most[b] = top + math.Log(sum)/p
		for k, a := range theta {
			shares[k][b] /= sum
			mean[b] += shares[k][b] * (a + logs[k][b])
		}
	}
	return most, mean
}

// Solve solves rows from ≤ i < to of L W = B in place; the rows before must be solved. L is the lower triangle of an
// n × n matrix, row-major. Solve returns the sum of the squares of these rows of W.
func Solve(l []float64, n, from, to int, b []Lanes) (squares Lanes) {
	b, l = b[:to], l[:to*n]
	if vector && from < to {
		solveAVX2(&l[0], n, from, to, &b[0], &squares)
		return squares
	}
	for i := from; i < to; i++ {
		known := Dot(l[i*n:i*n+i], b[:i])
		d := 1 / l[i*n+i]
		for k, v := range known {
			b[i][k] = (b[i][k] - v) * d
			squares[k] += b[i][k] * b[i][k]
		}
	}
	return squares
}

// Correlation returns the Matérn 5/2 correlation at a squared scaled distance.
func Correlation(r2 float64) float64 {
	const sqrt5 = 2.23606797749978969640917366873127623544
	r := math.Sqrt(r2)
	return (1 + sqrt5*r + 5*r2/3) * math.Exp(-sqrt5*r)
}

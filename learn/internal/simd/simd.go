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
	var e Lanes
	for j := range samples {
		x, row := &samples[j], &out[j]
		for b := range row {
			d0, d1, d2, d3, d4 := modes[0][b]-x[0], modes[1][b]-x[1], modes[2][b]-x[2], modes[3][b]-x[3],
				modes[4][b]-x[4]
			r2 := d0*d0 + d1*d1 + d2*d2 + d3*d3 + d4*d4
			r := sqrt5 * math.Sqrt(r2)
			row[b], e[b] = variance*(1+r+(5.0/3)*r2), -r
		}
		exps(&e)
		for b, v := range e {
			row[b] *= v
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
	top := logs[0]
	for b := range top {
		top[b] += theta[0]
	}
	for k, a := range theta[1:] {
		for b, l := range logs[k+1] {
			top[b] = max(top[b], a+l)
		}
	}
	var sum Lanes
	for k, a := range theta {
		for b, l := range logs[k] {
			shares[k][b] = p * (a + l - top[b])
		}
		exps(&shares[k])
		for b, e := range shares[k] {
			sum[b] += e
		}
	}
	for b, v := range sum {
		most[b], sum[b] = top[b]+math.Log(v)/p, 1/v
	}
	for k, a := range theta {
		for b, l := range logs[k] {
			shares[k][b] *= sum[b]
			mean[b] += shares[k][b] * (a + l)
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
	r := math.Sqrt(r2)
	return (1 + sqrt5*r + 5*r2/3) * math.Exp(-sqrt5*r)
}

const sqrt5 = 2.23606797749978969640917366873127623544

// parts is the number of powers of two between 1 and 2 in powers.
const parts = 64

// powers holds the bits of 2^(i/parts).
var powers = func() (p [parts]uint64) {
	for i := range p {
		p[i] = math.Float64bits(math.Exp2(float64(i) / parts))
	}
	return p
}()

// exps replaces numbers of at most 0 by their exponentials, within 6e-16 of each; below −700 by that of −700.
func exps(x *Lanes) {
	const (
		steps = parts * math.Log2E
		whole = 3 << 51          // a sum with it has no fraction, and the whole number in its lowest bits
		high  = 0x1.62e42feep-07 // of ln 2 / parts: its products with whole numbers are exact
		low   = 0x1.a39ef35793c76p-39
	)
	for b, v := range x {
		v = max(v, -700)
		n := v*steps + whole
		i := math.Float64bits(n)
		n -= whole
		r := v - n*high - n*low
		scale := math.Float64frombits(powers[i%parts] + i/parts<<52)
		r2 := r * r
		x[b] = scale + scale*(r+r2*(0.5+r*(1.0/6))+r2*r2*(1.0/24+r*(1.0/120)))
	}
}

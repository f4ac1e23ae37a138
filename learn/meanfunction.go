package learn

import (
	"math"

	"jtune/learn/internal/simd"
)

// family holds the constants of one target's model (docs/method.md, Mean functions and Gaussian process)
//
//	ln y(x) = M(x; a, p) + G(x) + e,   M = (1/p) ln Σ_k exp(p (a_k + l_k(x)))
//
// where G is a Gaussian process with a Matérn 5/2 kernel and e is noise.
type family struct {
	// terms writes l_k at x; u is the predicted ln of the speed relative to the top mode, which time terms ignore.
	terms   func(x point, u float64, l []float64)
	prior   prior   // of theta = (a_1 … a_K, ln p); ln p is fixed if it has no deviation
	octaves point   // lengthscale of G per input
	roots   bool    // G measures knobs by root in place of octaves
	smooth  float64 // standard deviation of G: sf
	noise   float64 // standard deviation of e: sn
	clock   float64 // standard deviation of what each GPU clock adds in all its modes; see jumpingPowerFamily
	heavy   bool    // e has a heavy tail of large values: see batchTimeFamily
}

// timeFamily is a soft maximum over resources: the slowest one decides. Terms: fixed time; GPU; one CPU thread; all CPU
// cores; memory; GPU and memory mixed; and crowded cores, for more processes than cores
// (docs/decisions/014-crowded-cores.md). Means and deviations are rounded from fits of 19 measured workloads (training
// and inference on an AGX Orin, training on an Orin Nano): workloads differ more in some terms than in others.
var timeFamily = family{
	terms: timeTerms,
	prior: prior{
		Mean:    []float64{-0.5, -0.5, -0.9, -2, -0.5, -1.2, -4.2, 1.3},
		SD:      []float64{0.7, 0.7, 1, 1, 0.7, 1, 1.2, 0.3},
		LevelSD: 3,
	},
	octaves: point{1.5, 1.5, 3, 2, noBatch}, smooth: 0.08, noise: 0.02,
}

// powerFamily sums static and clock power, and energy per minibatch times minibatches per second. Means in watts:
// static 13, memory 1.9, GPU clock 3.5, CPU cores 1.6, CPU clock 0.9; work: fixed 5.8, GPU 2.1, CPU 2.6, memory 1.1,
// from the same fits. Static power is the surest share.
var powerFamily = family{
	terms: powerTerms,
	prior: prior{
		Mean:    append(logs(13, 1.9, 3.5, 1.6, 0.9, 5.8, 2.1, 2.6, 1.1), 0),
		SD:      []float64{0.3, 0.7, 0.6, 0.5, 0.9, 0.9, 1, 1, 1},
		LevelSD: 1,
	},
	octaves: point{1, 1, 1.6, 1.3, noBatch}, roots: true, smooth: 0.04, noise: 0.015,
}

// jumpingPowerFamily is powerFamily for a search: each GPU clock has a voltage of its own, which no smooth function of
// the clock knows. In six published sweeps of the AGX Orin the modes of a clock draw 1 to 3 % more or less together (by
// marginal likelihood, beside a quadratic mean and a Gaussian process). With it a search is careful about clocks that
// it has not read; predictions from random modes are no better with it.
var jumpingPowerFamily = func() family {
	f := powerFamily
	f.clock = 0.02
	return f
}()

// noBatch is the lengthscale of an input that does not count.
var noBatch = math.Inf(1)

func logs(v ...float64) []float64 {
	for i := range v {
		v[i] = math.Log(v[i])
	}
	return v
}

// timeTerms writes the log terms l_k of the time formula at x.
func timeTerms(x point, _ float64, l []float64) {
	c, f, g, m := math.Ln2*x[0], math.Ln2*x[1], math.Ln2*x[2], math.Ln2*x[3]
	l[0], l[1], l[2], l[3], l[4], l[5], l[6] = 0, -g, -f, -f-c, -m, -(g+m)/2, -1.25*f-2*c
}

// powerTerms writes the log terms of the power formula at x; u is the predicted ln of the speed relative to the top
// mode.
func powerTerms(x point, u float64, l []float64) {
	c, f, g, m := math.Ln2*x[0], math.Ln2*x[1], math.Ln2*x[2], math.Ln2*x[3]
	l[0], l[1], l[2], l[3], l[4] = 0, m, 3*g, c+3*f, 3*f
	l[5], l[6], l[7], l[8] = u, u+2*g, u+f, u+m
}

// amplitudes returns the number of terms.
func (f *family) amplitudes() int { return len(f.prior.Mean) - 1 }

// params returns the number of fitted parameters.
func (f *family) params() int { return len(f.prior.SD) }

// means computes a family's mean function M for simd.Wide modes at once.
type means struct {
	l      []float64
	logs   []simd.Lanes // l_k of each mode
	shares []simd.Lanes // of each term in the sum
}

func newMeans(f *family) means {
	k := f.amplitudes()
	return means{l: make([]float64, k), logs: make([]simd.Lanes, k), shares: make([]simd.Lanes, k)}
}

// logsAt writes the log terms of the modes from, from+1, …; lanes from to onwards repeat the last mode.
func (s *means) logsAt(at inputs, from, to int) []simd.Lanes {
	for b := range simd.Wide {
		at.terms(min(from+b, to-1), s.l)
		for a, l := range s.l {
			s.logs[a][b] = l
		}
	}
	return s.logs
}

// of returns M at modes with these log terms. It writes the derivatives by the fitted parameters to the rows of grad
// unless grad is nil.
func (s *means) of(theta []float64, logs, grad []simd.Lanes) (mean simd.Lanes) {
	k, shares := len(logs), s.shares
	if grad != nil {
		shares = grad[:k]
	}
	mean, weighted := simd.SoftMax(shares, theta[:k], logs, math.Exp(theta[k]))
	if len(grad) > k {
		for b, v := range weighted {
			grad[k][b] = v - mean[b]
		}
	}
	return mean
}

// ofClock returns the covariance of what GPU clocks add at two scaled points.
func (f *family) ofClock(a, b *point) float64 {
	if a[gpuInput] == b[gpuInput] {
		return square(f.clock)
	}
	return 0
}

// matern returns the Matérn 5/2 correlation at squared scaled distance r2.
func matern(r2 float64) float64 { return simd.Correlation(r2) }

// root is the square root of a relative value, at x octaves below the largest, with the slope of an octave at the top.
// Clocks and cores add much power at the top and little at the bottom.
func root(x float64) float64 { return (math.Exp2(x/2) - 1) * 2 / math.Ln2 }

// scaled divides a point by the family's lengthscales.
func (f *family) scaled(x point) point {
	for k := range x {
		if f.roots && k != batchInput {
			x[k] = root(x[k])
		}
		x[k] /= f.octaves[k]
	}
	return x
}

// lanes scales the points from, from+1, …; lanes from to onwards repeat the last point.
func (f *family) lanes(x []point, from, to int, out *simd.Points) {
	for b := range simd.Wide {
		for k, v := range f.scaled(x[min(from+b, to-1)]) {
			out[k][b] = v
		}
	}
}

func distance2(a, b *point) float64 {
	d0, d1, d2, d3, d4 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3], a[4]-b[4]
	return d0*d0 + d1*d1 + d2*d2 + d3*d3 + d4*d4
}

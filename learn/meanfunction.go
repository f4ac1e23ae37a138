package learn

import (
	"math"

	"jtune/learn/internal/simd"
)

// family holds the constants of one target's model (docs/method.md, Mean functions and Gaussian process)
//
//	ln y(x) = M(x; a, p) + G(x) + e,   M = (1/p) ln Σ_k exp(p (a_k + l_k(x)))
//
// where G is a Gaussian process with a Matérn 5/2 kernel and e is noise. The amplitudes have the prior a = centre + s·1
// + d, d_k ~ N(0, ownSD²), s ~ N(0, levelSD²); ln p ~ N(ln p0, lnPSD²), fixed if lnPSD is 0.
type family struct {
	// terms writes l_k at x; u is the predicted ln of the speed relative to the top mode, which time terms ignore.
	terms   func(x point, u float64, l []float64)
	centre  []float64 // of ln amplitudes
	ownSD   float64   // of each, given their common level
	levelSD float64
	p0      float64
	lnPSD   float64
	octaves point   // lengthscale of G per input
	smooth  float64 // standard deviation of G: sf
	noise   float64 // standard deviation of e: sn
	heavy   bool    // e has a heavy tail of large values: see batchTimeFamily
	prior   *Prior  // of theta, replacing the constants above; nil: none
	wide    bool    // prior has wide deviations, for workloads unlike its own
}

// timeFamily is a soft maximum over resources: the slowest one decides. Terms: fixed time; GPU; one CPU thread; all CPU
// cores; memory; GPU and memory mixed; and crowded cores, for more processes than cores
// (docs/decisions/014-crowded-cores.md).
var timeFamily = family{
	terms:  timeTerms,
	centre: []float64{-0.3, -0.3, -1, -1, -0.3, -0.3, -3.5},
	ownSD:  0.7, levelSD: 3, p0: 4, lnPSD: 0.3,
	octaves: point{1.5, 1.5, 3, 2, noBatch}, smooth: 0.08, noise: 0.02,
}

// powerFamily sums static and clock power, and energy per minibatch times minibatches per second. Centres in watts:
// static 10, memory 2, GPU clock 4, CPU cores 2, CPU clock 1; work: fixed 10, GPU 5, CPU 3, memory 2.
var powerFamily = family{
	terms:  powerTerms,
	centre: logs(10, 2, 4, 2, 1, 10, 5, 3, 2),
	ownSD:  0.7, levelSD: 1, p0: 1,
	octaves: point{1.5, 1.5, 2.5, 2, noBatch}, smooth: 0.04, noise: 0.015,
}

// noBatch is the lengthscale of an input that is always 0.
const noBatch = 1

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
func (f *family) amplitudes() int { return len(f.centre) }

func (f *family) params() int {
	if f.lnPSD > 0 {
		return len(f.centre) + 1
	}
	return len(f.centre)
}

// start returns the prior mean of theta = (a_1 … a_K, ln p).
func (f *family) start() []float64 {
	if f.prior != nil {
		return append([]float64(nil), f.prior.Mean...)
	}
	return append(append([]float64(nil), f.centre...), math.Log(f.p0))
}

// priorPrecision returns S⁻¹ over the fitted parameters, row-major, and ln|S|. The amplitudes' block is σ²I + s²11ᵀ,
// inverted by the Sherman–Morrison formula.
func (f *family) priorPrecision() (inv []float64, lnDet float64) {
	k, p := f.amplitudes(), f.params()
	if f.prior != nil {
		return f.prior.precision(k)
	}
	inv = make([]float64, p*p)
	v, s := f.ownSD*f.ownSD, f.levelSD*f.levelSD
	common := s / (v * (v + float64(k)*s))
	for i := range k {
		for j := range k {
			inv[i*p+j] = -common
		}
		inv[i*p+i] += 1 / v
	}
	lnDet = float64(k-1)*math.Log(v) + math.Log(v+float64(k)*s)
	if p > k {
		inv[k*p+k] = 1 / (f.lnPSD * f.lnPSD)
		lnDet += 2 * math.Log(f.lnPSD)
	}
	return inv, lnDet
}

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

// matern returns the Matérn 5/2 correlation at squared scaled distance r2.
func matern(r2 float64) float64 { return simd.Correlation(r2) }

// scaled divides a point by the family's lengthscales.
func (f *family) scaled(x point) point {
	for k := range x {
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

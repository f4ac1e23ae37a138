package learn

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"jtune/learn/internal/simd"
)

// leastVariance keeps rounding from giving a zero or negative variance.
const leastVariance = 1e-10

// inputs are where a curve is evaluated: points, their log terms, and the reference's
// residual there (nil without a reference).
type inputs struct {
	x     []point
	terms func(i int, l []float64)
	r     []float64
}

// residual is the reference's at mode i, 0 for a curve without a reference.
func (c *curve) residual(at inputs, i int) float64 {
	if c.r == nil {
		return 0
	}
	return at.r[i]
}

// mean writes the posterior mean of ln y.
func (c *curve) mean(at inputs, out []float64) {
	alpha := slices.Clone(c.beta)
	backward(c.chol, len(c.x), alpha)
	z := c.newWhitened()
	for i := 0; i < len(out); i += simd.Wide {
		c.prior(at, i, len(out), z, nil)
		about := simd.Dot(alpha, z.w)
		for b := range min(simd.Wide, len(out)-i) {
			out[i+b] = z.mean[b] + about[b]
		}
	}
}

// whitened is simd.Wide modes in the coordinates in which posterior covariance is
// prior covariance − wᵀw + gᵀg. Both hold the modes side by side.
type whitened struct {
	mean simd.Lanes
	w    []simd.Lanes // n: L⁻¹ k*
	g    []simd.Lanes // params: A's factor⁻¹ (J*ᵀ − Jᵀ C⁻¹ k*)
	at   simd.Points  // scaled
	r    simd.Lanes   // the reference's residual
	means
}

func (c *curve) newWhitened() *whitened {
	p := c.family.params()
	return &whitened{
		w:     make([]simd.Lanes, len(c.x)),
		g:     make([]simd.Lanes, p),
		means: newMeans(c.family),
	}
}

// prior fills z for the modes from, from+1, … with what holds before the samples count: the formula's mean, its
// derivatives by the parameters unless grad is nil, and in z.w the covariances with the samples, without J S Jᵀ.
// Places beyond to repeat the last mode.
func (c *curve) prior(at inputs, from, to int, z *whitened, grad []simd.Lanes) {
	c.family.lanes(at.x, from, to, &z.at)
	for b := range simd.Wide {
		z.r[b] = c.residual(at, min(from+b, to-1))
	}
	z.mean = z.of(c.theta, at, from, to, grad)
	for b, r := range z.r {
		z.mean[b] += c.carries.Mean * r
	}
	simd.Matern(z.w, c.x, &z.at, c.sf*c.sf)
	for j, r := range c.r {
		r *= square(c.carries.SD)
		for b, v := range z.r {
			z.w[j][b] += r * v
		}
	}
}

// whiten fills z for the modes from, from+1, …; places beyond to repeat the last
// mode.
func (c *curve) whiten(at inputs, from, to int, z *whitened) {
	n, p := len(c.x), c.family.params()
	c.prior(at, from, to, z, z.g)
	forwardWide(c.chol, n, z.w)
	about := simd.Dot(c.beta, z.w)
	for b, v := range about {
		z.mean[b] += v
	}
	for a := range p {
		explained := simd.Dot(c.jw[a*n:(a+1)*n], z.w)
		for b, v := range explained {
			z.g[a][b] -= v
		}
	}
	forwardWide(c.cholA, p, z.g)
}

// forwardWide is forward for simd.Wide right-hand sides.
func forwardWide(l []float64, n int, b []simd.Lanes) {
	for i := range n {
		known := simd.Dot(l[i*n:i*n+i], b[:i])
		d := 1 / l[i*n+i]
		for k, v := range known {
			b[i][k] = (b[i][k] - v) * d
		}
	}
}

// posterior writes mean and variance of ln y at modes from ≤ i < to into
// slices of that length.
func (c *curve) posterior(at inputs, from, to int, mean, variance []float64) {
	z := c.newWhitened()
	for i := from; i < to; i += simd.Wide {
		c.whiten(at, i, to, z)
		var v simd.Lanes
		for b, r := range z.r {
			v[b] = c.sf*c.sf + square(c.carries.SD*r)
		}
		for j := range z.w {
			for b, w := range z.w[j] {
				v[b] -= w * w
			}
		}
		for a := range z.g {
			for b, g := range z.g[a] {
				v[b] += g * g
			}
		}
		for b := range min(simd.Wide, to-i) {
			mean[i-from+b], variance[i-from+b] = z.mean[b], max(v[b], leastVariance)
		}
	}
}

// vectors returns, per mode, its mean and its whitened coordinates in one row.
func (c *curve) vectors(at inputs) (mean []float64, w, g [][]float64) {
	z := c.newWhitened()
	count := len(at.x)
	mean, w, g = make([]float64, count), make([][]float64, count), make([][]float64, count)
	for i := 0; i < count; i += simd.Wide {
		c.whiten(at, i, count, z)
		for b := range min(simd.Wide, count-i) {
			mean[i+b] = z.mean[b]
			w[i+b], g[i+b] = strided(z.w, b), strided(z.g, b)
		}
	}
	return mean, w, g
}

func strided(v []simd.Lanes, b int) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = v[i][b]
	}
	return out
}

// mixture is curves weighted by their evidence: without a reference, with it, and with a board's prior made wider.
type mixture struct {
	curves  []*curve
	weights []float64
}

// formulas writes the mean function's part of ln y at modes from ≤ i < to into a slice of that length.
func (m mixture) formulas(at inputs, from, to int, out []float64) {
	clear(out)
	z := newMeans(m.dominant().family)
	for i := from; i < to; i += simd.Wide {
		for k, c := range m.curves {
			for b, v := range z.of(c.theta, at, i, to, nil) {
				if i+b < to {
					out[i-from+b] += m.weights[k] * v
				}
			}
		}
	}
}

func (m mixture) noise() float64 {
	v := 0.0
	for i, c := range m.curves {
		v += m.weights[i] * c.sn * c.sn
	}
	return math.Sqrt(v)
}

// mean writes the posterior mean of ln y.
func (m mixture) mean(at inputs, out []float64) {
	m.curves[0].mean(at, out)
	if len(m.curves) == 1 {
		return
	}
	for i := range out {
		out[i] *= m.weights[0]
	}
	one := make([]float64, len(out))
	for k, c := range m.curves[1:] {
		c.mean(at, one)
		for i, v := range one {
			out[i] += m.weights[k+1] * v
		}
	}
}

// posterior writes mean and standard deviation at modes from ≤ i < to into
// slices of that length.
func (m mixture) posterior(at inputs, from, to int, mean, sd []float64) {
	m.curves[0].posterior(at, from, to, mean, sd)
	if len(m.curves) > 1 {
		mean2, var2 := make([]float64, len(mean)), make([]float64, len(mean))
		so := m.weights[0] // of the weights
		for k, c := range m.curves[1:] {
			c.posterior(at, from, to, mean2, var2)
			a, b := so/(so+m.weights[k+1]), m.weights[k+1]/(so+m.weights[k+1])
			for i := range mean {
				sd[i] = a*sd[i] + b*var2[i] + a*b*square(mean[i]-mean2[i])
				mean[i] = a*mean[i] + b*mean2[i]
			}
			so += m.weights[k+1]
		}
	}
	for i, v := range sd {
		sd[i] = math.Sqrt(v)
	}
}

// covariance is the posterior one between the modes of a and those of b.
func (m mixture) covariance(a, b inputs) *mat.Dense {
	if len(a.x) == 0 || len(b.x) == 0 {
		return &mat.Dense{}
	}
	out := mat.NewDense(len(a.x), len(b.x), nil)
	var meanA, meanB [][]float64
	for i, c := range m.curves {
		ma, wa, ga := c.vectors(a)
		mb, wb, gb := c.vectors(b)
		meanA, meanB = append(meanA, ma), append(meanB, mb)
		for r := range a.x {
			xr := c.family.scaled(a.x[r])
			row := out.RawRowView(r)
			for s := range b.x {
				xs := c.family.scaled(b.x[s])
				k := c.sf*c.sf*matern(distance2(&xr, &xs)) + square(c.carries.SD)*c.residual(a, r)*c.residual(b, s)
				row[s] += m.weights[i] * (k - dot(wa[r], wb[s]) + dot(ga[r], gb[s]))
			}
		}
	}
	for i := range m.curves {
		for j := range i {
			for r := range a.x {
				for s := range b.x {
					apart := (meanA[j][r] - meanA[i][r]) * (meanB[j][s] - meanB[i][s])
					out.Set(r, s, out.At(r, s)+m.weights[j]*m.weights[i]*apart)
				}
			}
		}
	}
	return out
}

package learn

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// leastVariance keeps rounding from giving a zero or negative variance.
const leastVariance = 1e-10

// wide is how many modes are solved for at once: enough to keep the
// processor's pipelines full without assembly.
const wide = 4

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
	n := len(c.x)
	alpha := append([]float64(nil), c.beta...)
	backward(c.chol, n, alpha)
	l := make([]float64, c.family.amplitudes())
	for i := range out {
		at.terms(i, l)
		r, x := c.residual(at, i), c.family.scaled(at.x[i])
		out[i] = powerMean(c.theta, l, nil) + c.carries.Mean*r
		for j := range n {
			out[i] += c.covariance(j, &x, r) * alpha[j]
		}
	}
}

// covariance is the prior one between sample j and a mode, without J S Jᵀ.
func (c *curve) covariance(j int, scaled *point, r float64) float64 {
	k := c.sf * c.sf * matern(distance2(&c.x[j], scaled))
	if c.r != nil {
		k += c.carries.SD * c.carries.SD * c.r[j] * r
	}
	return k
}

// whitened is `wide` modes in the coordinates in which posterior covariance is
// prior covariance − wᵀw + gᵀg. Both hold the modes side by side.
type whitened struct {
	mean [wide]float64
	w    [][wide]float64 // n: L⁻¹ k*
	g    [][wide]float64 // params: A's factor⁻¹ (J*ᵀ − Jᵀ C⁻¹ k*)
	grad []float64
	l    []float64
}

func (c *curve) newWhitened() *whitened {
	p := c.family.params()
	return &whitened{
		w:    make([][wide]float64, len(c.x)),
		g:    make([][wide]float64, p),
		grad: make([]float64, p),
		l:    make([]float64, c.family.amplitudes()),
	}
}

// whiten fills z for the modes from, from+1, …; places beyond to repeat the last
// mode.
func (c *curve) whiten(at inputs, from, to int, z *whitened) {
	n, p := len(c.x), c.family.params()
	for b := range wide {
		i := min(from+b, to-1)
		r, x := c.residual(at, i), c.family.scaled(at.x[i])
		at.terms(i, z.l)
		z.mean[b] = powerMean(c.theta, z.l, z.grad) + c.carries.Mean*r
		for a, v := range z.grad {
			z.g[a][b] = v
		}
		for j := range n {
			z.w[j][b] = c.covariance(j, &x, r)
		}
	}
	forward4(c.chol, n, z.w)
	about := dot4(c.beta, z.w)
	for b := range wide {
		z.mean[b] += about[b]
	}
	for a := range p {
		explained := dot4(c.jw[a*n:(a+1)*n], z.w)
		for b := range wide {
			z.g[a][b] -= explained[b]
		}
	}
	forward4(c.cholA, p, z.g)
}

// forward4 is forward for `wide` right-hand sides, in registers.
func forward4(l []float64, n int, b [][wide]float64) {
	for i := range n {
		row, before := l[i*n:i*n+i], b[:i]
		s0, s1, s2, s3 := b[i][0], b[i][1], b[i][2], b[i][3]
		for j, v := range row {
			bj := &before[j]
			s0 -= v * bj[0]
			s1 -= v * bj[1]
			s2 -= v * bj[2]
			s3 -= v * bj[3]
		}
		d := 1 / l[i*n+i]
		b[i] = [wide]float64{s0 * d, s1 * d, s2 * d, s3 * d}
	}
}

// dot4 is a's product with `wide` vectors that lie side by side in b.
func dot4(a []float64, b [][wide]float64) [wide]float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	for j, v := range a {
		bj := &b[j]
		s0 += v * bj[0]
		s1 += v * bj[1]
		s2 += v * bj[2]
		s3 += v * bj[3]
	}
	return [wide]float64{s0, s1, s2, s3}
}

// posterior writes mean and variance of ln y at modes from ≤ i < to into
// slices of that length.
func (c *curve) posterior(at inputs, from, to int, mean, variance []float64) {
	z := c.newWhitened()
	for i := from; i < to; i += wide {
		c.whiten(at, i, to, z)
		for b := range min(wide, to-i) {
			v := c.sf*c.sf + square(c.carries.SD*c.residual(at, i+b))
			for j := range z.w {
				v -= square(z.w[j][b])
			}
			for a := range z.g {
				v += square(z.g[a][b])
			}
			mean[i-from+b], variance[i-from+b] = z.mean[b], max(v, leastVariance)
		}
	}
}

// vectors returns, per mode, its mean and its whitened coordinates in one row.
func (c *curve) vectors(at inputs) (mean []float64, w, g [][]float64) {
	z := c.newWhitened()
	count := len(at.x)
	mean, w, g = make([]float64, count), make([][]float64, count), make([][]float64, count)
	for i := 0; i < count; i += wide {
		c.whiten(at, i, count, z)
		for b := range min(wide, count-i) {
			mean[i+b] = z.mean[b]
			w[i+b], g[i+b] = strided(z.w, b), strided(z.g, b)
		}
	}
	return mean, w, g
}

func strided(v [][wide]float64, b int) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = v[i][b]
	}
	return out
}

// mixture is one curve, or two (with and without the reference) weighted by
// their evidence.
type mixture struct {
	curves  []*curve
	weights []float64
}

// formula is the mean function's part of ln y at mode i; l is room for its log terms.
func (m mixture) formula(at inputs, i int, l []float64) float64 {
	at.terms(i, l)
	v := 0.0
	for k, c := range m.curves {
		v += m.weights[k] * powerMean(c.theta, l, nil)
	}
	return v
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
	if len(m.curves) == 2 {
		with := make([]float64, len(out))
		m.curves[1].mean(at, with)
		for i, v := range with {
			out[i] = m.weights[0]*out[i] + m.weights[1]*v
		}
	}
}

// posterior writes mean and standard deviation at modes from ≤ i < to into
// slices of that length.
func (m mixture) posterior(at inputs, from, to int, mean, sd []float64) {
	m.curves[0].posterior(at, from, to, mean, sd)
	if len(m.curves) == 2 {
		mean2, var2 := make([]float64, len(mean)), make([]float64, len(mean))
		m.curves[1].posterior(at, from, to, mean2, var2)
		a, b := m.weights[0], m.weights[1]
		for i := range mean {
			sd[i] = a*sd[i] + b*var2[i] + a*b*square(mean[i]-mean2[i])
			mean[i] = a*mean[i] + b*mean2[i]
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
	if len(m.curves) == 2 {
		for r := range a.x {
			for s := range b.x {
				apart := (meanA[0][r] - meanA[1][r]) * (meanB[0][s] - meanB[1][s])
				out.Set(r, s, out.At(r, s)+m.weights[0]*m.weights[1]*apart)
			}
		}
	}
	return out
}

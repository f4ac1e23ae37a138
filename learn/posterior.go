package learn

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"jtune/learn/internal/simd"
)

// leastVariance prevents a zero or negative variance from rounding.
const leastVariance = 1e-10

// inputs are the points at which a curve is evaluated, their log terms, and the reference's residual there (nil without
// a reference).
type inputs struct {
	x     []point
	terms func(i int, l []float64)
	r     []float64
}

// residual returns the reference's residual at mode i; 0 for a curve without a reference.
func (c *curve) residual(at inputs, i int) float64 {
	if c.r == nil {
		return 0
	}
	return at.r[i]
}

// block holds simd.Wide modes as shared by all curves of a mixture, whose families differ only in their priors and
// whose kernels differ only by a factor.
type block struct {
	means             // log terms of the mean functions
	at    simd.Points // scaled
	r     simd.Lanes  // the reference's residual
	z     []*whitened // one per curve
}

func (m mixture) newBlock() *block {
	k := &block{means: newMeans(m.curves[0].family)}
	for _, c := range m.curves {
		k.z = append(k.z, c.newWhitened())
	}
	return k
}

// fill takes the modes from, from+1, …; lanes from to onwards repeat the last mode.
func (m mixture) fill(k *block, at inputs, from, to int) {
	first := m.curves[0]
	first.family.lanes(at.x, from, to, &k.at)
	if at.r != nil {
		for b := range simd.Wide {
			k.r[b] = at.r[min(from+b, to-1)]
		}
	}
	k.logsAt(at, from, to)
	own := k.z[0].w
	simd.Matern(own, first.x, &k.at, square(first.sf))
	for j, c := range m.curves[1:] {
		w, times := k.z[j+1].w, square(c.sf/first.sf)
		for s := range own {
			for b, v := range own[s] {
				w[s][b] = times * v
			}
		}
	}
	if first.family.clock > 0 {
		m.addClocks(k)
	}
}

// addClocks adds the covariances of what GPU clocks add.
func (m mixture) addClocks(k *block) {
	first := m.curves[0]
	for s := range first.x {
		for b, v := range k.at[gpuInput] {
			if v != first.x[s][gpuInput] {
				continue
			}
			for _, z := range k.z {
				z.w[s][b] += square(first.family.clock)
			}
		}
	}
}

// whitened holds a block's modes in coordinates in which a curve's posterior covariance is prior covariance − wᵀw +
// gᵀg. Modes are stored side by side.
type whitened struct {
	mean simd.Lanes
	all  []simd.Lanes // w, then g
	w    []simd.Lanes // n: L⁻¹ k*
	g    []simd.Lanes // params: A's factor⁻¹ (J*ᵀ − Jᵀ C⁻¹ k*)
}

func (c *curve) newWhitened() *whitened {
	n := len(c.x)
	all := make([]simd.Lanes, n+c.family.params())
	return &whitened{all: all, w: all[:n], g: all[n:]}
}

// prior completes z, which holds the kernel's covariances with the samples: it adds the formula's mean, its derivatives
// by the parameters (to grad, unless nil), and the residual's covariances, without J S Jᵀ.
func (c *curve) prior(k *block, z *whitened, grad []simd.Lanes) {
	z.mean = k.of(c.theta, k.logs, grad)
	if c.r == nil {
		return
	}
	for b, r := range k.r {
		z.mean[b] += refShare.Mean * r
	}
	for j, r := range c.r {
		r *= square(refShare.SD)
		for b, v := range k.r {
			z.w[j][b] += r * v
		}
	}
}

// whiten completes z, which holds the kernel's covariances with the samples. It returns the sums of the squares of w
// and of g.
func (c *curve) whiten(k *block, z *whitened) (known, formula simd.Lanes) {
	n, all := len(c.x), len(z.all)
	c.prior(k, z, z.g)
	known = simd.Solve(c.whitener, all, 0, n, z.all)
	about := simd.Dot(c.beta, z.w)
	for b, v := range about {
		z.mean[b] += v
	}
	return known, simd.Solve(c.whitener, all, n, all, z.all)
}

// posterior returns the mean, in z, and the variance of ln y at a block's modes.
func (c *curve) posterior(k *block, z *whitened) (variance simd.Lanes) {
	known, formula := c.whiten(k, z)
	own, share := square(c.sf)+square(c.family.clock), 0.0
	if c.r != nil {
		share = refShare.SD
	}
	for b, r := range k.r {
		variance[b] = max(own+square(share*r)-known[b]+formula[b], leastVariance)
	}
	return variance
}

// vectors returns, per mode, the mean of each curve and its whitened coordinates in one row.
func (m mixture) vectors(at inputs) (mean [][]float64, w, g [][][]float64) {
	count, k, n := len(at.x), m.newBlock(), len(m.curves)
	mean, w, g = make([][]float64, n), make([][][]float64, n), make([][][]float64, n)
	for i := 0; i < count; i += simd.Wide {
		m.fill(k, at, i, count)
		for j, c := range m.curves {
			z := k.z[j]
			c.whiten(k, z)
			for b := range min(simd.Wide, count-i) {
				mean[j] = append(mean[j], z.mean[b])
				w[j], g[j] = append(w[j], strided(z.w, b)), append(g[j], strided(z.g, b))
			}
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

// mixture is a set of curves weighted by evidence, without a reference and with it.
type mixture struct {
	curves  []*curve
	weights []float64
}

// formulas writes the mean function's part of ln y at modes from ≤ i < to into out, which has that length.
func (m mixture) formulas(at inputs, from, to int, out []float64) {
	clear(out)
	z := newMeans(m.dominant().family)
	for i := from; i < to; i += simd.Wide {
		logs := z.logsAt(at, i, to)
		for k, c := range m.curves {
			for b, v := range z.of(c.theta, logs, nil) {
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
	k, alpha := m.newBlock(), make([][]float64, len(m.curves))
	for j, c := range m.curves {
		alpha[j] = slices.Clone(c.beta)
		backward(c.chol, len(c.x), alpha[j])
	}
	for i := 0; i < len(out); i += simd.Wide {
		m.fill(k, at, i, len(out))
		var mean simd.Lanes
		for j, c := range m.curves {
			c.prior(k, k.z[j], nil)
			for b, about := range simd.Dot(alpha[j], k.z[j].w) {
				mean[b] += m.weights[j] * (k.z[j].mean[b] + about)
			}
		}
		copy(out[i:], mean[:])
	}
}

// posterior writes mean and standard deviation at modes from ≤ i < to into slices of that length.
func (m mixture) posterior(at inputs, from, to int, mean, sd []float64) {
	k := m.newBlock()
	for i := from; i < to; i += simd.Wide {
		m.fill(k, at, i, to)
		var mu, v simd.Lanes
		so := 0.0 // sum of the weights
		for j, c := range m.curves {
			variance := c.posterior(k, k.z[j])
			so += m.weights[j]
			b := m.weights[j] / so
			a := 1 - b
			for l, mean := range k.z[j].mean {
				v[l] = a*v[l] + b*variance[l] + a*b*square(mu[l]-mean)
				mu[l] = a*mu[l] + b*mean
			}
		}
		for l := range min(simd.Wide, to-i) {
			mean[i-from+l], sd[i-from+l] = mu[l], math.Sqrt(v[l])
		}
	}
}

// covariance returns the posterior covariance between the modes of a and those of b.
func (m mixture) covariance(a, b inputs) *mat.Dense {
	if len(a.x) == 0 || len(b.x) == 0 {
		return &mat.Dense{}
	}
	out := mat.NewDense(len(a.x), len(b.x), nil)
	meanA, wa, ga := m.vectors(a)
	meanB, wb, gb := m.vectors(b)
	for i, c := range m.curves {
		for r := range a.x {
			xr := c.family.scaled(a.x[r])
			row := out.RawRowView(r)
			for s := range b.x {
				xs := c.family.scaled(b.x[s])
				k := c.sf*c.sf*matern(distance2(&xr, &xs)) + c.family.ofClock(&xr, &xs) +
					square(refShare.SD)*c.residual(a, r)*c.residual(b, s)
				row[s] += m.weights[i] * (k - dot(wa[i][r], wb[i][s]) + dot(ga[i][r], gb[i][s]))
			}
		}
	}
	for i := range m.curves {
		for j := range i {
			for r := range a.x {
				for s := range b.x {
					product := (meanA[j][r] - meanA[i][r]) * (meanB[j][s] - meanB[i][s])
					out.Set(r, s, out.At(r, s)+m.weights[j]*m.weights[i]*product)
				}
			}
		}
	}
	return out
}

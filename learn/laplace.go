package learn

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sync"

	"jtune/internal/sorted"
	"jtune/learn/internal/parallel"
	"jtune/learn/internal/simd"
)

// The fit of one target (docs/method.md, Gaussian process and Outliers): Gauss–Newton finds the posterior mode of theta
// with the Gaussian process marginalised. Laplace's evidence chooses among nine to twenty (smooth, noise) pairs.
// Leave-one-out residuals down-weight outliers; samples that the final fit no longer flags get their weight back.
// C = sf² K + sn² diag(v) is factored once, and the few parameters are added by Woodbury's formula, so a fit costs one
// n³/3 factorisation per pair and n²·(K+1) per Gauss–Newton round. Deterministic.

const (
	gaussNewtonRounds = 12
	outlierZ2         = 12.0 // squared standardised residual that makes an outlier
	outlierShare      = 3.0  // an outlier's noise variance is raised by z²/outlierShare
	mostDownWeight    = 1e4
	gridSmoothSD      = 0.7 // prior of ln sf about its centre, for the choice
	unlikeSmoothSD    = 1.4 // likewise for workloads of another physics, which the formula may miss by far
	gridNoiseSD       = 0.5
	heavyNoiseSD      = 1.0 // likewise of ln sn if the noise has a heavy tail
	heavyZ2           = 4.0 // outlierZ2 of readings far too large, if those are common
)

// data is the input of one target's fit.
type data struct {
	x []point   // octaves
	l []float64 // n × terms, row-major
	y []float64 // ln of the measurement
	r []float64 // reference residual at each x; nil without a reference
	// wide are standard deviations of y in addition to the noise; nil: none.
	wide []float64
	// earlier marks the first samples that share one unknown offset; nil: none.
	earlier []bool
}

// curve is a fitted target.
type curve struct {
	family  *family
	theta   []float64
	sf, sn  float64
	score   float64   // −ln evidence with the penalty of the hyper-parameters
	v       []float64 // noise variance factors; > 1 if down-weighted
	suspect []bool    // down-weighted and an outlier by the final fit; nil: none
	x       []point   // scaled by the lengthscales
	r       []float64
	chol    []float64 // L of C = L Lᵀ, n × n row-major
	beta    []float64 // L⁻¹ (y − M)
	jw      []float64 // (L⁻¹ J)ᵀ, params × n
	cholA   []float64 // of A = S⁻¹ + Jᵀ C⁻¹ J, params × params
	target  []float64 // L⁻¹ỹ
	origin  int       // which of the fits of a mix it is one of
	// whitener is chol above jw beside cholA, (n + params) × (n + params): it solves for both parts of whitened.
	whitener  []float64
	bandScale func() float64 // see bandScaleOf; computed once
}

var errNotPositive = errors.New("the samples' covariance is not positive definite")

// fits returns a fit for every pair of hyper-parameters, by falling evidence; one without Grid.
func (f *family) fits(d data, o SurrogateOptions) ([]*curve, error) {
	s := newSolver(f, d)
	steps, noiseSteps, smoothSD, noiseSD := []float64{0}, []float64{0}, gridSmoothSD, gridNoiseSD
	if o.Grid {
		steps, noiseSteps = []float64{-1, 0, 1}, []float64{-1, 0, 1}
	}
	if o.Grid && o.Unlike {
		steps, smoothSD = append(steps, 2), unlikeSmoothSD
	}
	if o.Grid && f.heavy {
		noiseSteps, noiseSD = []float64{-1, 0, 1, 2, 3}, heavyNoiseSD
	}
	best := func(v, theta []float64) ([]*curve, error) {
		fits := make([]*curve, len(steps)*len(noiseSteps))
		err := parallel.Each(len(fits), func(k int) error {
			i, j := steps[k/len(noiseSteps)], noiseSteps[k%len(noiseSteps)]
			c, err := s.laplace(f.smooth*math.Exp2(i), f.noise*math.Exp2(j), v, theta)
			if err != nil {
				return err
			}
			c.score += square(i*math.Ln2/smoothSD)/2 + square(j*math.Ln2/noiseSD)/2
			fits[k] = c
			return nil
		})
		if err != nil {
			return nil, err
		}
		sorted.By(fits, func(a, b *curve) int { return cmp.Compare(a.score, b.score) })
		return fits, nil
	}
	fits, err := best(slices.Repeat([]float64{1}, len(d.y)), s.firstTheta())
	for round := 0; err == nil && round < o.Robust; round++ {
		v, found := s.downWeight(fits[0])
		if !found {
			break
		}
		fits, err = best(v, fits[0].theta)
	}
	if err != nil {
		return nil, err
	}
	suspect := s.suspects(fits[0])
	if v, found := restoreWeights(fits[0], suspect); found {
		if fits, err = best(v, fits[0].theta); err != nil {
			return nil, err
		}
		suspect = s.suspects(fits[0])
	}
	for _, c := range fits {
		c.suspect = suspect
		c.bandScale = sync.OnceValue(c.bandScaleOf)
	}
	return fits, nil
}

// joined returns the curve's whitener.
func (c *curve) joined() []float64 {
	n, p := len(c.x), c.family.params()
	all := n + p
	out := make([]float64, all*all)
	for i := range n {
		copy(out[i*all:], c.chol[i*n:i*n+i+1])
	}
	for a := range p {
		row := out[(n+a)*all:]
		copy(row, c.jw[a*n:(a+1)*n])
		copy(row[n:], c.cholA[a*p:a*p+a+1])
	}
	return out
}

// restoreWeights restores the weight of samples that the final fit no longer flags as outliers; false if there are
// none.
func restoreWeights(c *curve, suspect []bool) (v []float64, found bool) {
	v = slices.Clone(c.v)
	for i := range v {
		if v[i] > 1 && !suspect[i] {
			v[i], found = 1, true
		}
	}
	return v, found
}

func square(x float64) float64 { return x * x }

// solver holds the parts that all factorisations of one fit share.
type solver struct {
	f       *family
	d       data
	n, p    int
	terms   [][]simd.Lanes // of the formula, of simd.Wide samples each
	scaled  []point
	kernel  []float64 // correlation matrix, n × n, lower triangle
	clocks  []float64 // likewise the covariances of what GPU clocks add
	prior   []float64
	prec    []float64 // S⁻¹
	lnDetS  float64
	offsetY []float64 // y minus the expected share of the reference's residual
}

func newSolver(f *family, d data) *solver {
	s := &solver{f: f, d: d, n: len(d.y), p: f.params(), prior: f.prior.Mean}
	at := inputs{terms: func(i int, l []float64) { copy(l, d.l[i*len(l):]) }}
	for i := 0; i < s.n; i += simd.Wide {
		m := newMeans(f)
		s.terms = append(s.terms, m.logsAt(at, i, s.n))
	}
	s.prec, s.lnDetS = f.prior.precision(f.amplitudes())
	s.scaled = make([]point, s.n)
	s.offsetY = slices.Clone(d.y)
	for i, x := range d.x {
		s.scaled[i] = f.scaled(x)
		if d.r != nil {
			s.offsetY[i] -= refShare.Mean * d.r[i]
		}
	}
	s.kernel, s.clocks = make([]float64, s.n*s.n), make([]float64, s.n*s.n)
	for i := range s.n {
		for j := range i + 1 {
			s.kernel[i*s.n+j] = matern(distance2(&s.scaled[i], &s.scaled[j]))
			s.clocks[i*s.n+j] = f.ofClock(&s.scaled[i], &s.scaled[j])
		}
	}
	return s
}

// firstTheta returns the prior mean with all amplitudes shifted to the level of the data.
func (s *solver) firstTheta() []float64 {
	theta := slices.Clone(s.prior)
	if s.n == 0 {
		return theta
	}
	res := make([]float64, s.n)
	s.descent(nil).residual(theta, res)
	shift := 0.0
	for _, v := range res {
		shift += v
	}
	for k := range s.f.amplitudes() {
		theta[k] += shift / float64(s.n)
	}
	return theta
}

// descent searches theta's posterior mode for one factor of C; its buffers are overwritten at every step.
type descent struct {
	*solver
	means
	chol  []float64    // L of C
	grad  []simd.Lanes // derivatives of M
	w     []simd.Lanes // n: L⁻¹J and, in place p, L⁻¹ỹ; ỹ = y − M + J(θ − θ0)
	jw    []float64    // (L⁻¹J)ᵀ, p × n
	cholA []float64    // of A = S⁻¹ + Jᵀ C⁻¹ J
	b     []float64    // Jᵀ C⁻¹ ỹ
}

func (s *solver) descent(chol []float64) *descent {
	return &descent{
		solver: s,
		means:  newMeans(s.f),
		chol:   chol,
		grad:   make([]simd.Lanes, s.p),
		w:      make([]simd.Lanes, s.n),
		jw:     make([]float64, s.p*s.n),
		cholA:  make([]float64, s.p*s.p),
		b:      make([]float64, s.p),
	}
}

// residual writes y − M(theta) into res.
func (d *descent) residual(theta, res []float64) {
	for i := 0; i < d.n; i += simd.Wide {
		mean := d.of(theta, d.terms[i/simd.Wide], nil)
		for b := range min(simd.Wide, d.n-i) {
			res[i+b] = d.offsetY[i+b] - mean[b]
		}
	}
}

// objective returns the negative log posterior of theta, up to a constant, and leaves L⁻¹ (y − M) in res.
func (d *descent) objective(theta, res []float64) float64 {
	d.residual(theta, res)
	forward(d.chol, d.n, res, 1)
	off := d.fromPrior(theta)
	o := dot(res, res)
	for i := range d.p {
		o += off[i] * dot(d.prec[i*d.p:(i+1)*d.p], off)
	}
	return o / 2
}

func (s *solver) fromPrior(theta []float64) []float64 {
	d := make([]float64, s.p)
	for i := range d {
		d[i] = theta[i] - s.prior[i]
	}
	return d
}

// linearise linearises the model at theta: it sets w, jw, cholA and b.
func (d *descent) linearise(theta []float64) error {
	n, p, off := d.n, d.p, d.fromPrior(theta)
	for i := 0; i < n; i += simd.Wide {
		mean := d.of(theta, d.terms[i/simd.Wide], d.grad)
		along := simd.Dot(off, d.grad)
		for k := range min(simd.Wide, n-i) {
			row := &d.w[i+k]
			for a := range p {
				row[a] = d.grad[a][k]
			}
			row[p] = d.offsetY[i+k] - mean[k] + along[k]
		}
	}
	simd.Solve(d.chol, n, 0, n, d.w)
	for i := range d.w {
		for a, v := range d.w[i][:p] {
			d.jw[a*n+i] = v
		}
	}
	copy(d.cholA, d.prec)
	for a := range p {
		row := simd.Dot(d.jw[a*n:(a+1)*n], d.w)
		for b := range a + 1 {
			d.cholA[a*p+b] += row[b]
		}
		d.b[a] = row[p]
	}
	if !cholesky(d.cholA, p) {
		return errNotPositive
	}
	return nil
}

// laplace returns theta's posterior mode for one pair of hyper-parameters, with the evidence.
func (s *solver) laplace(sf, sn float64, v, theta []float64) (*curve, error) {
	chol, err := s.factor(sf, sn, v)
	if err != nil {
		return nil, err
	}
	d := s.descent(chol)
	res, trial := make([]float64, s.n), make([]float64, s.n)
	at := d.objective(theta, res)
	for range gaussNewtonRounds {
		if err := d.linearise(theta); err != nil {
			return nil, err
		}
		step := slices.Clone(d.b) // θ − θ0 of the full step
		forward(d.cholA, s.p, step, 1)
		backward(d.cholA, s.p, step)
		next, value, ok := d.lineSearch(theta, step, at, trial)
		if !ok {
			break
		}
		theta, res, trial = next, trial, res
		fell := at - value
		at = value
		if fell < 1e-4 {
			break
		}
	}
	return d.curve(theta, res, sf, sn, v)
}

// curve returns the curve at theta, where res is L⁻¹ (y − M).
func (d *descent) curve(theta, res []float64, sf, sn float64, v []float64) (*curve, error) {
	if err := d.linearise(theta); err != nil {
		return nil, err
	}
	explained, target := slices.Clone(d.b), make([]float64, d.n)
	forward(d.cholA, d.p, explained, 1)
	for i := range d.w {
		target[i] = d.w[i][d.p]
	}
	misfit := dot(target, target) - dot(explained, explained) // ỹᵀ V⁻¹ ỹ
	score := misfit/2 + d.lnDetS/2 + lnDiagonal(d.chol, d.n) + lnDiagonal(d.cholA, d.p)
	if math.IsNaN(score) || math.IsInf(score, 0) {
		return nil, errNotPositive
	}
	return &curve{
		family: d.f,
		theta:  theta,
		sf:     sf,
		sn:     sn,
		score:  score,
		v:      v,
		x:      d.scaled,
		r:      d.d.r,
		chol:   d.chol,
		beta:   res,
		jw:     d.jw,
		cholA:  d.cholA,
		target: target,
	}, nil
}

// lineSearch halves the step from theta to prior + step until the objective does not rise. It leaves L⁻¹ (y − M) of the
// result in res.
func (d *descent) lineSearch(theta, step []float64, at float64, res []float64) ([]float64, float64, bool) {
	next := slices.Clone(theta)
	for share := 1.0; share > 1e-3; share /= 2 {
		for i := range d.p {
			next[i] = theta[i] + share*(d.prior[i]+step[i]-theta[i])
		}
		if value := d.objective(next, res); value < at+1e-9 {
			return next, value, true
		}
	}
	return nil, 0, false
}

// OffsetSD is the standard deviation of the offset of readings of another day, in ln time and in ln power.
const OffsetSD = 0.03

// factor returns L of C = sf² K + clock² Q + sn² diag(v) + diag(wide²) + refShare.SD² r rᵀ + OffsetSD² e eᵀ, where Q
// is 1 for two samples of one GPU clock and e marks earlier samples.
func (s *solver) factor(sf, sn float64, v []float64) ([]float64, error) {
	n := s.n
	c := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			c[i*n+j] = sf*sf*s.kernel[i*n+j] + s.clocks[i*n+j]
			if s.d.r != nil {
				c[i*n+j] += refShare.SD * refShare.SD * s.d.r[i] * s.d.r[j]
			}
			if i < len(s.d.earlier) && s.d.earlier[i] && s.d.earlier[j] {
				c[i*n+j] += OffsetSD * OffsetSD
			}
		}
		c[i*n+i] += sn * sn * v[i]
		if s.d.wide != nil {
			c[i*n+i] += square(s.d.wide[i])
		}
	}
	if !cholesky(c, n) {
		return nil, errNotPositive
	}
	return c, nil
}

// downWeight raises the noise of samples that are outliers by their leave-one-out residual; false if there are none.
func (s *solver) downWeight(c *curve) (v []float64, found bool) {
	v = slices.Clone(c.v)
	c.leftOut(func(i int, residual, variance float64) {
		if z2 := residual * residual / variance; z2 > s.farOut(residual) {
			v[i], found = min(v[i]*z2/outlierShare, mostDownWeight), true
		}
	})
	return v, found
}

// suspects flags the down-weighted samples that the final fit also finds outliers at normal noise: one gross outlier
// makes good samples look bad until it is down-weighted.
func (s *solver) suspects(c *curve) []bool {
	if !slices.ContainsFunc(c.v, func(v float64) bool { return v > 1 }) {
		return nil
	}
	out := make([]bool, s.n)
	c.leftOut(func(i int, residual, variance float64) {
		variance -= c.sn * c.sn * (c.v[i] - 1)
		out[i] = c.v[i] > 1 && residual*residual > s.farOut(residual)*variance
	})
	return out
}

// farOut returns the squared standardised residual from which a sample is an outlier.
func (s *solver) farOut(residual float64) float64 {
	if s.f.heavy && residual > 0 {
		return heavyZ2
	}
	return outlierZ2
}

// leftOut visits each sample with its leave-one-out residual and variance, noise included: (V⁻¹ỹ)_i / (V⁻¹)_ii and 1 /
// (V⁻¹)_ii, V = C + J S Jᵀ.
func (c *curve) leftOut(visit func(i int, residual, variance float64)) {
	n, p := len(c.x), c.family.params()
	step := make([]float64, p) // A⁻¹ Jᵀ C⁻¹ ỹ
	for a := range step {
		step[a] = dot(c.jw[a*n:(a+1)*n], c.target)
	}
	forward(c.cholA, p, step, 1)
	backward(c.cholA, p, step)
	inv := inverseLower(c.chol, n)
	column := make([]float64, p)
	for i := range n {
		clear(column)
		var vy, vii float64
		for k := i; k < n; k++ { // column i of L⁻¹
			t, left := inv[k*n+i], c.target[k]
			for a := range column {
				j := c.jw[a*n+k]
				left -= j * step[a]
				column[a] += t * j
			}
			vy += t * left
			vii += t * t
		}
		forward(c.cholA, p, column, 1)
		vii -= dot(column, column)
		visit(i, vy/vii, 1/vii)
	}
}

// bandScaleOf returns the factor on a curve's bands: that of a variance with leastReadDoF degrees of freedom before the
// readings, each of which adds what it shows when it is left out; 1 if they are too few to judge the formula.
func (c *curve) bandScaleOf() float64 {
	n := len(c.x)
	if n < formulaDoF {
		return 1
	}
	sum := 0.0 // of the squares of the leave-one-out residuals in their standard deviations
	c.leftOut(func(_ int, residual, variance float64) { sum += residual * residual / variance })
	return math.Sqrt((leastReadDoF + sum) / float64(leastReadDoF+n))
}

// Package refit refits constants to a part of the readings that they were fitted to: how well does a fit predict
// readings that it has not seen?
package refit

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Refit fits constants to the figures that are kept. It minimizes the sum of the squared residuals and of each
// constant's squared distance from its expected value, in standard deviations. The steps are Gauss-Newton steps, damped
// if one does not lower the sum (Levenberg, Marquardt); each is judged by a simulation with its constants.
type Refit struct {
	at func(x []float64) ([]float64, error) // residuals with each constant multiplied by exp(x)
	n  int                                  // constants
	// Renew recomputes the slopes after each step. Without it the slopes at the current constants are used, which costs
	// a thirtieth and agrees within a tenth of a tolerance if the fit changes little.
	Renew bool

	r      []float64  // residuals with the current constants
	slopes *mat.Dense // of the residuals, by the logarithms of the constants
	// expected is the logarithm of each constant's expected value relative to the current one. It is chosen so that the
	// current constants are the fit to all figures.
	expected []float64
}

// priorWidth is one standard deviation of the logarithm of a constant around its expected value, before the figures are
// considered.
const priorWidth = 0.35

// nudge is the relative step for derivatives.
const nudge = 1e-4

const (
	priorWeight = 1 / (priorWidth * priorWidth)
	mostSteps   = 20
	leastStep   = 1e-3 // in the logarithm of a constant
	leastGain   = 1e-4 // in the sum of squares
)

// New prepares the fit of n constants. at returns the residuals, in tolerances, with each constant multiplied by
// exp(x).
func New(n int, at func(x []float64) ([]float64, error)) (f Refit, err error) {
	f = Refit{at: at, n: n}
	x := make([]float64, n)
	if f.r, err = at(x); err != nil {
		return f, err
	}
	f.slopes, err = f.slopesAt(x, f.r)
	if err != nil {
		return f, err
	}
	var pull mat.VecDense
	pull.MulVec(f.slopes.T(), mat.NewVecDense(len(f.r), f.r))
	pull.ScaleVec(1/priorWeight, &pull)
	f.expected = pull.RawVector().Data
	return f, nil
}

// Residuals returns the residuals with the current constants.
func (f *Refit) Residuals() []float64 { return f.r }

// slopesAt computes the slopes by moving each constant a little.
func (f *Refit) slopesAt(x, r []float64) (*mat.Dense, error) {
	out := mat.NewDense(len(r), f.n, nil)
	for k := range x {
		own := x[k]
		x[k] += nudge
		moved, err := f.at(x)
		if x[k] = own; err != nil {
			return nil, err
		}
		for i := range r {
			out.Set(i, k, (moved[i]-r[i])/nudge)
		}
	}
	return out, nil
}

// Without returns the residuals of some figures after fitting the constants to all others.
func (f Refit) Without(those []int) ([]float64, error) {
	x, r, slopes := make([]float64, f.n), f.r, mat.DenseCopyOf(f.slopes)
	forget := func(s *mat.Dense) {
		for _, i := range those {
			s.SetRow(i, make([]float64, f.n))
		}
	}
	forget(slopes)
	sum, damp := f.sum(x, r, those), 0.0
	for range mostSteps {
		step, most := f.step(x, r, slopes, damp)
		for k := range step {
			step[k] += x[k]
		}
		tried, err := f.at(step)
		if err != nil {
			return nil, err
		}
		gain := sum - f.sum(step, tried, those)
		if !(gain > 0) {
			if most < leastStep {
				break
			}
			damp = max(10*damp, 0.01)
			continue
		}
		x, r, sum, damp = step, tried, sum-gain, damp/10
		if most < leastStep || gain < leastGain {
			break
		}
		if f.Renew {
			if slopes, err = f.slopesAt(x, r); err != nil {
				return nil, err
			}
			forget(slopes)
		}
	}
	var out []float64
	for _, i := range those {
		out = append(out, r[i])
	}
	return out, nil
}

// sum returns the quantity that a fit without these figures minimizes.
func (f *Refit) sum(x, r []float64, those []int) (sum float64) {
	for _, v := range r {
		sum += v * v
	}
	for _, i := range those {
		sum -= r[i] * r[i]
	}
	for k, v := range x {
		sum += (v - f.expected[k]) * (v - f.expected[k]) * priorWeight
	}
	return sum
}

// step solves the linearized fit; most is the largest component of the step.
func (f *Refit) step(x, r []float64, slopes *mat.Dense, damp float64) (step []float64, most float64) {
	normal, pull := normalOf(slopes), mat.NewVecDense(f.n, nil)
	pull.MulVec(slopes.T(), mat.NewVecDense(len(r), r))
	for k := range f.n {
		normal.Set(k, k, normal.At(k, k)*(1+damp))
		pull.SetVec(k, -pull.AtVec(k)-(x[k]-f.expected[k])*priorWeight)
	}
	var out mat.VecDense
	if err := out.SolveVec(normal, pull); err != nil {
		panic("refit: the prior keeps the constants apart: " + err.Error())
	}
	step = out.RawVector().Data
	for _, s := range step {
		most = max(most, math.Abs(s))
	}
	return step, most
}

// normalOf returns the matrix of the normal equations, with the prior.
func normalOf(slopes *mat.Dense) *mat.Dense {
	var normal mat.Dense
	normal.Mul(slopes.T(), slopes)
	n, _ := normal.Dims()
	for k := range n {
		normal.Set(k, k, normal.At(k, k)+priorWeight)
	}
	return &normal
}

// Effective returns how many constants the residuals determine in spite of the prior: the trace of the hat matrix.
func (f *Refit) Effective() float64 {
	var solved, hat mat.Dense
	if err := solved.Solve(normalOf(f.slopes), f.slopes.T()); err != nil {
		panic("refit: the prior keeps the constants apart: " + err.Error())
	}
	hat.Mul(f.slopes, &solved)
	return mat.Trace(&hat)
}

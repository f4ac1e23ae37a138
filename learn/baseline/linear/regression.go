// Package linear implements the linear predictors of the first study of these boards (Characterization of Jetson DNN
// training, 2022, section 5.7; docs/method.md), the baseline for later methods.
//
//	inputs, targets ──► Fit ──► Regression ──► At
//	epochs of one workload in a few modes ──► FitTime ──► TimeModel ──► seconds per epoch of any mode
//	epochs of several workloads ──► FitEnergy ──► EnergyModel ──► joules per epoch
//	epochs of several workloads ──► BestModes ──► the modes to measure
package linear

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"jtune/learn/internal/rows"
	"jtune/tegra"
)

// Regression is the least-squares fit y = Intercept + Σ Slope_k (x_k − Centre_k). Inputs are centred but not scaled. If
// they do not determine the slopes, it is the solution of minimum norm, so inputs that varied together share the effect
// in proportion to their variation.
type Regression struct {
	Centre, Slope []float64
	Intercept     float64
	Rank          int   // independent directions in which the inputs varied
	Varied        int   // number of inputs that varied
	Mixed         []int // inputs whose effects cannot be separated: the rank is the same without any one of them
}

// rankTolerance: singular values below this share of the largest are zero.
const rankTolerance = 1e-9

var errSVD = errors.New("linear regression: singular value decomposition did not converge")

// Fit finds the regression of y on the rows of x. It returns an error for no rows, rows of unequal length and values
// that are not finite. Cost: one singular value decomposition, rows × inputs².
func Fit(x [][]float64, y []float64) (Regression, error) {
	if err := rows.Check(x, y); err != nil {
		return Regression{}, fmt.Errorf("linear regression: %w", err)
	}
	n, k := len(x), len(x[0])
	r := Regression{Centre: make([]float64, k), Slope: make([]float64, k)}
	centred := mat.NewDense(n, k, nil)
	for i, row := range x {
		r.Intercept += y[i] / float64(n)
		for j, v := range row {
			r.Centre[j] += v / float64(n)
		}
	}
	for j, c := range r.Centre {
		varies := false
		for i, row := range x {
			d := row[j] - c
			varies = varies || math.Abs(d) > rankTolerance*math.Abs(c)
			centred.Set(i, j, d)
		}
		if varies {
			r.Varied++
		}
	}
	var svd mat.SVD
	if !svd.Factorize(centred, mat.SVDThin) {
		return Regression{}, errSVD
	}
	values := svd.Values(nil)
	if r.Rank = rank(values); r.Rank == 0 {
		return r, nil
	}
	if r.Rank < r.Varied {
		r.Mixed = mixed(centred, r.Rank)
	}
	off := mat.NewDense(n, 1, nil)
	for i, v := range y {
		off.Set(i, 0, v-r.Intercept)
	}
	var slope mat.Dense
	svd.SolveTo(&slope, off, r.Rank)
	for j := range r.Slope {
		r.Slope[j] = slope.At(j, 0)
	}
	return r, nil
}

// rank returns the number of singular values above the tolerance.
func rank(values []float64) (n int) {
	for n < len(values) && values[n] > rankTolerance*values[0] && values[n] > 0 {
		n++
	}
	return n
}

// mixed returns the linearly dependent inputs: the rank stays the same without one of them.
func mixed(centred *mat.Dense, all int) (out []int) {
	n, k := centred.Dims()
	for j := range k {
		column := mat.Col(nil, j, centred)
		without := mat.DenseCopyOf(centred)
		without.SetCol(j, make([]float64, n))
		var svd mat.SVD
		varies := mat.Norm(mat.NewVecDense(n, column), 2) > 0
		if varies && svd.Factorize(without, mat.SVDNone) && rank(svd.Values(nil)) == all {
			out = append(out, j)
		}
	}
	return out
}

// At returns the regression's value at x, which may be zero or negative.
func (r *Regression) At(x []float64) float64 {
	v := r.Intercept
	for k, s := range r.Slope {
		v += s * (x[k] - r.Centre[k])
	}
	return v
}

// Warning names the knobs, in the order of Knobs, that varied together and share their effect; "" for none.
func (r Regression) Warning() string {
	if r.Rank >= r.Varied {
		return ""
	}
	var names []string
	for _, k := range r.Mixed {
		if k < int(tegra.NumKnobs) {
			names = append(names, tegra.Knob(k).String())
		}
	}
	which := "them all"
	if len(names) > 1 {
		which = strings.Join(names[:len(names)-1], ", ") + " from " + names[len(names)-1]
	}
	return fmt.Sprintf("%d quantities varied in only %d independent ways: the regression cannot separate the "+
		"effect of %s", r.Varied, r.Rank, which)
}

// Package linear is the straight-line predictors of the first study of these
// boards (Characterization of Jetson DNN training, 2022, section 5.7;
// docs/method.md), which everything later is compared with.
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

	"gonum.org/v1/gonum/mat"

	"jtune/learn/internal/rows"
)

// Regression is y = Intercept + Σ Slope_k (x_k − Centre_k), by least squares.
// The inputs are centred but not scaled; where they do not settle the slopes,
// the solution of least norm is taken, so inputs that moved together share the
// effect in proportion to how far each moved.
type Regression struct {
	Centre, Slope []float64
	Intercept     float64
	Rank          int // independent ways in which the inputs varied
	Varied        int // inputs that varied at all
}

// rankTolerance: singular values below this share of the largest are zero.
const rankTolerance = 1e-9

var errSVD = errors.New("linear regression: singular value decomposition did not converge")

// Fit finds the regression of y on the rows of x. It fails without rows, with
// rows of unequal length and with values that are not finite. Cost: one
// singular value decomposition, rows × inputs².
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
	for r.Rank < len(values) && values[r.Rank] > rankTolerance*values[0] && values[r.Rank] > 0 {
		r.Rank++
	}
	if r.Rank == 0 {
		return r, nil
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

// At returns the regression's value, which may be zero or negative.
func (r Regression) At(x []float64) float64 {
	v := r.Intercept
	for k, s := range r.Slope {
		v += s * (x[k] - r.Centre[k])
	}
	return v
}

// Warning says when inputs that varied together share their effect, else "".
func (r Regression) Warning() string {
	if r.Rank < r.Varied {
		return fmt.Sprintf("%d knobs varied in only %d independent ways: the regression cannot separate their effects",
			r.Varied, r.Rank)
	}
	return ""
}

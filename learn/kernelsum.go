package learn

import (
	"math"

	"jtune/learn/internal/parallel"
	"jtune/learn/internal/simd"
)

// kernelSum holds functions Σ_j w_j k(x, x_j) of one Matérn 5/2 kernel around shared centres, the form of a Gaussian
// process' posterior mean.
type kernelSum struct {
	octaves point // lengthscales
	x       []point
	time    []float64 // weights, one per centre; nil: no function of time
	power   []float64
}

// add adds the functions' values at points to time and power.
func (s *kernelSum) add(at []point, time, power []float64) {
	f := family{octaves: s.octaves}
	parallel.Ranges(len(at), func(from, to int) {
		kernels := make([]simd.Lanes, len(s.x))
		for i := from; i < to; i += simd.Wide {
			var x simd.Points
			f.lanes(at, i, to, &x)
			simd.Matern(kernels, s.x, &x, 1)
			for b, v := range simd.Dot(s.time, kernels[:len(s.time)]) {
				if i+b < to {
					time[i+b] += v
				}
			}
			for b, v := range simd.Dot(s.power, kernels[:len(s.power)]) {
				if i+b < to {
					power[i+b] += v
				}
			}
		}
	})
}

// spreadOut selects count points so that kernels around them cover the others as well as possible: each next point has
// the largest unexplained variance (a pivoted Cholesky factorisation). Points are scaled by the lengthscales.
func spreadOut(x []point, count int) []int {
	left := make([]float64, len(x)) // unexplained variance
	for i := range left {
		left[i] = 1
	}
	count = min(count, len(x))
	factor := make([]float64, len(x)*count) // one row per point, contiguous in memory
	var picks []int
	for n := range count {
		pick := 0
		for i, v := range left {
			if v > left[pick] {
				pick = i
			}
		}
		root := math.Sqrt(left[pick])
		picked := factor[pick*count:][:n]
		for i := range x {
			k, row := matern(distance2(&x[i], &x[pick])), factor[i*count:][:n+1]
			for j, v := range picked {
				k -= row[j] * v
			}
			row[n] = k / root
			left[i] -= row[n] * row[n]
		}
		left[pick] = 0
		picks = append(picks, pick)
	}
	return picks
}

// ridge keeps the weights of overlapping kernels small.
const ridge = 1e-6

// fitWeights returns the least-squares weights of kernels around the centres for the values at points. All points are
// scaled.
func fitWeights(centres, at []point, values []float64) ([]float64, error) {
	n := len(centres)
	gram, rhs, k := make([]float64, n*n), make([]float64, n), make([]float64, n)
	for i := range at {
		for j := range centres {
			k[j] = matern(distance2(&at[i], &centres[j]))
			rhs[j] += k[j] * values[i]
		}
		for a := range n {
			for b := range a + 1 {
				gram[a*n+b] += k[a] * k[b]
			}
		}
	}
	for a := range n {
		gram[a*n+a] += ridge * float64(len(at))
	}
	if !cholesky(gram, n) {
		return nil, errNotPositive
	}
	forward(gram, n, rhs, 1)
	backward(gram, n, rhs)
	return rhs, nil
}

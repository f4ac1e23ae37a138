package learn

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Matrices are row-major slices. Factorisations use gonum; solves with few right-hand sides use own loops, since gonum
// has no assembly on arm64.

// cholesky replaces the lower triangle of the row-major n × n matrix by its factor; false if it is not positive
// definite.
func cholesky(a []float64, n int) bool {
	if n == 0 {
		return true
	}
	_, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: a})
	return ok
}

// forward solves L W = B in place; B is n × m, row-major.
func forward(l []float64, n int, b []float64, m int) {
	for i := range n {
		row, bi := l[i*n:i*n+i+1], b[i*m:(i+1)*m]
		for j, lij := range row[:i] {
			bj := b[j*m : (j+1)*m]
			for k, v := range bj {
				bi[k] -= lij * v
			}
		}
		for k := range bi {
			bi[k] /= row[i]
		}
	}
}

// backward solves Lᵀ w = b in place.
func backward(l []float64, n int, b []float64) {
	for i := n - 1; i >= 0; i-- {
		b[i] /= l[i*n+i]
		for j := range i {
			b[j] -= l[i*n+j] * b[i]
		}
	}
}

// inverseLower returns L⁻¹; its upper triangle is undefined.
func inverseLower(l []float64, n int) []float64 {
	inv := slices.Clone(l)
	if n > 0 {
		lapack64.Trtri(blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: n, Stride: n, Data: inv})
	}
	return inv
}

func lnDiagonal(l []float64, n int) float64 {
	sum := 0.0
	for i := range n {
		sum += math.Log(l[i*n+i])
	}
	return sum
}

func dot(a, b []float64) float64 {
	b = b[:len(a)]
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

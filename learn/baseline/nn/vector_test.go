package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Both forms of the inner loops agree with sums in float64, and the optimiser's step is the same to the bit where
// multiplications are not fused.
func TestVectorsAgreeCloselyWithPlainGo(t *testing.T) {
	fast := vector
	t.Cleanup(func() { vector = fast })
	for _, form := range []bool{fast, false} {
		vector = form
		for _, n := range []int{8, 16, 64, 128, maxWidth} {
			t.Run(fmt.Sprintf("AVX2 %v, %d weights", form, n), func(t *testing.T) {
				r := rand.New(rand.NewPCG(5, uint64(n)))
				draw := func() []float32 {
					v := make([]float32, n)
					for i := range v {
						v[i] = float32(r.NormFloat64())
					}
					return v
				}
				near := func(what string, got float32, want, size float64) {
					if math.Abs(float64(got)-want) > 1e-6*size {
						t.Errorf("%s: %g, want %g", what, got, want)
					}
				}
				var rows [4][]float32
				for k := range rows {
					rows[k] = draw()
				}
				z, d, val := draw(), draw(), [4]float32(draw())
				sum, was := products(rows[0], rows[1], rows[2], rows[3], d), slices.Clone(z)
				addRows(z, rows[0], rows[1], rows[2], rows[3], &val)
				for j := range z {
					want, size := float64(was[j]), math.Abs(float64(was[j]))
					for k, row := range rows {
						want += float64(val[k]) * float64(row[j])
						size += math.Abs(float64(val[k]) * float64(row[j]))
					}
					near("addRows", z[j], want, size)
				}
				for k, row := range rows {
					want, size := 0.0, 0.0
					for j := range d {
						want += float64(row[j]) * float64(d[j])
						size += math.Abs(float64(row[j]) * float64(d[j]))
					}
					near("products", sum[k], want, size)
				}
				grown := [4][]float32{}
				for k := range rows {
					grown[k] = slices.Clone(rows[k])
				}
				spread(grown[0], grown[1], grown[2], grown[3], d, &val)
				for k, row := range rows {
					for j := range d {
						add := float64(val[k]) * float64(d[j])
						near("spread", grown[k][j], float64(row[j])+add, math.Abs(float64(row[j]))+math.Abs(add))
					}
				}
			})
		}
	}
}

// Numbers of weights that are no multiple of eight; gradients of zero, nearly zero and NaN.
func TestVectorsStepCloselyLikePlainGo(t *testing.T) {
	fast := vector
	t.Cleanup(func() { vector = fast })
	const n = 21
	var after [2][]float32
	for i, form := range []bool{fast, false} {
		vector = form
		r := rand.New(rand.NewPCG(6, 6))
		w, m, v := make([]float32, n), make([]float32, n), make([]float32, n)
		for range 3 {
			g := make([]float32, n)
			for j := range g {
				w[j], g[j] = w[j]+float32(r.NormFloat64()), float32(r.NormFloat64()*math.Pow(10, float64(-2*j)))
			}
			g[3] = 0
			adamStep(w, m, v, g, 0.001)
			if !slices.Equal(g, make([]float32, n)) {
				t.Fatalf("the gradient is not cleared: %v", g)
			}
		}
		after[i] = slices.Concat(w, m, v)
		g := make([]float32, n)
		g[2] = float32(math.NaN())
		if adamStep(w, m, v, g, 0.001); w[2] == w[2] || w[1] != w[1] {
			t.Errorf("AVX2 %v: a gradient that is no number gave %v", form, w)
		}
	}
	for j, want := range after[1] {
		if got := after[0][j]; math.Abs(float64(got-want)) > 1e-6*math.Abs(float64(want)) {
			t.Errorf("number %d: %g, want %g", j, got, want)
		}
	}
}

package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// draw returns a batch of modes and samples, some of them at one place and some far apart.
func draw(n int) (samples [][Dims]float64, modes Points) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	samples = make([][Dims]float64, n)
	for k := range Dims {
		for b := range Wide {
			modes[k][b] = -4 * r.Float64()
		}
		for j := range samples {
			samples[j][k] = -4 * r.Float64()
			switch j % 4 {
			case 1:
				samples[j][k] = modes[k][j%Wide]
			case 2:
				samples[j][k] *= math.Pow(10, float64(j%7))
			}
		}
	}
	return samples, modes
}

// Both forms agree with sums and exponentials of the standard library, for every length up to some unrolled rounds.
func TestSIMDKernelsAgreeWithPlainGo(t *testing.T) {
	fast := vector
	t.Cleanup(func() { vector = fast })
	for _, form := range []bool{fast, false} {
		vector = form
		for _, n := range []int{0, 1, 2, 3, 4, 5, 50, 151} {
			t.Run(fmt.Sprintf("AVX2 %v, %d samples", form, n), func(t *testing.T) {
				samples, modes := draw(n)
				const variance = 0.0064
				rows := make([]Lanes, n)
				Matern(rows, samples, &modes, variance)
				a := make([]float64, n)
				for j := range a {
					a[j] = math.Sin(float64(j))
				}
				sum := Dot(a, rows)
				for b := range Wide {
					want, size := 0.0, 0.0
					for j := range samples {
						r2 := 0.0
						for k := range Dims {
							r2 += (modes[k][b] - samples[j][k]) * (modes[k][b] - samples[j][k])
						}
						k := variance * Correlation(r2)
						if math.Abs(rows[j][b]-k) > 1e-13*variance {
							t.Fatalf("sample %d, mode %d at %g: %g, want %g", j, b, math.Sqrt(r2), rows[j][b], k)
						}
						want += a[j] * rows[j][b]
						size += math.Abs(a[j] * rows[j][b])
					}
					if math.Abs(sum[b]-want) > 1e-14*size {
						t.Errorf("mode %d: sum %g, want %g", b, sum[b], want)
					}
				}
			})
		}
	}
}

func TestExpAgreesWithTheStandardLibrary(t *testing.T) {
	fast := vector
	t.Cleanup(func() { vector = fast })
	for _, form := range []bool{fast, false} {
		vector = form
		for n := range 4 {
			rows := make([]Lanes, n)
			for i := range rows {
				for b := range rows[i] {
					rows[i][b] = -math.Pow(float64(b), float64(2*i)) / 7
				}
			}
			want := slices.Clone(rows)
			Exp(rows)
			for i := range rows {
				for b, got := range rows[i] {
					e := math.Exp(want[i][b])
					if math.Abs(got-e) > 1e-15*e+1e-300 {
						t.Errorf("AVX2 %v: exp(%g) is %g, want %g", form, want[i][b], got, e)
					}
				}
			}
		}
	}
}

package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
)

// draw returns a batch of modes and samples, some equal and some far apart.
func draw(n int) (samples [][dims]float64, modes Points) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	samples = make([][dims]float64, n)
	for k := range dims {
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
						for k := range dims {
							r2 += (modes[k][b] - samples[j][k]) * (modes[k][b] - samples[j][k])
						}
						if k := variance * Correlation(r2); math.Abs(rows[j][b]-k) > 1e-13*variance {
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

// inBothForms runs a test with assembly, where there is any, and without.
func inBothForms(t *testing.T, f func(t *testing.T)) {
	fast := vector
	t.Cleanup(func() { vector = fast })
	for _, form := range []bool{fast, false} {
		vector = form
		t.Run(fmt.Sprintf("AVX2 %v", form), f)
	}
}

func TestSoftMaxAgreesWithTheStandardLibrary(t *testing.T) {
	inBothForms(t, func(t *testing.T) {
		for n := 1; n < 12; n++ {
			r := rand.New(rand.NewPCG(2, uint64(n)))
			theta, logs, got, p := make([]float64, n), make([]Lanes, n), make([]Lanes, n), 0.2+4*r.Float64()
			for k := range theta {
				theta[k] = r.NormFloat64()
				for b := range Wide {
					logs[k][b] = r.NormFloat64() * math.Exp2(float64(b-6))
				}
			}
			most, mean := SoftMax(got, theta, logs, p)
			for b := range Wide {
				top, sum, want := math.Inf(-1), 0.0, 0.0
				z := func(k int) float64 { return theta[k] + logs[k][b] }
				for k := range theta {
					top = max(top, z(k))
				}
				for k := range theta {
					sum += math.Exp(p * (z(k) - top))
				}
				for k := range theta {
					share := math.Exp(p*(z(k)-top)) / sum
					if want += share * z(k); math.Abs(got[k][b]-share) > 1e-14*share+1e-300 {
						t.Errorf("term %d of %d, mode %d: a share of %g, want %g", k, n, b, got[k][b], share)
					}
				}
				within := 1e-14 * (1 + math.Abs(top))
				if m := top + math.Log(sum)/p; math.Abs(most[b]-m) > within || math.Abs(mean[b]-want) > within {
					t.Errorf("%d terms, mode %d: %g and %g, want %g and %g", n, b, most[b], mean[b], m, want)
				}
			}
		}
	})
}

// A NaN parameter must reach the result, so that a fit stops.
func TestSoftMaxOfNoNumberIsNone(t *testing.T) {
	inBothForms(t, func(t *testing.T) {
		for n := range 3 {
			theta, logs := []float64{1, 2, 3}, make([]Lanes, 3)
			theta[n] = math.NaN()
			if most, _ := SoftMax(make([]Lanes, 3), theta, logs, 2); !math.IsNaN(most[0]) {
				t.Errorf("%g with term %d no number", most[0], n)
			}
		}
	})
}

func TestSolveGivesTheRightSide(t *testing.T) {
	inBothForms(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 8, 9, 50} {
			r := rand.New(rand.NewPCG(3, uint64(n)))
			l, b := make([]float64, n*n), make([]Lanes, n)
			for i := range l {
				l[i] = math.NaN() // above the diagonal
			}
			for i := range n {
				for j := range i {
					l[i*n+j] = r.NormFloat64() / float64(n)
				}
				l[i*n+i] = 1 + r.Float64()
				for k := range Wide {
					b[i][k] = r.NormFloat64()
				}
			}
			x := slices.Clone(b)
			first := Solve(l, n, 0, n/3, x)
			squares := Solve(l, n, n/3, n, x)
			for k := range Wide {
				sum := 0.0
				for i := range n {
					back := 0.0
					for j := range i + 1 {
						back += l[i*n+j] * x[j][k]
					}
					if sum += x[i][k] * x[i][k]; math.Abs(back-b[i][k]) > 1e-14 {
						t.Errorf("%d rows, row %d of mode %d: %g, want %g", n, i, k, back, b[i][k])
					}
				}
				if math.Abs(first[k]+squares[k]-sum) > 1e-14*sum {
					t.Errorf("%d rows, mode %d: squares of %g and %g, want %g", n, k, first[k], squares[k], sum)
				}
			}
		}
	})
}

// In plain Go the exponentials equal math.Exp, down to −700.
func TestExpsAgreeWithTheStandardLibrary(t *testing.T) {
	for v := 0.0; v > -720; v -= 0.00371 {
		x := Lanes{v, math.NaN(), math.Inf(-1)}
		exps(&x)
		want := math.Exp(max(v, -700))
		if math.Abs(x[0]/want-1) > 6e-16 || !math.IsNaN(x[1]) || x[2] > 1e-300 || x[3] != 1 {
			t.Fatalf("exp(%g) = %g, want %g; of no number, of minus infinity and of 0: %g", v, x[0], want, x[1:4])
		}
	}
}

// BenchmarkForms is the CPU time of the loops with assembly, where there is any, and in plain Go.
func BenchmarkForms(b *testing.B) {
	fast := vector
	b.Cleanup(func() { vector = fast })
	const n = 50
	samples, modes := draw(n)
	rows, l, theta := make([]Lanes, n), make([]float64, n*n), make([]float64, 8)
	for i := range l {
		l[i] = 1 / float64(1+i)
	}
	shares := make([]Lanes, len(theta))
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"Matern", func() { Matern(rows, samples, &modes, 1) }},
		{"Solve", func() { Solve(l, n, 0, n, rows) }},
		{"SoftMax", func() { SoftMax(shares[:5], theta[:5], modes[:], 2) }},
	} {
		for _, form := range []bool{true, false} {
			if form && !fast {
				continue
			}
			b.Run(fmt.Sprintf("%s/%s/AVX2=%v", runtime.GOARCH, c.name, form), func(b *testing.B) {
				vector = form
				begun := computed(b)
				for b.Loop() {
					c.run()
				}
				b.ReportMetric(float64(computed(b)-begun)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

// computed returns the CPU time of this process.
func computed(b *testing.B) time.Duration {
	var u syscall.Rusage
	must.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The 95 % band of a mean holds the true mean of independent, correlated and periodic sequences alike.
func TestMeanLiesInItsOwnBand(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func(rnd *rand.Rand, n int) (took []float64, mean float64){
		"independent": func(rnd *rand.Rand, n int) (took []float64, mean float64) {
			for range n {
				took = append(took, 50+5*rnd.NormFloat64())
			}
			return took, 50
		},
		"correlated": func(rnd *rand.Rand, n int) (took []float64, mean float64) {
			at := rnd.NormFloat64()
			for range n {
				at = 0.7*at + math.Sqrt(1-0.49)*rnd.NormFloat64()
				took = append(took, 50+5*at)
			}
			return took, 50
		},
		"a wait every fourth": func(rnd *rand.Rand, n int) (took []float64, mean float64) {
			for i := range n {
				took = append(took, 5+190*float64((i+1)%4/3)+rnd.NormFloat64()/10)
			}
			return took, 52.5
		},
		"rare stalls": func(rnd *rand.Rand, n int) (took []float64, mean float64) {
			for range n {
				d := 50.0
				if rnd.Float64() < 0.1 {
					d = 400
				}
				took = append(took, d)
			}
			return took, 85
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const draws = 1000
			rnd, held := rand.New(rand.NewPCG(7, 11)), 0
			for range draws {
				took, want := draw(rnd, 60+rnd.IntN(200))
				units := make([]float64, len(took))
				for i := range units {
					units[i] = 1
				}
				if e := MeanOf(took, units); math.Abs(e.Mean-want) <= 1.96*e.Error {
					held++
				}
			}
			if held < 920 {
				t.Errorf("%d of %d means lie in their band, want 920", held, draws)
			}
		})
	}
}

func TestMeanCountsWholePeriodsAndWhatRecurs(t *testing.T) {
	t.Parallel()
	ones := func(n int) (u []float64) {
		for range n {
			u = append(u, 1)
		}
		return u
	}
	var waits, once, twice []float64
	for i := range 101 {
		waits = append(waits, []float64{5, 5, 5, 195}[i%4])
		once, twice = append(once, 50), append(twice, 50)
	}
	once[40], twice[40], twice[70] = 3000, 3000, 2900
	if e := MeanOf(waits, ones(101)); math.Abs(e.Mean-52.5) > 1e-9 || e.Period != 4 || e.Error > 1e-9 || e.Median != 5 {
		t.Errorf("a wait every fourth span: %+v", e)
	}
	if e := MeanOf(once, ones(101)); e.Mean != 50 || e.Outlier != 40 {
		t.Errorf("one outlier: %+v", e)
	}
	if e := MeanOf(twice, ones(101)); e.Outlier >= 0 || !(e.Mean > 100) {
		t.Errorf("what is seen twice belongs to the mean: %+v", e)
	}
	if e := MeanOf([]float64{500, 800, 500, 800}, []float64{10, 10, 10, 10}); e.Mean != 65 || !(e.Error > 0) {
		t.Errorf("few long spans: %+v", e)
	}
	if e := MeanOf([]float64{500}, []float64{10}); e.Mean != 50 || !math.IsNaN(e.Error) {
		t.Errorf("the error of one span is unknown: %+v", e)
	}
	if e := MeanOf(nil, nil); !math.IsNaN(e.Mean) {
		t.Errorf("nothing: %+v", e)
	}
}

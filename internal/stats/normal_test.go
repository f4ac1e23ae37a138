package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestImprovementIsTheMeanOfWhatIsGained(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range [][2]float64{{0, 1}, {0.5, 0.3}, {-1, 0.7}, {2, 0.1}} {
		sum, n := 0.0, 200_000
		for range n {
			sum += max(0, c[0]+c[1]*rng.NormFloat64())
		}
		if got, want := Improvement(c[0], c[1]), sum/float64(n); math.Abs(got-want) > 0.005 {
			t.Errorf("by %g ± %g: %g, drawn %g", c[0], c[1], got, want)
		}
	}
}

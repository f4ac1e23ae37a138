package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestQuantileLiesBetweenTheOrderStatistics(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		v    []float64
		q    float64
		want float64
	}{
		{"the middle one", []float64{3, 1, 2}, 0.5, 2.0},
		{"between two in the middle", []float64{4, 1, 2, 3}, 0.5, 2.5},
		{"a quarter of the way", []float64{10, 0}, 0.25, 2.5},
		{"the least", []float64{5, 7}, 0, 5.0},
		{"the most", []float64{5, 7}, 1, 7.0},
		{"one alone", []float64{5}, 0.9, 5.0},
		{"none", nil, 0.5, math.NaN()},
		{"what is not finite is left out", []float64{math.NaN(), 1, math.Inf(1), 3, math.Inf(-1)}, 0.5, 2.0},
		{"nothing finite", []float64{math.NaN()}, 0.5, math.NaN()},
	} {
		if got := Quantile(c.v, c.q); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestQuantileTakesValuesInAnyOrderAndLeavesThemAsTheyWere(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	v := make([]float64, 101)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	kept := slices.Clone(v)
	before := []float64{Quantile(v, 0.1), Median(v), Quantile(v, 0.9)}
	if !slices.Equal(v, kept) {
		t.Error("the values were reordered")
	}
	rng.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
	after := []float64{Quantile(v, 0.1), Median(v), Quantile(v, 0.9)}
	if !slices.Equal(before, after) || !(before[0] < before[1] && before[1] < before[2]) {
		t.Errorf("got %v, then %v of the same values", before, after)
	}
}

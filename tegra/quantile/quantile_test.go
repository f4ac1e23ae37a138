package quantile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jtune/tegra"
)

func TestQuantilesLieBetweenTheOrderStatistics(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		v    []float64
		q    float64
		want tegra.Val[float64]
	}{
		{"the middle one", []float64{3, 1, 2}, 0.5, tegra.Some(2.0)},
		{"between two in the middle", []float64{4, 1, 2, 3}, 0.5, tegra.Some(2.5)},
		{"a quarter of the way", []float64{10, 0}, 0.25, tegra.Some(2.5)},
		{"the least", []float64{5, 7}, 0, tegra.Some(5.0)},
		{"the most", []float64{5, 7}, 1, tegra.Some(7.0)},
		{"one alone", []float64{5}, 0.9, tegra.Some(5.0)},
		{"none", nil, 0.5, tegra.Val[float64]{}},
		{"what is not finite is left out", []float64{math.NaN(), 1, math.Inf(1), 3, math.Inf(-1)}, 0.5, tegra.Some(2.0)},
		{"nothing finite", []float64{math.NaN()}, 0.5, tegra.Val[float64]{}},
	} {
		if got := Of(c.v, c.q); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestTheOrderOfValuesDoesNotMatterAndTheyStayAsTheyWere(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	v := make([]float64, 101)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	kept := slices.Clone(v)
	before := []tegra.Val[float64]{Of(v, 0.1), Median(v), Of(v, 0.9)}
	if !slices.Equal(v, kept) {
		t.Error("the values were reordered")
	}
	rng.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
	after := []tegra.Val[float64]{Of(v, 0.1), Median(v), Of(v, 0.9)}
	if !slices.Equal(before, after) || !(before[0].V < before[1].V && before[1].V < before[2].V) {
		t.Errorf("got %v, then %v of the same values", before, after)
	}
}

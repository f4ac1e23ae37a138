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

func TestNearestRankIsTheLeastThatTheShareDoesNotExceed(t *testing.T) {
	t.Parallel()
	ten := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for _, c := range []struct {
		name string
		v    []float64
		q    float64
		want float64
	}{
		{"the median of ten is the fifth", ten, 0.5, 5},
		{"p90 of ten is the ninth", ten, 0.9, 9},
		{"p95 of ten is the last", ten, 0.95, 10},
		{"all", ten, 1, 10},
		{"none", ten, 0, 1},
		{"of one", []float64{7}, 0.99, 7},
		{"of nothing", nil, 0.5, math.NaN()},
	} {
		if got := NearestRank(c.v, c.q); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	for n := 1; n < 2000; n++ {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(i + 1)
		}
		for _, q := range []float64{0.5, 0.9, 0.95, 0.99, 0.999} {
			got := NearestRank(v, q)
			if got < q*float64(n)-1e-6 || got-1 >= q*float64(n) {
				t.Fatalf("%v-quantile of 1..%d is %v", q, n, got)
			}
		}
	}
}

func TestNearestRankOfIsNearestRankOfTheSortedValues(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		for name, value := range map[string]func(i int) float64{
			"in random order": func(int) float64 { return random.Float64() },
			"many equal":      func(int) float64 { return float64(random.IntN(4)) },
			"all equal":       func(int) float64 { return 3 },
			"ascending":       func(i int) float64 { return float64(i) },
			"descending":      func(i int) float64 { return -float64(i) },
		} {
			v := make([]float64, n)
			for i := range v {
				v[i] = value(i)
			}
			ascending := slices.Sorted(slices.Values(v))
			for _, q := range []float64{0, 0.25, 0.5, 0.9, 0.99, 1} {
				got, want := NearestRankOf(v, q), NearestRank(ascending, q)
				if got != want && !(n == 0 && math.IsNaN(got)) {
					t.Errorf("%v-quantile of %d values %s: got %v, want %v", q, n, name, got, want)
				}
			}
			if slices.Sort(v); !slices.Equal(v, ascending) {
				t.Errorf("%d values %s are others afterwards", n, name)
			}
		}
	}
}

func TestQuantileHoldsFromTenValuesBeyondIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		q    float64
		n    int
		want bool
	}{
		{0.99, 1000, true}, {0.99, 999, false}, {0.95, 200, true}, {0.95, 199, false},
		{0.5, 20, true}, {1, 1 << 30, false},
	} {
		if got := QuantileHolds(c.q, c.n); got != c.want {
			t.Errorf("the %v-quantile of %d values holds: %v", c.q, c.n, got)
		}
	}
}

func TestErrorOfMedianFallsWithTheRootOfTheirNumber(t *testing.T) {
	// Values with a standard deviation of 2 % have an interquartile range of 2.7 %.
	if got := ErrorOfMedian(2.698, 100, 25); math.Abs(got-0.02*1.2533/5) > 1e-4 {
		t.Errorf("got %g", got)
	}
	if got := ErrorOfMedian(1, 100, 1); !math.IsInf(got, 1) {
		t.Errorf("of one value got %g, want no bound", got)
	}
}

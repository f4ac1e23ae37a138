package forest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"jtune/internal/must"
)

// steps is a target that is constant on four rectangles of two inputs; the
// third input is noise.
func steps(n int, seed uint64) (x [][]float64, y []float64) {
	r := rand.New(rand.NewPCG(seed, 0))
	for range n {
		row := []float64{r.Float64(), r.Float64(), r.Float64()}
		x, y = append(x, row), append(y, step(row))
	}
	return x, y
}

func step(row []float64) float64 {
	v := 10.0
	if row[0] > 0.5 {
		v += 5
	}
	if row[1] > 0.3 {
		v += 2
	}
	return v
}

func mustGrow(t *testing.T, x [][]float64, y []float64, c Config) *Forest {
	t.Helper()
	return must.Get(Grow(x, y, c))(t)
}

func leaves(f *Forest) int {
	count := 0
	for _, nodes := range f.trees {
		for _, n := range nodes {
			if n.low == 0 {
				count++
			}
		}
	}
	return count
}

func TestTreeFindsTheStepsOfAStepFunction(t *testing.T) {
	t.Parallel()
	x, y := steps(500, 1)
	f := mustGrow(t, x, y, Tree)
	if got := leaves(f); got != 4 {
		t.Errorf("%d leaves, the function has 4 steps", got)
	}
	for i, row := range x {
		if got := f.At(row); math.Abs(got-y[i]) > 1e-9 {
			t.Fatalf("row %d: got %v, want %v", i, got, y[i])
		}
	}
	for _, row := range [][]float64{{0.1, 0.1, 0.9}, {0.9, 0.1, 0.1}, {0.1, 0.9, 0.1}, {0.9, 0.9, 0.9}} {
		if got := f.At(row); math.Abs(got-step(row)) > 1e-9 {
			t.Errorf("at %v: got %v, want %v", row, got, step(row))
		}
	}
}

// Worked by hand: about the mean 4, cutting {0, 0 | 6, 10} lowers the squared
// error by 8²·(1/2+1/2) = 64; {0 | 0 6 10} by 21.3 and {0 0 6 | 10} by 48.
func TestFirstCutIsTheOneOfLeastSquaredError(t *testing.T) {
	t.Parallel()
	f := mustGrow(t, [][]float64{{1}, {2}, {4}, {7}}, []float64{0, 0, 6, 10}, Config{Trees: 1, Whole: true, MinLeaf: 2})
	for at, want := range map[float64]float64{-5: 0, 2.9: 0, 3.1: 8, 100: 8} {
		if got := f.At([]float64{at}); got != want {
			t.Errorf("at %v: got %v, want %v", at, got, want)
		}
	}
}

func TestForestIsBetterThanATreeOnNoisyData(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 0))
	truth := func(row []float64) float64 { return 3*row[0] + math.Sin(5*row[1]) }
	var x [][]float64
	var y []float64
	for range 200 {
		row := []float64{r.Float64(), r.Float64()}
		x, y = append(x, row), append(y, truth(row)+0.3*r.NormFloat64())
	}
	rmse := func(c Config) float64 {
		f, sum := mustGrow(t, x, y, c), 0.0
		q := rand.New(rand.NewPCG(4, 0))
		for range 500 {
			row := []float64{q.Float64(), q.Float64()}
			d := f.At(row) - truth(row)
			sum += d * d / 500
		}
		return math.Sqrt(sum)
	}
	if tree, many := rmse(Tree), rmse(Config{}); many > 0.75*tree {
		t.Errorf("error of a forest %.3f, of a tree %.3f: want a quarter less", many, tree)
	}
}

func TestForestIsDeterministicAndStaysWithinItsTargets(t *testing.T) {
	t.Parallel()
	x, y := steps(60, 2)
	a, b := mustGrow(t, x, y, Config{Seed: 9}), mustGrow(t, x, y, Config{Seed: 9})
	if !reflect.DeepEqual(a, b) {
		t.Error("two forests of one seed differ")
	}
	if reflect.DeepEqual(a, mustGrow(t, x, y, Config{Seed: 10})) {
		t.Error("the seed changes nothing")
	}
	for _, row := range [][]float64{{-1e9, 0, 0}, {1e9, 1e9, -1e9}} {
		if got := a.At(row); got < 10 || got > 17 {
			t.Errorf("at %v: %v is outside the targets 10 to 17", row, got)
		}
	}
}

func TestRowsThatCannotBeToldApartShareALeaf(t *testing.T) {
	t.Parallel()
	f := mustGrow(t, [][]float64{{1}, {1}, {1}}, []float64{3, 4, 8}, Tree)
	if got := f.At([]float64{1}); got != 5 || leaves(f) != 1 {
		t.Errorf("got %v in %d leaves, want the mean 5 in one", got, leaves(f))
	}
}

func TestBadInputIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		x [][]float64
		y []float64
		c Config
	}{
		"no rows":                {},
		"a target too few":       {x: [][]float64{{1}, {2}}, y: []float64{1}},
		"rows of unequal length": {x: [][]float64{{1}, {2, 3}}, y: []float64{1, 2}},
		"a NaN input":            {x: [][]float64{{math.NaN()}}, y: []float64{1}},
		"an infinite target":     {x: [][]float64{{1}}, y: []float64{math.Inf(1)}},
		"fewer than no trees":    {x: [][]float64{{1}}, y: []float64{1}, c: Config{Trees: -1}},
	} {
		if _, err := Grow(c.x, c.y, c.c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func BenchmarkGrow50(b *testing.B) {
	x, y := steps(50, 1)
	for b.Loop() {
		_, err := Grow(x, y, Config{})
		must.NoError(b, err)
	}
}

func BenchmarkGrow4000(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := steps(4000, 1)
	for i := range y {
		y[i] += r.Float64()
	}
	for b.Loop() {
		_, err := Grow(x, y, Config{})
		must.NoError(b, err)
	}
}

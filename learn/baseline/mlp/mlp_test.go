package mlp

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// surface is a smooth target over two inputs of very different size.
func surface(n int, seed uint64) (x [][]float64, y []float64) {
	r := rand.New(rand.NewPCG(seed, 0))
	for range n {
		a, b := r.Float64(), 1000*r.Float64()
		x, y = append(x, []float64{a, b}), append(y, 200+50*math.Sin(3*a)-0.04*b)
	}
	return x, y
}

func TestFitLearnsASmoothSurface(t *testing.T) {
	t.Parallel()
	x, y := surface(200, 1)
	n, err := Fit(t.Context(), x, y, Config{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	unseen, want := surface(100, 2)
	worst := 0.0
	for i := range unseen {
		worst = max(worst, math.Abs(n.At(unseen[i])-want[i]))
	}
	if worst > 5 { // the target spans 60
		t.Errorf("off by %.2f at worst, want 5 at most", worst)
	}
	if !(n.loss < 0.01) {
		t.Errorf("loss %g of a standardised target, want below 0.01", n.loss)
	}
}

// The gradient against central differences of the loss.
func TestLossGradientEqualsFiniteDifferences(t *testing.T) {
	t.Parallel()
	n := &Net{inputs: 2, hidden: 7}
	tr := training{net: n, random: rand.New(rand.NewPCG(1, 1)), active: make([]float64, 7)}
	tr.draw()
	x, y := []float64{0.4, -1.1}, 0.7
	tr.add(x, y, 1)
	for i := range n.w {
		const h = 1e-6
		at := func(v float64) float64 {
			was := n.w[i]
			defer func() { n.w[i] = was }()
			n.w[i] = was + v
			d := n.forward(x, nil) - y
			return d * d / 2
		}
		if want := (at(h) - at(-h)) / (2 * h); math.Abs(tr.grad[i]-want) > 1e-7 {
			t.Errorf("parameter %d: got %g, want %g", i, tr.grad[i], want)
		}
	}
}

func TestFitOfEqualSeedsGivesEqualNetworks(t *testing.T) {
	t.Parallel()
	x, y := surface(30, 1)
	var at [3]float64
	for i, seed := range []uint64{5, 5, 6} {
		n, err := Fit(t.Context(), x, y, Config{Seed: seed, Steps: 300})
		if err != nil {
			t.Fatal(err)
		}
		at[i] = n.At([]float64{0.5, 500})
	}
	if at[0] != at[1] || at[0] == at[2] {
		t.Errorf("got %v, want the first two equal and the third another", at)
	}
}

func TestOddRows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		x [][]float64
		y []float64
	}{
		"one row":                       {[][]float64{{1, 2}}, []float64{7}},
		"constant targets":              {[][]float64{{1, 2}, {3, 4}, {5, 5}}, []float64{7, 7, 7}},
		"an input that never varies":    {[][]float64{{1, 2}, {1, 4}, {1, 5}}, []float64{6, 7, 8}},
		"rows twice with other targets": {[][]float64{{1}, {1}}, []float64{6, 8}},
	} {
		n, err := Fit(t.Context(), c.x, c.y, Config{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := n.At(c.x[0]); math.Abs(got-7) > 1.5 {
			t.Errorf("%s: got %g", name, got)
		}
	}
	for name, c := range map[string]struct {
		x     [][]float64
		y     []float64
		c     Config
		words string
	}{
		"no rows":          {nil, nil, Config{}, "0 rows"},
		"a NaN":            {[][]float64{{1}}, []float64{math.NaN()}, Config{}, "NaN"},
		"units below zero": {[][]float64{{1}}, []float64{1}, Config{Hidden: -1}, "positive"},
	} {
		if _, err := Fit(t.Context(), c.x, c.y, c.c); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: got %v, want %q", name, err, c.words)
		}
	}
}

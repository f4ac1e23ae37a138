package pareto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jtune/internal/stats"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// beaten is the definition of the front for distinct answers: another point is
// at least as good in both and better in one, or equal and earlier.
func beaten(points []tegra.Measured, i int, x, y Axis) bool {
	for j, q := range points {
		if j == i || !stats.Positive(x.Of(q), y.Of(q)) {
			continue
		}
		p := points[i]
		if x.Of(q) > x.Of(p) || y.Of(q) > y.Of(p) {
			continue
		}
		if x.Of(q) < x.Of(p) || y.Of(q) < y.Of(p) || j < i {
			return true
		}
	}
	return false
}

func bruteFront(points []tegra.Measured, x, y Axis) []int {
	var front []int
	for i, p := range points {
		if stats.Positive(x.Of(p), y.Of(p)) && !beaten(points, i, x, y) {
			front = append(front, i)
		}
	}
	slices.SortFunc(front, func(a, b int) int {
		if x.Of(points[a]) < x.Of(points[b]) {
			return -1
		}
		return 1
	})
	return front
}

// randomPoints draws from few values so that ties are common, with some bad ones.
func randomPoints(r *rand.Rand, n int) []tegra.Measured {
	points := make([]tegra.Measured, n)
	for i := range points {
		t, p := float64(1+r.IntN(12)), float64(1+r.IntN(12))
		switch r.IntN(20) {
		case 0:
			t = math.NaN()
		case 1:
			p = math.Inf(1)
		case 2:
			t = -t
		}
		points[i] = tegra.Measured{TimeMS: t, PowerW: p}
	}
	return points
}

func TestFrontOfIsWhatBruteForceFinds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		points := randomPoints(r, r.IntN(40))
		for _, axes := range [][2]Axis{{Power, Time}, {Energy, Time}, {Energy, Power}} {
			got, want := FrontOf(points, axes[0], axes[1]), bruteFront(points, axes[0], axes[1])
			if !slices.Equal(got, want) {
				t.Fatalf("round %d, %s against %s: got %v, want %v for %v", round, axes[0], axes[1], got, want, points)
			}
		}
	}
}

func TestFrontOfTies(t *testing.T) {
	t.Parallel()
	at := func(timeMS, powerW float64) tegra.Measured { return tegra.Measured{TimeMS: timeMS, PowerW: powerW} }
	for _, c := range []struct {
		name   string
		points []tegra.Measured
		want   []int
	}{
		{"no points have no front", nil, []int{}},
		{"one point is its own front", []tegra.Measured{at(5, 5)}, []int{0}},
		{"equal power keeps the smaller time", []tegra.Measured{at(6, 5), at(5, 5)}, []int{1}},
		{"equal time is not added", []tegra.Measured{at(5, 5), at(5, 6)}, []int{0}},
		{"of equal points the first stands", []tegra.Measured{at(5, 5), at(5, 5), at(5, 5)}, []int{0}},
		{"points without a logarithm are left " +
			"out", []tegra.Measured{at(0, 1), at(math.NaN(), 1), at(1, math.Inf(1)), at(-1, 3)}, []int{}},
		{"a front ascends in power", []tegra.Measured{at(1, 9), at(9, 1), at(5, 5), at(6, 6)}, []int{1, 2, 0}},
	} {
		if got := Front(c.points, Power); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestFrontOfEnergyUsesTheEnergyOfAMeasurement(t *testing.T) {
	t.Parallel()
	points := []tegra.Measured{
		{TimeMS: 100, PowerW: 40}, // 4 J
		{TimeMS: 150, PowerW: 20}, // 3 J
		{TimeMS: 400, PowerW: 10}, // 4 J, slow
	}
	if got, want := Front(points, Energy), []int{1, 0}; !slices.Equal(got, want) {
		t.Errorf("time–energy front: got %v, want %v", got, want)
	}
	if got, want := Front(points, Power), []int{2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("time–power front: got %v, want %v", got, want)
	}
}

func TestKnee(t *testing.T) {
	t.Parallel()
	at := func(timeMS, powerW float64) tegra.Measured { return tegra.Measured{TimeMS: timeMS, PowerW: powerW} }
	for _, c := range []struct {
		name   string
		points []tegra.Measured
		want   int
	}{
		{"the knee is the point farthest below the chord",
			[]tegra.Measured{at(190, 10), at(120, 14), at(110, 25), at(100, 40)}, 1},
		{"a mode of more than twice the fastest time is none",
			[]tegra.Measured{at(205, 10), at(120, 14), at(110, 15), at(100, 40)}, 2},
		{"nor is an end", []tegra.Measured{at(2000, 9), at(180, 10), at(110, 25), at(100, 40)}, 2},
		{"a front of two has its knee at the least power", []tegra.Measured{at(100, 40), at(190, 10)}, 1},
		{"one mode is alone within twice the time", []tegra.Measured{at(100, 40), at(1000, 10)}, 0},
		{"a front above its chord has its knee at the least power",
			[]tegra.Measured{at(190, 10), at(180, 30), at(100, 40)}, 0},
	} {
		if got := Knee(c.points, Front(c.points, Power)); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

// The knee is at the known point of largest curvature: the hyperbola (ln T - a)(ln P - b) = 1 bends most where both
// factors are 1, and is cut symmetrically.
func TestKneeIsTheLargestCurvature(t *testing.T) {
	t.Parallel()
	var points []tegra.Measured
	for k := -40; k <= 40; k++ {
		u := math.Exp(float64(k) / 20) // e^-2 to e^2, 1 at the bend
		points = append(points, tegra.Measured{TimeMS: math.Exp(0.09 * u), PowerW: math.Exp(1 / u)})
	}
	if got := points[Knee(points, Front(points, Power))]; math.Abs(math.Log(got.PowerW)-1) > 1e-9 {
		t.Errorf("got the knee at ln P = %g, want 1", math.Log(got.PowerW))
	}
}

// In the measured sweeps the knee gives up little time for much power.
func TestKneeOfMeasuredSweeps(t *testing.T) {
	t.Parallel()
	for _, name := range []string{sweeptest.ResNet, sweeptest.MobileNet, sweeptest.LSTM} {
		s := optimizetest.Load(t, name)
		front := Front(s.Rows, Power)
		got, fastest := s.Rows[Knee(s.Rows, front)], s.Rows[front[len(front)-1]]
		slower, saved := got.TimeMS/fastest.TimeMS-1, 1-got.PowerW/fastest.PowerW
		if slower > 0.35 || saved < 0.15 || got.EnergyJ() > fastest.EnergyJ() {
			t.Errorf("%s: %v takes %.0f %% more time for %.0f %% less power, and %.0f %% of the energy", name, got.Mode,
				100*slower, 100*saved, 100*got.EnergyJ()/fastest.EnergyJ())
		}
	}
}

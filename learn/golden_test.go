package learn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// The golden values of this file come from an independent implementation in numpy, fitted to the same ten or twenty
// modes. Only parameters, predictions and errors are repeated here; the rows are read.

// plainFit fits with the priors and distances of that implementation, whose time has no crowded cores
// (docs/decisions/014-crowded-cores.md).
func plainFit(t *testing.T, space *tegra.Space, in []tegra.Measured, o SurrogateOptions) *Surrogate {
	t.Helper()
	f, power := timeFamily, powerFamily
	f.prior = prior{Mean: []float64{-0.3, -0.3, -1, -1, -0.3, -0.3, math.Log(4)},
		SD: append(slices.Repeat([]float64{0.7}, 6), 0.3), LevelSD: 3}
	power.prior, power.octaves, power.roots = batchPowerFamily.prior, point{1.5, 1.5, 2.5, 2, noBatch}, false
	f.terms = func(x point, u float64, l []float64) {
		var all [7]float64
		timeTerms(x, u, all[:])
		copy(l, all[:])
	}
	return must.Get(fitSurrogate(space, in, o, hyperparameters{&f, &power}))(t)
}

// averaged is by how much errors differ, in percentage points, as that implementation takes the best pair of
// hyper-parameters alone.
const averaged = 0.1

// near fails unless got is within tol of want.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: got %.6g, want %.6g ± %g", what, got, want, tol)
	}
}

// sweepOf returns a measured sweep with the space of its modes.
type sweepOf struct {
	rows  []tegra.Measured
	space *tegra.Space
}

func loadSweep(t testing.TB, name string) sweepOf {
	t.Helper()
	rows := sweeptest.Load(t, name)
	modes := make([]tegra.Mode, len(rows))
	for i, r := range rows {
		modes[i] = r.Mode
	}
	space := must.Get(tegra.NewSubspace(modes))(t)
	return sweepOf{rows, space}
}

// split parts the rows into those at the given places and the others.
func (s sweepOf) split(places []int) (in, out []tegra.Measured) {
	taken := map[int]bool{}
	for _, i := range places {
		in, taken[i] = append(in, s.rows[i]), true
	}
	for i, r := range s.rows {
		if !taken[i] {
			out = append(out, r)
		}
	}
	return in, out
}

// place returns the row of a mode written as cores_cpu(kHz)_gpu(Hz)_mem(Hz).
func (s sweepOf) place(t testing.TB, text string) int {
	t.Helper()
	m := parseUnderscored(t, text)
	for i, r := range s.rows {
		if r.Mode == m {
			return i
		}
	}
	t.Fatalf("mode %s is not in the sweep", text)
	return -1
}

// errorsOn returns MAPE of time and power on measured modes.
func errorsOn(p Predictor, truth []tegra.Measured) (timePct, powerPct float64) {
	modes := make([]tegra.Mode, len(truth))
	for i, m := range truth {
		modes[i] = m.Mode
	}
	var t, w, ot, ow []float64
	for i, q := range p.Predict(modes) {
		t, w, ot, ow = append(t, q.TimeMS), append(w, q.PowerW), append(ot, truth[i].TimeMS), append(ow,
			truth[i].PowerW)
	}
	return MAPE(t, ot), MAPE(w, ow)
}

const mobileNetTen = "6_1344000_930750000_665600000 2_268800_1300500000_2133000000 6_1344000_1134750000_2133000000 " +
	"4_883200_624750000_665600000 4_2201600_1236750000_3199000000 " +
	"6_883200_930750000_665600000 4_1190400_726750000_3199000000 4_422400_624750000_204000000 " +
	"12_422400_216750000_204000000 4_883200_828750000_204000000"

func TestGoldenMobileNetParametersAndPredictions(t *testing.T) {
	t.Parallel()
	s := loadSweep(t, sweeptest.MobileNet)
	var places []int
	for _, text := range strings.Fields(mobileNetTen) {
		places = append(places, s.place(t, text))
	}
	in, out := s.split(places)
	fit := plainFit(t, s.space, in, SurrogateOptions{Robust: 2})
	time, power := fit.time.curves[0], fit.power.curves[0]
	for k, want := range []float64{3.912, 4.353, 4.049, 2.485, 3.966, 4.302} {
		near(t, "time amplitude", time.theta[k], want, 0.002)
	}
	near(t, "p", math.Exp(time.theta[6]), 3.627, 0.002)
	for k, want := range []float64{2.528, 0.311, 1.104, 0.801, 0.178, 2.435, 1.715, 1.334, 0.614} {
		near(t, "power amplitude", power.theta[k], want, 0.002)
	}
	post := fit.Posterior()
	for _, g := range []struct {
		mode                   string
		timeMS, sdT, watt, sdP float64
	}{
		{"12_2201600_1300500000_3199000000", 102.55, 0.0777, 42.813, 0.0473},
		{"6_1190400_726750000_2133000000", 177.70, 0.0405, 23.738, 0.0192},
		{"8_729600_1134750000_665600000", 289.42, 0.0412, 21.832, 0.0238},
		{"2_268800_114750000_204000000", 1270, 0.0937, 13.51, math.NaN()},
	} {
		i, _ := s.space.Index(s.rows[s.place(t, g.mode)].Mode)
		near(t, g.mode+" ms", math.Exp(post.LnTime[i]), g.timeMS, 5e-4*g.timeMS)
		near(t, g.mode+" sd ln ms", post.SdTime[i], g.sdT, 1e-3*g.sdT+5e-5)
		near(t, g.mode+" W", math.Exp(post.LnPower[i]), g.watt, 5e-4*g.watt)
		if !math.IsNaN(g.sdP) {
			near(t, g.mode+" sd ln W", post.SdPower[i], g.sdP, 1e-3*g.sdP+5e-5)
		}
	}
	timePct, powerPct := errorsOn(fit, out)
	near(t, "time MAPE, fixed", timePct, 10.69, 0.01)
	near(t, "power MAPE, fixed", powerPct, 4.54, 0.01)

	grid := plainFit(t, s.space, in, SurrogateOptions{Grid: true, Robust: 2})
	near(t, "sf of time, grid", grid.time.curves[0].sf, 0.04, 1e-9)
	timePct, powerPct = errorsOn(grid, out)
	near(t, "time MAPE, grid", timePct, 10.59, averaged)
	near(t, "power MAPE, grid", powerPct, 4.57, averaged)
}

func TestGoldenLSTMErrors(t *testing.T) {
	t.Parallel()
	s := loadSweep(t, sweeptest.LSTM)
	for _, g := range []struct {
		rows                                     []int // 0-based
		fixedTime, fixedPower, gridTime, gridPow float64
	}{
		{[]int{223, 193, 184, 260, 318, 250, 174, 71, 74, 94}, 6.04, 2.81, 6.18, 2.87},
		{
			[]int{383, 222, 341, 114, 68, 430, 248, 297, 321, 98, 5, 370, 337, 368, 22, 240, 266, 10, 378, 294},
			2.40,
			2.06,
			2.40,
			2.20,
		},
	} {
		in, out := s.split(g.rows)
		for _, grid := range []bool{false, true} {
			wantTime, wantPower, tol := g.fixedTime, g.fixedPower, 0.01
			if grid {
				wantTime, wantPower, tol = g.gridTime, g.gridPow, averaged
			}
			fit := plainFit(t, s.space, in, SurrogateOptions{Grid: grid, Robust: 2})
			timePct, powerPct := errorsOn(fit, out)
			near(t, "time MAPE", timePct, wantTime, tol)
			near(t, "power MAPE", powerPct, wantPower, tol)
		}
	}
}

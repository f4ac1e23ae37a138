package design

import (
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"testing"

	"jtune/internal/must"
	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// follow measures the modes of a design.
func follow(s *optimizetest.Sweep, d *Design) []tegra.Measured {
	var done []tegra.Measured
	for {
		at, ok := d.Next(done)
		if !ok {
			return done
		}
		done = append(done, s.At[at.Mode])
	}
}

// errors fits to the samples and scores the other modes.
func designErrors(t *testing.T, s *optimizetest.Sweep, samples []tegra.Measured) (timePct, powerPct, minutes float64) {
	t.Helper()
	model := must.Get(learn.FitSurrogate(s.Space, samples, learn.SurrogateOptions{Grid: true, Robust: 2}))(t)
	known := map[tegra.Mode]bool{}
	for _, m := range samples {
		known[m.Mode] = true
		minutes += ProfilingS(m.TimeMS) / 60
	}
	var got, want [2][]float64
	for i, p := range model.Predict(s.Space.Modes()) {
		if m := s.At[s.Space.At(i)]; !known[m.Mode] {
			got[0], want[0] = append(got[0], p.TimeMS), append(want[0], m.TimeMS)
			got[1], want[1] = append(got[1], p.PowerW), append(want[1], m.PowerW)
		}
	}
	return learn.MAPE(got[0], want[0]), learn.MAPE(got[1], want[1]), minutes
}

// The bars of 20 chosen modes: medians of the errors over the designs, and the mean minutes of random modes. The
// errors of ResNet and Orin Nano equal the errors of random modes.
func TestDesignBeatsRandomModes(t *testing.T) {
	if testing.Short() {
		t.Skip("follows four designs")
	}
	t.Parallel()
	seeds := uint64(1)
	if os.Getenv("JTUNE_LONG") != "" {
		seeds = 30
	}
	for _, c := range []struct {
		name              string
		timePct, powerPct float64
	}{
		{sweeptest.MobileNet, 6.2, 2.9},
		{sweeptest.LSTM, 3.0, 2.5},
		{sweeptest.ResNet, 6.5, 3.5},
		{sweeptest.OrinNano, 3.8, 4.4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			const modes = 20
			s := optimizetest.Load(t, c.name)
			random := 0.0
			for _, r := range s.Rows {
				random += modes * ProfilingS(r.TimeMS) / 60 / float64(len(s.Rows))
			}
			var timePct, powerPct, minutes []float64
			for seed := range seeds {
				e, p, m := designErrors(t, s, follow(s, New(tegra.PlacesOf(s.Space, nil), modes, seed)))
				timePct, powerPct, minutes = append(timePct, e), append(powerPct, p), append(minutes, m)
			}
			mid := func(v []float64) float64 { return stats.Median(v) }
			t.Logf("%.2f / %.2f %%, %.2f min, %.2f at most (random %.2f)",
				mid(timePct), mid(powerPct), mid(minutes), slices.Max(minutes), random)
			if mid(timePct) > c.timePct || mid(powerPct) > c.powerPct {
				t.Errorf("time %.2f %%, power %.2f %%, want %g and %g at most",
					mid(timePct), mid(powerPct), c.timePct, c.powerPct)
			}
			if slices.Max(minutes) > random {
				t.Errorf("up to %.2f minutes of profiling, random modes take %.2f in the mean",
					slices.Max(minutes), random)
			}
		})
	}
}

// On the toy board as well: the modes of a design tell more than as many random ones, in less time.
func TestDesignOnTheToyBoardBeatsRandomModes(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	s := optimizetest.NewSweep(t, b.All())
	const modes, designs = 10, 3
	var chosen, random [3]float64
	for seed := range uint64(designs) {
		var drawn []tegra.Measured
		for _, m := range b.Space.Sample(modes, seed) {
			drawn = append(drawn, b.Answer(m))
		}
		for of, list := range map[*[3]float64][]tegra.Measured{
			&chosen: follow(s, New(tegra.PlacesOf(b.Space, nil), modes, seed)), &random: drawn} {
			time, power, minutes := designErrors(t, s, list)
			of[0], of[1], of[2] = of[0]+time/designs, of[1]+power/designs, of[2]+minutes/designs
		}
	}
	if chosen[0] > random[0] || chosen[1] > 0.9*random[1] || chosen[2] > 0.9*random[2] {
		t.Errorf("errors of time and power in %%, and minutes: %.2f, of random modes %.2f", chosen, random)
	}
}

func TestDesignGoesOnInANewProcess(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	whole := follow(optimizetest.NewSweep(t, b.All()), New(tegra.PlacesOf(b.Space, nil), 9, 1))
	if len(whole) != 9 {
		t.Fatalf("%d modes, want 9", len(whole))
	}
	for n := range whole {
		at, ok := New(tegra.PlacesOf(b.Space, nil), 9, 1).Next(whole[:n])
		if !ok || at != whole[n].Setting {
			t.Errorf("after %d modes: got %v, want %v", n, at, whole[n].Setting)
		}
	}
	again := follow(optimizetest.NewSweep(t, b.All()), New(tegra.PlacesOf(b.Space, nil), 9, 1))
	if !reflect.DeepEqual(whole, again) {
		t.Errorf("equal seeds differ: %v and %v", whole, again)
	}
}

func TestDesignReplacesModesThatFail(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	d := New(tegra.PlacesOf(b.Space, nil), 6, 2)
	var done []tegra.Measured
	proposed := map[tegra.Setting]int{}
	for {
		at, ok := d.Next(done, slices.Collect(maps.Keys(proposed))...)
		if !ok {
			break
		}
		if proposed[at]++; proposed[at] > 1 {
			t.Fatalf("%v was proposed again", at)
		}
		if len(proposed)%3 != 0 {
			done = append(done, b.Answer(at.Mode))
		}
	}
	if len(done) != 6 || len(proposed) != 8 {
		t.Errorf("%d measured of %d proposed, want 6 of 8", len(done), len(proposed))
	}
	var tried []tegra.Setting
	four := New(tegra.PlacesOf(b.Space, nil), 4, 2)
	for at, ok := four.Next(nil); ok; at, ok = four.Next(nil, tried...) {
		tried = append(tried, at)
	}
	if len(tried) != 4 {
		t.Errorf("%d modes tried on a board where all fail, want 4", len(tried))
	}
}

func TestDesignOnSmallSpacesAndOddRows(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	one := must.Get(b.Space.Restrict(b.Space.Sample(1, 1)))(t)
	d := New(tegra.PlacesOf(one, nil), 10, 1)
	only := tegra.Setting{Mode: one.At(0)}
	if at, ok := d.Next(nil); !ok || at != only || d.Len() != 1 {
		t.Errorf("one mode: got %v, %v, %d planned", at, ok, d.Len())
	}
	if at, ok := d.Next(nil, only); ok {
		t.Errorf("one mode that failed: got %v, want the end", at)
	}
	foreign := []tegra.Measured{
		{Setting: tegra.Setting{Mode: tegra.Mode{Cores: 77}}, TimeMS: 5, PowerW: 5},
		{Setting: tegra.Setting{Mode: b.Space.At(3)}, TimeMS: math.NaN(), PowerW: 5},
	}
	if _, ok := New(tegra.PlacesOf(b.Space, nil), 2, 1).Next(foreign); !ok {
		t.Errorf("rows that do not count ended the design")
	}
	sized := []tegra.Measured{b.Answer(b.Space.At(3)), b.Answer(b.Space.At(5))}
	sized[0].Batch, sized[1].Batch = 16, 16
	if at, ok := New(tegra.PlacesOf(b.Space, []int{16}), 2, 1).Next(sized); ok {
		t.Errorf("two modes with their batch size: got %v, want the end", at)
	}
	if _, ok := New(tegra.PlacesOf(b.Space, nil), 0, 1).Next(nil); ok {
		t.Errorf("a design of no modes proposed one")
	}
}

func TestMeanTimeMSIsTheMeanOfTimes(t *testing.T) {
	t.Parallel()
	if got := meanTimeMS([]float64{math.Log(100), math.Log(300)}, math.Log(2)); math.Abs(got-400) > 1e-9 {
		t.Errorf("%g ms is the mean of 200 and 600 ms, want 400", got)
	}
}

package mix

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"jtune/internal/arrivals"
	"jtune/optimize"
	"jtune/optimize/earlier"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// An answer under a load is compared with the preset that draws less by its readings: each counts once, and only for
// its own batch size.
func TestTuneComparesWithThePresetThatIsBestByItsReadings(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	reading := func(mode, batch int, watts float64) tegra.Measured {
		at := tegra.Setting{Mode: space.Modes()[mode], Batch: batch}
		return tegra.Measured{Setting: at, TimeMS: 10, PowerW: watts}
	}
	const answer, one, other = 0, 100, 101
	for _, c := range []struct {
		name     string
		board    []tegra.Measured // what is read in each setting; the second is the present one
		known    []tegra.Measured // readings from before
		batches  []int
		perS     float64
		compared int
	}{
		{"of 20 W known and 21 W read the median is 20.5 W",
			[]tegra.Measured{reading(answer, 0, 10), reading(one, 0, 21), reading(other, 0, 20.7)},
			[]tegra.Measured{reading(one, 0, 20), reading(other, 0, 20.7)}, nil, 5, one},
		{"10 W at batch size 1, which cannot serve the load, are not those of batch size 8",
			[]tegra.Measured{reading(answer, 8, 9), reading(one, 1, 10), reading(one, 8, 22), reading(other, 8, 21)},
			[]tegra.Measured{reading(answer, 8, 9), reading(one, 8, 22), reading(other, 8, 21)},
			[]int{1, 8}, 200, other},
	} {
		measure := func(_ context.Context, at tegra.Setting) (tegra.Measured, error) {
			for _, m := range c.board {
				if m.Setting == at {
					return m, nil
				}
			}
			t.Errorf("%s: %v is measured", c.name, at)
			return tegra.Measured{}, context.Canceled
		}
		o := optimize.TuneOptions{Space: space, Seed: 1, Known: c.known, Batches: c.batches,
			Only: tegra.SettingsOf(c.board), Baselines: optimize.Baselines{
				Present: tegra.Some(c.board[1].Setting),
				Presets: []tegra.Preset{{Name: "1", Mode: space.Modes()[one]}, {Name: "2", Mode: space.Modes()[other]}},
			}}
		r, best, err := Tune(t.Context(), measure, Ask{Load: load(arrivals.Uniform, c.perS)}, o, 1)
		if err != nil || best.Mode != space.Modes()[answer] || r.Preset.Mode != space.Modes()[c.compared] {
			t.Errorf("%s: answer %v, compared with %v: %v", c.name, best.Setting, r.Preset, err)
		}
	}
}

// simpleBoard measures modes that are faster and draw more with each clock, in the form of a workload that has only one
// batch size, and counts the readings of each mode.
func simpleBoard(t *testing.T) (optimize.Measure, map[tegra.Mode]int) {
	t.Helper()
	readings := map[tegra.Mode]int{}
	return func(_ context.Context, at tegra.Setting) (tegra.Measured, error) {
		readings[at.Mode]++
		if at.Batch != 0 || at.Mode.Cores == 0 {
			t.Errorf("%v is measured", at)
		}
		m := at.Mode
		return tegra.Measured{Setting: at, TimeMS: 40 / m.GPU.GHz() / (0.5 + m.CPU.GHz()/4),
			PowerW: 6 + 9*m.GPU.GHz() + 2*m.CPU.GHz() + float64(m.Cores)/4 + m.EMC.GHz()}, nil
	}, readings
}

// A workload with only one batch size is measured without a size, and serves batches of that size. From the readings of
// the closed loop the search finds the mode of least power that is fast enough. Without presets no measurement is for a
// comparison.
func TestTuneOfOneBatchSizeServesBatchesOfIt(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	measure, _ := simpleBoard(t)
	var only []tegra.Setting
	least := math.Inf(1)
	for i, m := range space.Modes() {
		if i%11 != 0 {
			continue
		}
		only = append(only, tegra.Setting{Mode: m})
		if v, _ := measure(t.Context(), only[len(only)-1]); v.TimeMS <= 80 { // eight requests of 100 a second
			least = min(least, v.PowerW)
		}
	}
	r, best, err := Tune(t.Context(), measure, Ask{Load: load(arrivals.Uniform, 100)},
		optimize.TuneOptions{Space: space, Seed: 1, Only: only}, 8)
	if err != nil || !r.Feasible || best.Batch != 8 || r.Setting != (tegra.Setting{Mode: best.Mode}) {
		t.Errorf("answer %v, served with %v, %v", r.Setting, best.Setting, err)
	}
	if r.PowerW > 1.02*least {
		t.Errorf("the answer draws %g W, %g W would do", r.PowerW, least)
	}
	// Its prediction is its own, from readings.
	if p := r.Predicted; p.Setting != r.Setting || math.Abs(p.TimeMS/r.TimeMS-1) > 0.1 {
		t.Errorf("%v was predicted to take %.3g ms, it takes %.3g", p.Setting, p.TimeMS, r.TimeMS)
	}
	for _, p := range r.Probes {
		if p.Why == optimize.Vendor {
			t.Errorf("%v is measured for a comparison", p.Setting)
		}
	}
}

// Only the preset that is best for the load is measured for the comparison: not the one that is best for the limits
// without the load, here the fastest.
func TestTuneMeasuresThePresetOfTheLoadAlone(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	measure, readings := simpleBoard(t)
	low := space.Modes()[40]
	r, _, err := Tune(t.Context(), measure, Ask{Load: load(arrivals.Uniform, 5)}, optimize.TuneOptions{Space: space,
		Seed: 1, Baselines: optimize.Baselines{Presets: []tegra.Preset{{Name: "low", Mode: low},
			{Name: "MAXN", Mode: space.Max()}}}}, 1)
	if err != nil || r.Preset.Mode != low || readings[space.Max()] > 0 {
		t.Errorf("compared with %v; %d readings of MAXN; %v", r.Preset.Setting, readings[space.Max()], err)
	}
}

// A setting that was read several times counts once, by the median. The readings of a workload with only one batch size
// get that size. A failed measurement does not count.
func TestOncePerSettingTakesTheMedianOfReadings(t *testing.T) {
	t.Parallel()
	reading := func(batch int, watts float64) tegra.Measured {
		return tegra.Measured{Setting: at(1, batch), TimeMS: 10,
			PowerW: watts}
	}
	probes := []optimize.Probe{{Measured: reading(0, 30)}, {Measured: reading(0, 31)},
		{Measured: reading(0, 0), Err: context.Canceled}}
	for own, batch := range map[int]int{0: 0, 8: 8} {
		got := oncePerSetting([]tegra.Measured{reading(0, 20)}, probes, own)
		if len(got) != 1 || got[0] != reading(batch, 30) {
			t.Errorf("own batch size %d: %+v", own, got)
		}
	}
}

// Known readings count as the search finds them, in as many measurements: with the drift that two of them show, or not
// at all. By their old times only the fastest mode would keep 32 ms.
func TestTuneCorrectsKnownReadingsForDrift(t *testing.T) {
	t.Parallel()
	var modes []tegra.Mode
	for _, cores := range []int{2, 4, 6, 8} {
		for _, gpu := range []tegra.Freq{400, 800, 1200} {
			modes = append(modes, tegra.Mode{Cores: cores, CPU: tegra.GHz, GPU: gpu * tegra.MHz, EMC: tegra.GHz})
		}
	}
	space, err := tegra.Spanned(modes)
	if err != nil {
		t.Fatal(err)
	}
	measure := func(_ context.Context, at tegra.Setting) (tegra.Measured, error) {
		gpu, cores := at.Mode.GPU.GHz(), float64(at.Mode.Cores)
		return tegra.Measured{Setting: at, TimeMS: 20/gpu + 40/cores, PowerW: 8 + 8*gpu*gpu + cores}, nil
	}
	for _, c := range []struct {
		name  string
		off   func(tegra.Mode) float64 // factor of its known time
		known int
		most  int     // measurements
		watts float64 // of the answer, at most: of 19.12 at best
	}{
		{"none is off", func(tegra.Mode) float64 { return 1 }, 12, 3, 19.12},
		{"all are", func(tegra.Mode) float64 { return 1.6 }, 12, 5, 19.12},
		{"the fast ones are", func(m tegra.Mode) float64 { return 1 + 0.2*float64(m.Cores/2-1) }, 12, 6, 23.52},
	} {
		var known []tegra.Measured
		for _, m := range modes {
			v, _ := measure(t.Context(), tegra.Setting{Mode: m})
			v.TimeMS *= c.off(m)
			known = append(known, v)
		}
		ask := Ask{Load: load(arrivals.Uniform, 10), LatencyMS: 32, Goal: metric.Watts(40)}
		r, best, err := Tune(t.Context(), measure, ask, optimize.TuneOptions{Space: space, Known: known, Seed: 1}, 1)
		if err != nil || best.PeakW > c.watts+0.01 || r.Known != c.known || len(r.Probes) > c.most {
			t.Errorf("%s: %.2f W, want 19.12 at best; %d known; %d measurements; %v", c.name, best.PeakW, r.Known,
				len(r.Probes), err)
		}
	}
}

// A known setting that was measured again counts with both readings, but after a drift with the new one alone.
func TestRecalledKeepsWhatTheSearchCounts(t *testing.T) {
	t.Parallel()
	known := []tegra.Measured{{Setting: at(1, 0), TimeMS: 10, PowerW: 20}, {Setting: at(2, 0), TimeMS: 8, PowerW: 30},
		{Setting: at(3, 0), TimeMS: 6, PowerW: 40}}
	r := optimize.Result{Known: 3, Probes: []optimize.Probe{{Measured: known[0]},
		{Measured: known[2], Err: context.Canceled}}}
	if got := recalled(known, &r); !slices.Equal(got, known) {
		t.Errorf("without a drift: %+v", got)
	}
	r.Drift = earlier.Drift{LnTime: math.Log(2)}
	want := []tegra.Measured{{Setting: at(2, 0), TimeMS: 16, PowerW: 30}, {Setting: at(3, 0), TimeMS: 12, PowerW: 40}}
	if got := recalled(known, &r); !slices.Equal(got, want) {
		t.Errorf("after a drift: %+v, want %+v", got, want)
	}
	if r.Known = 0; recalled(known, &r) != nil {
		t.Error("readings that were set aside count")
	}
}

// The first settings are searched for within the limits of the ask, so that none exceeds the power by far; without
// limits, by their energy.
func TestTuneSearchesItsFirstSettingsWithinTheLimits(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	for _, c := range []struct{ ask, first metric.Goal }{
		{metric.Goal{}, metric.LeastEnergy},
		{metric.Watts(14), metric.Goal{Limits: metric.Power.Max(14), Objective: metric.Time}},
		{metric.Millis(150), metric.Goal{Limits: metric.Time.Max(150), Objective: metric.Time}},
		{metric.Within(metric.Power.Max(14).And(metric.Time.Max(150))),
			metric.Goal{Limits: metric.Power.Max(14).And(metric.Time.Max(150)), Objective: metric.Time}},
	} {
		measure, _ := simpleBoard(t)
		r, _, err := Tune(t.Context(), measure, Ask{Load: load(arrivals.Uniform, 5), Goal: c.ask},
			optimize.TuneOptions{Space: space, Seed: 1}, 1)
		if err != nil || r.Probes[0].Limit != c.first {
			t.Errorf("%v: first within %v, want %v; %v", c.ask, r.Probes[0].Limit, c.first, err)
		}
	}
}

// An answer that only comes nearest has its own prediction, also if it was known and is not measured again.
func TestTunePredictsTheNearestSetting(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	measure, _ := simpleBoard(t)
	var known []tegra.Measured
	for _, m := range space.Modes() {
		v, _ := measure(t.Context(), tegra.Setting{Mode: m})
		known = append(known, v)
	}
	r, _, err := Tune(t.Context(), measure, Ask{Load: load(arrivals.Uniform, 5), LatencyMS: 15,
		Goal: metric.Watts(16)}, optimize.TuneOptions{Space: space, Seed: 1, Known: known}, 1)
	if !errors.Is(err, optimize.ErrInfeasible) || r.Feasible {
		t.Fatalf("15 ms within 16 W: %v, %v", r.Setting, err)
	}
	if p := r.Predicted; p.Setting != r.Setting || math.Abs(p.TimeMS/r.TimeMS-1) > 0.1 {
		t.Errorf("%v takes %.3g ms; predicted: %v, %.3g ms", r.Setting, r.TimeMS, p.Setting, p.TimeMS)
	}
}

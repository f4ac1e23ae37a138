package mix

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// searched searches for the best setting under a load.
func searched(t *testing.T, ask Ask, own int, measure optimize.Measure, o optimize.TuneOptions) (optimize.Result,
	Outcome, error) {
	t.Helper()
	o.Limits, o.Problem, o.Seed = []metric.Goal{ask.Goal}, ask.Problem(o.Batches, own), 1
	r, err := optimize.Tune(t.Context(), measure, o)
	best, err := ask.Answer(r, err, o.Batches, own)
	return r, best, err
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

// A workload with only one batch size is measured without a size, and serves batches of that size: the answer is the
// mode of least power that is fast enough.
func TestProblemOfOneBatchSizeServesBatchesOfIt(t *testing.T) {
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
	r, best, err := searched(t, Ask{Load: load(arrivals.Uniform, 100)}, 8, measure,
		optimize.TuneOptions{Space: space, Only: only})
	if err != nil || !r.Answers[0].Feasible || best.Batch != 8 ||
		r.Answers[0].Setting != (tegra.Setting{Mode: best.Mode}) {
		t.Errorf("answer %v, served with %v, %v", r.Answers[0].Setting, best.Setting, err)
	}
	if r.Answers[0].PowerW > 1.02*least {
		t.Errorf("the answer draws %g W, %g W would do", r.Answers[0].PowerW, least)
	}
}

// The preset that the answer is compared with is the best for the load: the one that draws less and keeps up, and for
// several batch sizes at the answer's, whatever a smaller one would draw.
func TestProblemDecidesWhichPresetTheAnswerIsComparedWith(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	measure, readings := simpleBoard(t)
	low := space.Modes()[40]
	presets := []tegra.Preset{{Name: "low", Mode: low}, {Name: "MAXN", Mode: space.Max()}}
	r, _, err := searched(t, Ask{Load: load(arrivals.Uniform, 5)}, 1, measure,
		optimize.TuneOptions{Space: space, Baselines: optimize.Baselines{Presets: presets}})
	if err != nil || r.Answers[0].Preset.Mode != low || readings[space.Max()] > 0 {
		t.Errorf("compared with %v; %d readings of MAXN; %v", r.Answers[0].Preset.Setting, readings[space.Max()], err)
	}
}

// Known readings count with the drift that two of them show, or not at all. By their old times only the fastest mode
// would keep 32 ms.
func TestProblemFromKnownReadingsOfASlowerDay(t *testing.T) {
	t.Parallel()
	var modes []tegra.Mode
	for _, cores := range []int{2, 4, 6, 8} {
		for _, gpu := range []tegra.Freq{400, 800, 1200} {
			modes = append(modes, tegra.Mode{Cores: cores, CPU: tegra.GHz, GPU: gpu * tegra.MHz, EMC: tegra.GHz})
		}
	}
	space := must.Get(tegra.Spanned(modes))(t)
	measure := func(_ context.Context, at tegra.Setting) (tegra.Measured, error) {
		gpu, cores := at.Mode.GPU.GHz(), float64(at.Mode.Cores)
		return tegra.Measured{Setting: at, TimeMS: 20/gpu + 40/cores, PowerW: 8 + 8*gpu*gpu + cores}, nil
	}
	for name, off := range map[string]float64{"none is off": 1, "all are": 1.6} {
		var known []tegra.Measured
		for _, m := range modes {
			v, _ := measure(t.Context(), tegra.Setting{Mode: m})
			v.TimeMS *= off
			known = append(known, v)
		}
		ask := Ask{Load: load(arrivals.Uniform, 10), LatencyMS: 32, Goal: metric.Watts(40)}
		r, best, err := searched(t, ask, 1, measure, optimize.TuneOptions{Space: space, Known: known})
		if err != nil || best.PeakW > 19.13 || len(r.Probes) > 5 {
			t.Errorf("%s: %.2f W, want 19.12; %d measurements; %v", name, best.PeakW, len(r.Probes), err)
		}
	}
}

// What no setting keeps ends with the nearest, and only where the readings show it as the limit of the board.
func TestAnswerIsTheNearestWhereNoSettingKeepsTheLoad(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	for _, c := range []struct {
		ask   Ask
		ended []optimize.Ended
	}{
		{Ask{Load: load(arrivals.Poisson, 5), LatencyMS: 500, Goal: metric.Watts(5)}, []optimize.Ended{optimize.NoWay}},
		{Ask{Load: load(arrivals.Uniform, 1e6)}, []optimize.Ended{optimize.NoWay}},
		{Ask{Load: load(arrivals.Uniform, 5), LatencyMS: 15, Goal: metric.Watts(16)},
			[]optimize.Ended{optimize.Converged, optimize.NoWay}},
	} {
		measure, _ := simpleBoard(t)
		r, best, err := searched(t, c.ask, 1, measure, optimize.TuneOptions{Space: space})
		none, ok := errors.AsType[*NoSettingError](err)
		if !ok || r.Answers[0].Feasible || none.Nearest.Setting != best.Setting || none.Tried == 0 || best.Meets {
			t.Fatalf("%v: %+v, %v", c.ask, best, err)
		}
		if r.Ended != c.ended[0] && r.Ended != c.ended[len(c.ended)-1] || len(r.Probes) > 20 {
			t.Errorf("%v: ended as %v after %d measurements", c.ask, r.Ended, len(r.Probes))
		}
	}
}

// A setting that did not meet the ask with requests is never the answer.
func TestProblemRefusesASettingThatFailed(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	measure, _ := simpleBoard(t)
	ask := Ask{Load: load(arrivals.Uniform, 100)}
	first, best, err := searched(t, ask, 8, measure, optimize.TuneOptions{Space: space})
	must.NoError(t, err)
	ask.Failed = []tegra.Setting{best.Setting}
	if again, _, err := searched(t, ask, 8, measure, optimize.TuneOptions{Space: space}); err != nil ||
		again.Answers[0].Setting == first.Answers[0].Setting {
		t.Errorf("%v again, %v", again.Answers[0].Setting, err)
	}
}

// The terms of a setting follow from the queue: what it may take, and how its time and power make the goal.
func TestProblemTermsFollowFromTheLoad(t *testing.T) {
	t.Parallel()
	s := at(1, 4)
	read := tegra.Measured{Setting: s, TimeMS: 20, PowerW: 30}
	rate := load(arrivals.Uniform, 100) // a batch of four every 40 ms, of which it serves half
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		ask  Ask
		want optimize.Terms
	}{
		"least power":  {Ask{Load: rate}, optimize.Terms{MostMS: 40, MostW: inf, ByPower: 1}},
		"a time limit": {Ask{Load: rate, Goal: metric.Millis(25)}, optimize.Terms{MostMS: 25, MostW: inf, ByPower: 1}},
		"latency": {Ask{Load: rate, LatencyMS: 50, Quantile: 1, Goal: metric.Watts(31)},
			optimize.Terms{MostMS: 20, MostW: 31, ByPower: 1}},
		"too short a latency": {Ask{Load: rate, LatencyMS: 25, Quantile: 1}, optimize.Terms{MostW: inf, ByPower: 1}},
		"failed":              {Ask{Load: rate, Failed: []tegra.Setting{s}}, optimize.Terms{MostW: inf, ByPower: 1}},
		"mean power": {Ask{Load: rate, PowerAs: Mean, IdleW: 10, Goal: metric.Watts(25)},
			optimize.Terms{MostMS: 40, MostW: 40, ByTime: 0.5, ByPower: 0.75,
				Plus: math.Log(20) - 0.5*math.Log(20) - 0.75*math.Log(30)}},
		"least energy, idle unknown": {Ask{Load: rate, IdleW: math.NaN(), Goal: metric.LeastEnergy},
			optimize.Terms{MostMS: 40, MostW: inf, ByTime: 1, ByPower: 1, Plus: -math.Log(4000)}},
		"closed loop": {Ask{Load: arrivals.Load{Pattern: arrivals.Closed, Outstanding: 6}, LatencyMS: 100},
			optimize.Terms{MostMS: 50, MostW: inf, ByTime: 1, Plus: -math.Log(4000)}},
		"least time": {Ask{Load: rate, Want: LeastTime}, optimize.Terms{MostMS: 40, MostW: inf, ByTime: 1}},
	} {
		got := c.ask.Problem([]int{4}, 0)(c.ask.Goal, nil)(read)
		for _, d := range []float64{got.ByTime - c.want.ByTime, got.ByPower - c.want.ByPower, got.Plus - c.want.Plus,
			math.Exp(-got.MostMS) - math.Exp(-c.want.MostMS), got.MostMS/c.want.MostMS - 1,
			got.MostW/c.want.MostW - 1} {
			if math.Abs(d) > 1e-9 {
				t.Errorf("%s: %+v, want %+v", name, got, c.want)
				break
			}
		}
	}
}

// A search with a maximal wait judges a batch by the times of the smaller ones that leave instead: 24 to 30 ms here,
// whereas a full one takes 132 ms.
func TestProblemWithAMaximalWaitTakesPartialBatchesByTheirTimes(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	var only []tegra.Setting
	for i, m := range space.Modes() {
		if i%26 == 0 {
			only = append(only, tegra.Setting{Mode: m, Batch: 1}, tegra.Setting{Mode: m, Batch: 32})
		}
	}
	ask := Ask{Load: load(arrivals.Poisson, 8), MaxWait: 20 * time.Millisecond, LatencyMS: 100, IdleW: 5,
		PowerAs: Mean, Goal: metric.Watts(8)}
	r, best, err := searched(t, ask, 0, func(_ context.Context, at tegra.Setting) (tegra.Measured, error) {
		return tegra.Measured{Setting: at, TimeMS: 20 + 3.5*float64(at.Batch), PowerW: 10 + 5*at.Mode.GPU.GHz()}, nil
	}, optimize.TuneOptions{Space: space, Batches: []int{1, 32}, Only: only})
	if err != nil || !r.Answers[0].Feasible || best.LatencyMS > 60 || best.MeanW > 7.1 {
		t.Errorf("%+v, feasible %v, %v", best, r.Answers[0].Feasible, err)
	}
}

// Latencies measured at a like load correct the calculated ones: with a fifth more, the batch must be faster.
func TestProblemCorrectsLatenciesByMeasuredOnes(t *testing.T) {
	t.Parallel()
	read := tegra.Measured{Setting: at(1, 1), TimeMS: 20, PowerW: 30}
	expected := func(tegra.Setting) tegra.Measured { return read }
	ask := Ask{Load: load(arrivals.Uniform, 10), LatencyMS: 30}
	before := ask.Problem([]int{1}, 0)(ask.Goal, expected)(read)
	ask.Sent = []Sent{{read.Setting, 10, 24}}
	after := ask.Problem([]int{1}, 0)(ask.Goal, expected)(read)
	if math.Abs(before.MostMS-30) > 1e-9 || math.Abs(after.MostMS-25) > 1e-9 {
		t.Errorf("a batch may take %g ms, and after a latency of 24 ms of 20 %g", before.MostMS, after.MostMS)
	}
}

package mix

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/arrivals"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// at is a setting of a mode that its number of cores names.
func at(cores, batch int) tegra.Setting { return tegra.Setting{Mode: modeOf(cores), Batch: batch} }

// read is a measured setting.
func read(s tegra.Setting, ms, watts float64) learn.Prediction {
	return optimize.MeasuredPrediction(tegra.Measured{Setting: s, TimeMS: ms, PowerW: watts})
}

// doubted is a predicted setting, with deviations in logarithms.
func doubted(s tegra.Setting, ms, watts, sdTime, sdPower float64) learn.Prediction {
	p := read(s, ms, watts)
	p.LnTimeSD, p.LnPowerSD = sdTime, sdPower
	return p
}

func TestAskSaysItsLimitsInWords(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]Ask{
		"30/s poisson": {Load: load(arrivals.Poisson, 30)},
		"30/s poisson, p99 ≤ 50 ms, peak power ≤ 30 W": {Load: load(arrivals.Poisson, 30), LatencyMS: 50,
			Goal: metric.Watts(30)},
		"7/s uniform, p95 ≤ 50 ms, mean power ≤ 12 W, batch ≤ 20 ms, wait 5 ms": {Load: load(arrivals.Uniform, 7),
			LatencyMS: 50, Quantile: 0.95, PowerAs: Mean, MaxWait: 5 * time.Millisecond,
			Goal: metric.Within(metric.Power.Max(12).And(metric.Time.Max(20)))},
	} {
		if got := a.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestGoalKeepsTheIdlePowerWhereItIsKnown(t *testing.T) {
	t.Parallel()
	g := metric.Question{Load: arrivals.Spec{RatePerS: 30, LatencyMS: 50, Quantile: 0.99}}
	if a, err := AskOf(g, 1); err != nil || !math.IsNaN(a.IdleW) {
		t.Errorf("idle power %v, %v, want none", a.IdleW, err)
	}
	g.Load.IdleW = 8
	if a, err := AskOf(g, 1); err != nil || a.IdleW != 8 || a.PowerAs != Peak {
		t.Errorf("idle power %v, %v, want 8 W", a.IdleW, err)
	}
}

// If no setting meets the limits, the error names the nearest one: its latency, power, most requests and what it
// misses.
func TestNoSettingErrorSaysWhatComesNearest(t *testing.T) {
	t.Parallel()
	const predicted = "no power mode is predicted to meet the limit ("
	for _, c := range []struct {
		batch   int
		rate    float64
		pattern arrivals.Pattern
		want    string
	}{
		{4, 120, arrivals.Uniform, predicted + "120/s uniform, p99 ≤ 30 ms): nearest is " +
			modeOf(3).String() + " at batch size 4 with 20 W, at most 100 requests/s (busy 120 % of the " +
			"time, over 100 %; latency 65 ms, over 30 ms)"},
		{0, 10, arrivals.Uniform, predicted + "10/s uniform, p99 ≤ 30 ms): nearest is " +
			modeOf(3).String() + " with p99 40 ms, 20 W, at most 10 requests/s (latency 40 ms, over 30 ms)"},
		{1, 24.5, arrivals.Poisson, predicted + "24.5/s poisson, p99 ≤ 30 ms): nearest is " +
			modeOf(3).String() + " at batch size 1 with 20 W, at most 25 requests/s (busy 98 % of the time, " +
			"over 95 %; latency 40 ms, over 30 ms)"},
	} {
		a := Ask{Load: load(c.pattern, c.rate), LatencyMS: 30}
		only := at(3, c.batch)
		_, err := a.Choose([]tegra.Setting{only}, NewPhase([]learn.Prediction{read(only, 40, 20)}), Phase{})
		if !errors.Is(err, optimize.ErrInfeasible) {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, err.Error()); d != "" {
			t.Errorf("batch %d (-want +got):\n%s", c.batch, d)
		}
	}
}

// A measured mix is judged by its measurement alone.
func TestAsSeenIsJudgedAgain(t *testing.T) {
	t.Parallel()
	a := Ask{Load: load(arrivals.Uniform, 10), LatencyMS: 30, Goal: metric.Watts(15)}
	o, _ := a.Evaluate(at(3, 0), NewPhase([]learn.Prediction{read(at(3, 0), 40, 20)}), Phase{})
	v := a.AsSeen(o, Seen{LatencyMS: 60, ServedPerS: 10, TrainPerS: 2, MeanW: 12, IdleShare: 0.5})
	if v.Meets || v.Why() != "power 20 W, over 15 W; latency 60 ms, over 30 ms" || v.TrainPerS != 2 ||
		math.Abs(v.excess-math.Log(20./15)-math.Log(2)) > 1e-12 || v.JPerUnit != 1.2 {
		t.Errorf("%+v: %s", v, v.Why())
	}
	a.PowerAs, a.IdleW = Mean, 5
	if v = a.AsSeen(o, Seen{LatencyMS: 25, ServedPerS: 10, MeanW: 12}); !v.Meets || v.Why() != "" || v.excess != 0 {
		t.Errorf("within both limits: %+v, %s", v, v.Why())
	}
	if v = a.AsSeen(o, Seen{LatencyMS: 25}); !math.IsNaN(v.JPerUnit) {
		t.Errorf("nothing was served: %v J for each", v.JPerUnit)
	}
}

// Training that fills all gaps leaves no idle time, so that the idle power need not be known. With strict turns
// random arrivals leave less room than even ones: 10.4 minibatches a second by another program's simulation, not
// 11.25.
func TestEvaluateCountsWhatTurnsTrain(t *testing.T) {
	t.Parallel()
	infer, train := NewPhase([]learn.Prediction{known(16, 28, 20)}), NewPhase([]learn.Prediction{known(0, 60, 30)})
	for _, c := range []struct {
		pattern arrivals.Pattern
		policy  string
		trains  float64
		watts   float64 // NaN: not known, as time is idle
	}{
		{arrivals.Uniform, Fill, 14.92, 28.95}, {arrivals.Poisson, Fill, 14.92, 28.95},
		{arrivals.Uniform, Strict, 11.25, math.NaN()}, {arrivals.Poisson, Strict, 10.4, math.NaN()},
	} {
		a := Ask{Load: load(c.pattern, 60), IdleW: math.NaN(), Policy: c.policy}
		o, ok := a.Evaluate(tegra.Setting{Mode: oneMode, Batch: 16}, infer, train)
		if !ok || math.IsNaN(o.MeanW) != math.IsNaN(c.watts) || math.Abs(o.MeanW-c.watts) > 0.01 ||
			math.Abs(o.TrainPerS/c.trains-1) > 0.02 {
			t.Errorf("%+v: mean power %v W, %v minibatches a second, idle %v", c, o.MeanW, o.TrainPerS, o.IdleShare)
		}
	}
}

func TestPhaseTimesBeyondTheLargestSizeAreThatOfIt(t *testing.T) {
	t.Parallel()
	p := NewPhase([]learn.Prediction{known(16, 40, 20), known(4, 16, 20)})
	got := p.times(tegra.Setting{Mode: oneMode, Batch: 20}, 1)
	if len(got) != 21 || got[20] != 0.04 || got[17] != 0.04 || got[0] != 0.016 {
		t.Errorf("got %v", got)
	}
}

// Each latency that was measured counts, however short.
func TestCorrectedTakesShortLatencies(t *testing.T) {
	t.Parallel()
	fast := read(at(3, 1), 0.5, 20)
	a := Ask{Load: load(arrivals.Uniform, 20), LatencyMS: 10, Sent: []Sent{{fast.Setting, 20, 0.55}}}
	c := a.Corrected(NewPhase([]learn.Prediction{fast}))
	if got := c.off.factor(0); math.Abs(got-1.1) > 1e-9 {
		t.Errorf("0.55 ms in place of 0.5 correct by %v", got)
	}
}

// Settings are compared in any order with one result: the front has the least power first.
func TestMapIsTheSameInAnyOrderOfSettings(t *testing.T) {
	t.Parallel()
	var infer, train []learn.Prediction
	var settings []tegra.Setting
	for cores := 1; cores <= 12; cores++ {
		settings = append(settings, at(cores, 4))
		infer = append(infer, read(at(cores, 4), 120/float64(cores), 9+2*float64(cores)))
		train = append(train, read(at(cores, 0), 240/float64(cores), 10+2*float64(cores)))
	}
	for _, pattern := range []arrivals.Pattern{arrivals.Uniform, arrivals.Poisson} {
		a := Ask{Goal: metric.Watts(30), LatencyMS: 500, IdleW: math.NaN(), Load: load(pattern, 40)}
		front := func(list []tegra.Setting) (out []tegra.Setting) {
			m, ok := a.Map(list, NewPhase(infer), NewPhase(train))
			if !ok {
				t.Fatal("no map")
			}
			for _, i := range m.Front {
				out = append(out, m.List[i].Setting)
			}
			return out
		}
		forth, back := front(settings), slices.Clone(settings)
		slices.Reverse(back)
		if d := cmp.Diff(forth, front(back)); d != "" || len(forth) < 3 {
			t.Errorf("%s: the front of reversed settings (-want +got):\n%s", pattern, d)
		}
	}
}

// If all mixes are late, the map shows the least late one.
func TestMapOfLateMixesIsTheLeastLate(t *testing.T) {
	t.Parallel()
	var infer, train []learn.Prediction
	var settings []tegra.Setting
	for cores := 1; cores <= 4; cores++ { // the more cores, the slower, so that the first is the nearest
		settings = append(settings, at(cores, 1))
		infer = append(infer, read(at(cores, 1), 15+float64(cores), 9+float64(cores)))
		train = append(train, read(at(cores, 0), 40, 10+float64(cores)))
	}
	a := Ask{LatencyMS: 21, Quantile: 0.99, IdleW: math.NaN(), Load: load(arrivals.Poisson, 40), Policy: Fill}
	m, ok := a.Map(settings, NewPhase(infer), NewPhase(train))
	if !ok || len(m.List) != 1 || m.List[0].Setting != settings[0] {
		t.Errorf("got %+v, want %v", m.List, settings[0])
	}
}

// Two modes, each within the power limit with the margin kept, and exactly at it.
func TestSeparateKeepsTheMarginOfBothPhases(t *testing.T) {
	t.Parallel()
	infer := func(watts, sd float64) Phase {
		return NewPhase([]learn.Prediction{doubted(at(1, 10), 100, watts, 0, sd)})
	}
	train := func(watts, sd float64) Phase {
		return NewPhase([]learn.Prediction{doubted(at(2, 0), 50, watts, 0, sd)})
	}
	for _, c := range []struct {
		infer, train Phase
		ok           bool
	}{
		{infer(20, 0), train(20, 0), true}, {infer(20.01, 0), train(20, 0), false},
		{infer(20, 0), train(20.01, 0), false}, {infer(19, 0.1), train(10, 0), false},
		{infer(10, 0), train(19, 0.1), false}, {infer(16, 0.1), train(16, 0.1), true},
	} {
		a := Ask{Goal: metric.Goal{Limits: metric.Power.Max(20), Margin: metric.MarginOf(1)},
			Load: load(arrivals.Uniform, 10)}
		if got, ok := a.Separate([]tegra.Setting{at(1, 10)}, c.infer, c.train, 0.01); ok != c.ok {
			t.Errorf("%+v %+v: %+v, %v", c.infer, c.train, got, ok)
		}
	}
}

// A curve's energy equals a simulation's, and its longest service time is the one that Evaluate takes.
func TestLoadCurveKnowsEnergyAndTheLongestBatch(t *testing.T) {
	t.Parallel()
	a := Ask{Load: load(arrivals.Poisson, 40), LatencyMS: 400, IdleW: 8, Quantile: 0.9}
	for _, ms := range []float64{30, 61.3, 80} {
		phase := NewPhase([]learn.Prediction{read(at(1, 4), ms, 20)})
		want, _ := a.Evaluate(at(1, 4), phase, Phase{})
		got, ok := a.NewLoadCurve(phase).Estimate(at(1, 4))
		if !ok || math.Abs(got.MeanW/want.MeanW-1) > 0.003 || math.Abs(got.JPerUnit/want.JPerUnit-1) > 0.003 {
			t.Errorf("%g ms: mean power %.4g W, simulated %.4g", ms, got.MeanW, want.MeanW)
		}
	}
	c := a.NewLoadCurve(NewPhase([]learn.Prediction{read(at(1, 4), 30, 20)}))
	if got, want := c.lnGrowth(4, 0.05), -math.Log(0.5); math.Abs(got-want) > 1e-12 {
		t.Errorf("a server that is busy half of the time: %v, want %v", got, want)
	}
	for _, l := range []Ask{
		{Load: a.Load, LatencyMS: 5000, Quantile: 0.9, Goal: metric.Millis(25)}, // by the batch's own limit
		{Load: a.Load, LatencyMS: 150, Quantile: 0.9}, {Load: load(arrivals.Uniform, 40), LatencyMS: 150},
		{Load: load(arrivals.Uniform, 40), LatencyMS: 150, off: correction{ln: 0.2}},
		{Load: a.Load, LatencyMS: 150, Quantile: 0.9, off: correction{ln: 0.2}},
		{Load: a.Load, Quantile: 0.9}, {Load: arrivals.Load{Outstanding: 9}, LatencyMS: 150}, // nine take three turns
	} {
		l.Goal.Margin = metric.NoMargin
		base := NewPhase([]learn.Prediction{read(at(1, 4), 30, 20)})
		o, _ := l.bound(at(1, 4), base, Phase{})
		longest := l.NewLoadCurve(base).slowest(o)
		for _, share := range []float64{0.98, 1.02} {
			got, _ := l.Evaluate(at(1, 4), NewPhase([]learn.Prediction{read(at(1, 4), share*longest, 20)}), Phase{})
			if got.Meets != (share < 1) {
				t.Errorf("%v: %.4g ms of at most %.4g meet it: %v (%s)", l, share*longest, longest, got.Meets,
					got.Why())
			}
		}
	}
}

// Where batches that are not full may leave, their times count, also where full ones take as long.
func TestLoadCurveTellsShapesOfBatchesApart(t *testing.T) {
	t.Parallel()
	a := Ask{Load: load(arrivals.Poisson, 30), MaxWait: time.Millisecond, Quantile: 0.9}
	phase := NewPhase([]learn.Prediction{read(at(1, 1), 5, 20), read(at(1, 8), 40, 20), read(at(2, 1), 36, 20),
		read(at(2, 8), 40, 20)})
	c := a.NewLoadCurve(phase)
	quick, _ := c.Estimate(at(1, 8))
	flat, _ := c.Estimate(at(2, 8))
	if quick.LatencyMS > 0.7*flat.LatencyMS {
		t.Errorf("small batches of 5 and 36 ms have %.4g and %.4g ms", quick.LatencyMS, flat.LatencyMS)
	}
}

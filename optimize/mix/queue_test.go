package mix

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/internal/stats"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/metric"
)

func load(p arrivals.Pattern, rate float64) arrivals.Load {
	return arrivals.Load{Pattern: p, RatePerS: rate}
}

// With random arrivals and fixed service times (M/D/1) the mean wait is ρs/(2(1−ρ)): 15 ms for 30 requests per second
// of 20 ms (Pollaczek and Khinchine).
func TestQueueingWaitsAsLongAsTheFormulaForFixedServiceTimes(t *testing.T) {
	t.Parallel()
	q := Queueing{Load: load(arrivals.Poisson, 30), ServeS: []float64{0, 0.02}, Requests: 400_000, Seed: 1}
	w := q.Simulate()
	if got := stats.Mean(w.LatenciesMS) - 20; math.Abs(got/15-1) > 0.02 {
		t.Errorf("mean wait %.2f ms, want 15", got)
	}
	if got := w.BusyS / w.SpanS; math.Abs(got/0.6-1) > 0.01 {
		t.Errorf("busy %.3f of the time, want 0.6", got)
	}
	q.Requests = 2000
	if a, b := q.Simulate(), q.Simulate(); !slices.Equal(a.LatenciesMS, b.LatenciesMS) {
		t.Error("equal seeds give other numbers")
	}
	if q.Seed = 2; slices.Equal(q.Simulate().LatenciesMS, w.LatenciesMS[:2000]) {
		t.Error("another seed gives equal numbers")
	}
}

// The worked example of docs/method.md, "Load": 60 requests per second in batches of 16, 28 ms per batch, with
// minibatches of 60 ms. The numbers come from another program's simulation of 100,000 requests.
func TestQueueingGivesTheWorkedExample(t *testing.T) {
	t.Parallel()
	n := 30_000
	if os.Getenv("JTUNE_LONG") != "" {
		n = 100_000
	}
	full, partial := make([]float64, 17), make([]float64, 17)
	for k := range full {
		full[k], partial[k] = 0.028, 0.028*(0.3+0.7*float64(k)/16)
	}
	for _, c := range []struct {
		name      string
		pattern   arrivals.Pattern
		minibatch float64
		policy    string
		wait      float64 // ms
		serve     []float64
		ms        map[float64]float64
		train     float64
	}{
		{"alone", arrivals.Uniform, 0, "", 0, full, map[float64]float64{0.5: 145, 0.99: 278, 1: 278}, 0},
		{"alone", arrivals.Poisson, 0, "", 0, full, map[float64]float64{0.5: 145, 0.95: 312, 0.99: 379}, 0},
		{"strict", arrivals.Uniform, 0.06, Strict, 0, full, map[float64]float64{0.5: 145, 1: 278}, 11.25},
		{"strict", arrivals.Poisson, 0.06, Strict, 0, full, map[float64]float64{0.5: 145, 0.95: 312, 0.99: 379}, 10.4},
		{"fill", arrivals.Uniform, 0.06, Fill, 0, full, map[float64]float64{0.5: 183, 0.99: 327, 1: 338}, 14.92},
		{"fill", arrivals.Poisson, 0.06, Fill, 0, full, map[float64]float64{0.5: 175, 0.95: 345, 0.99: 413}, 14.92},
		{"fill, 100 ms", arrivals.Poisson, 0.06, Fill, 100, partial,
			map[float64]float64{0.5: 93, 0.95: 155, 0.99: 169}, 14.5},
	} {
		batching := arrivals.Batching{Size: 16, MaxWait: duration(c.wait / 1000)}
		w := Queueing{Load: load(c.pattern, 60), Batching: batching, ServeS: c.serve, MinibatchS: c.minibatch,
			Policy: c.policy, Tau: 3, Requests: n, Seed: 7}.Simulate()
		name := fmt.Sprintf("%s %s", c.pattern, c.name)
		for q, want := range c.ms {
			if got := stats.NearestRankOf(w.LatenciesMS, q); math.Abs(got/want-1) > 0.03 {
				t.Errorf("%s: p%g is %.1f ms, want %g", name, 100*q, got, want)
			}
		}
		if got := float64(w.Minibatches) / w.SpanS; math.Abs(got-c.train) > 0.03*c.train {
			t.Errorf("%s: %.2f minibatches per second, want %g", name, got, c.train)
		}
	}
}

func BenchmarkQueueing(b *testing.B) {
	serve := make([]float64, 17)
	for k := range serve {
		serve[k] = 0.028
	}
	for b.Loop() {
		w := Queueing{Load: load(arrivals.Poisson, 60), Batching: arrivals.Batching{Size: 16}, ServeS: serve}.Simulate()
		stats.NearestRankOf(w.LatenciesMS, 0.99)
	}
}

// In a closed loop each answered request makes room for the next: four outstanding ones in batches of two wait for one
// other batch.
func TestQueueingOfAClosedLoopGoesOn(t *testing.T) {
	t.Parallel()
	w := Queueing{Load: arrivals.Load{Outstanding: 4}, Batching: arrivals.Batching{Size: 2},
		ServeS: []float64{0, 0.01, 0.01}, Requests: 20}.Simulate()
	if len(w.LatenciesMS) != 20 || stats.NearestRankOf(w.LatenciesMS, 0.5) != 20 || math.Abs(w.BusyS-w.SpanS) > 1e-9 {
		t.Errorf("%+v", w)
	}
}

// The simulation with the margin takes the slower batches and minibatches.
func TestQueueingWithTheMarginIsSlower(t *testing.T) {
	t.Parallel()
	train := known(0, 60, 30)
	o := Outcome{TimeMS: 20, slowS: 0.03, slowTrain: 0.09, train: &train}
	o.Setting = known(1, 20, 20).Setting
	phase := NewPhase([]learn.Prediction{known(1, 20, 20)})
	for slow, want := range map[bool][2]float64{false: {0.02, 0.06}, true: {0.03, 0.09}} {
		q := (&Ask{}).queueing(&o, phase, slow)
		if math.Abs(q.ServeS[1]-want[0]) > 1e-12 || q.MinibatchS != want[1] {
			t.Errorf("with the margin %v: %v s a batch, %v s a minibatch, want %v", slow, q.ServeS[1],
				q.MinibatchS, want)
		}
	}
}

// affine returns a mode's batches that take launch and perRequest for each request, in ms.
func affine(cores int, launch, perRequest, watts float64, sizes ...int) (preds []learn.Prediction) {
	for _, b := range sizes {
		preds = append(preds, read(at(cores, b), launch+perRequest*float64(b), watts))
	}
	return preds
}

// settingsOf returns the settings of predictions.
func settingsOf(preds []learn.Prediction) (out []tegra.Setting) {
	for _, p := range preds {
		out = append(out, p.Setting)
	}
	return out
}

// Batches that leave before they are full keep a server busier than full ones. A limit on mean power holds for what
// they take, in the answer, its margin, the standing and the front: 19.6 W in the second mode, not the 10 W of full
// batches of 32.
func TestAskWithAMaximalWaitKeepsTheMeanPower(t *testing.T) {
	t.Parallel()
	preds := append(affine(1, 60, 3, 40, 1, 4, 32), affine(2, 90, 5, 25, 1, 4, 32)...)
	infer, settings := NewPhase(preds), settingsOf(preds)
	a := Ask{Load: load(arrivals.Poisson, 10), MaxWait: 20 * time.Millisecond, IdleW: 8, PowerAs: Mean}
	for watts, want := range map[float64][]tegra.Setting{16: nil, 22: {at(2, 4), at(2, 32)}} {
		a.Goal.Limits = a.Goal.Limits.And(metric.Power.Max(watts))
		curve := a.NewLoadCurve(infer)
		var meet, within []tegra.Setting
		for _, s := range settings {
			if o, _ := a.Evaluate(s, infer, Phase{}); o.Meets {
				meet = append(meet, s)
			}
			if curve.Stand(s, 1).Within() {
				within = append(within, s)
			}
		}
		if !slices.Equal(meet, want) || !slices.Equal(within, want) {
			t.Errorf("%g W: %v meet it, %v count as within, want %v", watts, meet, within, want)
		}
		front := curve.Front(settings, func(o Outcome) float64 { return o.MeanW })
		got, err := a.Choose(settings, infer, Phase{})
		var none *NoSettingError
		switch {
		case want == nil && (!errors.As(err, &none) || none.Nearest.Why() != "power 19.58 W, over 16 W" ||
			front != nil):
			t.Errorf("%g W: %+v, %v, front %+v", watts, got, err, front)
		case want != nil && (err != nil || got[0].Mode.Cores != 2 || len(front) == 0 || front[0].Mode.Cores != 2):
			t.Errorf("%g W: %+v, %v, front %+v", watts, got, err, front)
		}
	}
	doubtful := doubted(at(2, 4), 110, 25, 0, 0.1)
	if o, _ := a.Evaluate(doubtful.Setting, NewPhase([]learn.Prediction{doubtful}), Phase{}); o.Meets || o.MeanW > 22 {
		t.Errorf("%.1f W and its doubt are within 22 W: %s", o.MeanW, o.Why())
	}
}

// A mix over the power limit says nothing about slower ones.
func TestAskWithAMaximalWaitTriesSlowerBatchesOfLessPower(t *testing.T) {
	t.Parallel()
	preds := append(affine(1, 100, 0, 30, 1, 8), affine(2, 101, 0, 20, 1, 8)...)
	a := Ask{Load: load(arrivals.Uniform, 5), MaxWait: 20 * time.Millisecond, IdleW: 5, PowerAs: Mean,
		Goal: metric.Watts(14), Want: LeastTime}
	got, err := a.Choose([]tegra.Setting{at(1, 8), at(2, 8)}, NewPhase(preds), Phase{})
	if err != nil || got[0].Setting != at(2, 8) {
		t.Errorf("%+v, %v, want the second mode", got, err)
	}
}

// With a maximal wait, partial batches decide which setting needs the least energy or mean power, and which one is
// late: full ones of 32 take less time and energy in the first mode, small ones in the second.
func TestAskWithAMaximalWaitChoosesByPartialBatches(t *testing.T) {
	t.Parallel()
	sizes := []int{1, 2, 4, 8, 16, 32}
	preds := append(affine(1, 100, 0.5, 20, sizes...), affine(2, 20, 3.5, 20, sizes...)...)
	preds = append(preds, affine(3, 101, 0.5, 20, sizes...)...)
	infer, settings := NewPhase(preds), settingsOf(preds)
	a := Ask{Load: load(arrivals.Poisson, 8), MaxWait: 20 * time.Millisecond, IdleW: 5}
	for _, c := range []struct {
		want Want
		as   PowerAs
	}{{LeastEnergy, Peak}, {LeastPower, Mean}} {
		a.Want, a.PowerAs = c.want, c.as
		best := math.Inf(1)
		for _, s := range settings {
			o, _ := a.Evaluate(s, infer, Phase{})
			v, _ := c.want.value(&o, c.as)
			best = min(best, v)
		}
		got, err := a.Choose(settings, infer, Phase{})
		if v, _ := c.want.value(&got[0], c.as); err != nil || len(got) != 1 || v != best {
			t.Errorf("least %s: %v with %.3f, want %.3f: %v", c.want, got[0].Setting, v, best, err)
		}
	}
	a = Ask{Load: a.Load, MaxWait: a.MaxWait, LatencyMS: 110, Want: LeastTime}
	got, err := a.Choose([]tegra.Setting{at(1, 32), at(3, 32), at(2, 32)}, infer, Phase{})
	if err != nil || got[0].Setting != at(2, 32) {
		t.Errorf("within 110 ms: %+v, %v, want the second mode", got, err)
	}
}

// Without a wait the first in time by the formulas is the answer: simulated values differ from them by chance alone.
func TestAskWithoutAWaitTakesTheFirstInTime(t *testing.T) {
	t.Parallel()
	infer := NewPhase([]learn.Prediction{read(at(1, 1), 20, 20), read(at(2, 2), 40, 20.0001)})
	byChance := 0
	for seed := range uint64(8) {
		a := Ask{Load: load(arrivals.Poisson, 20), LatencyMS: 1000, Want: LeastEnergy, IdleW: 5, Seed: seed}
		got, err := a.Choose([]tegra.Setting{at(2, 2), at(1, 1)}, infer, Phase{})
		if err != nil || len(got) != 1 || got[0].Setting != at(1, 1) {
			t.Errorf("seed %d: %+v, %v", seed, got, err)
		}
		if other, _ := a.Evaluate(at(2, 2), infer, Phase{}); other.JPerUnit < got[0].JPerUnit {
			byChance++
		}
	}
	if byChance == 0 {
		t.Error("no seed favours the other")
	}
}

// A setting as slow as a late one is not simulated.
func TestFirstInTimeSkipsSettingsSlowerThanALateOne(t *testing.T) {
	t.Parallel()
	preds := []learn.Prediction{read(at(1, 1), 30, 20), read(at(2, 1), 31, 20), read(at(3, 1), 5, 20)}
	a, infer := Ask{Load: load(arrivals.Poisson, 10), LatencyMS: 32}, NewPhase(preds)
	var list []Outcome
	for _, s := range settingsOf(preds) {
		o, _ := a.bound(s, infer, Phase{})
		list = append(list, o)
	}
	got, nearest := a.firstInTime(list, infer, LeastPower)
	if len(got) != 1 || got[0].Setting != at(3, 1) || nearest.Setting != at(1, 1) {
		t.Errorf("%+v after %+v", got, nearest)
	}
}

// No more than 41 settings within the limits are compared by simulation. The last one needs the least energy, but more
// by the bound.
func TestFirstInTimeComparesFewSettings(t *testing.T) {
	t.Parallel()
	for others, want := range map[int]bool{mostNearby: true, mostNearby + 1: false} {
		var preds []learn.Prediction
		for i := range others {
			preds = append(preds, affine(2+i, 100, 0.5, 20, 1, 32)...)
		}
		preds = append(preds, affine(1, 20, 3.5, 53, 1, 32)...)
		a := Ask{Load: load(arrivals.Poisson, 8), MaxWait: 20 * time.Millisecond, IdleW: 5, Want: LeastEnergy}
		var settings []tegra.Setting
		for _, s := range settingsOf(preds) {
			if s.Batch == 32 {
				settings = append(settings, s)
			}
		}
		got, err := a.Choose(settings, NewPhase(preds), Phase{})
		if err != nil || (got[0].Setting == at(1, 32)) != want {
			t.Errorf("after %d others: %v, %v", others, got[0].Setting, err)
		}
	}
}

// With a wait of 20 ms a batch has at most 1 + 8·(0.02 + 0.101) requests, not 32, and may have one only. A trace may
// fill all batches; without a wait all are full.
func TestBoundOfPartialBatches(t *testing.T) {
	t.Parallel()
	infer := NewPhase(affine(1, 100, 0.5, 20, 1, 32))
	trace := must.Get(arrivals.Recorded([]float64{0, 0.125}))(t)
	for name, c := range map[string]struct {
		load      arrivals.Load
		wait      time.Duration
		busy, lat float64
	}{
		"a wait":  {load(arrivals.Poisson, 8), 20 * time.Millisecond, 0.4105, 100.5},
		"no wait": {load(arrivals.Poisson, 8), 0, 0.029, 3991},
		"a trace": {trace, 20 * time.Millisecond, trace.RatePerS * 0.116 / 32, 100.5},
	} {
		a := Ask{Load: c.load, MaxWait: c.wait, IdleW: 5}
		o, ok := a.bound(at(1, 32), infer, Phase{})
		if busy := (o.MeanW - 5) / 15; !ok || math.Abs(busy-c.busy) > 1e-4 || math.Abs(o.LatencyMS-c.lat) > 1e-6 {
			t.Errorf("%s: busy %.4f of the time, want %.4f; latency %v ms, want %v", name, busy, c.busy, o.LatencyMS,
				c.lat)
		}
		if sure, _ := a.Evaluate(at(1, 32), infer, Phase{}); sure.MeanW < 0.99*o.MeanW || sure.LatencyMS < o.LatencyMS {
			t.Errorf("%s: simulated %.3f W and %.4g ms, below the bound of %.3f W and %.4g ms", name, sure.MeanW,
				sure.LatencyMS, o.MeanW, o.LatencyMS)
		}
	}
}

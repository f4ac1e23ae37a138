package mix

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"jtune/internal/arrivals"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/ladder"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// searchOf is a search that has measured nothing, for an ask by even arrivals at a rate.
func searchOf(ask Ask, rate float64, infer, train []learn.Prediction) *search {
	ask.Load, ask.Want = load(arrivals.Uniform, rate), MostTraining
	return &search{o: Options{Ask: ask, Most: 6}, infer: NewPhase(infer), train: NewPhase(train),
		settings: settingsOf(infer)}
}

// Where mixes are at several shares of a limit and the highest trains most, a search measures the one that trains most
// of those not far over, if there are any.
func TestSearchMeasuresNothingFarOverALimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ask Ask
		of  func(share float64) learn.Prediction // a setting at that share of its limit
	}{
		"power": {Ask{Goal: metric.Watts(20)},
			func(v float64) learn.Prediction { return doubted(at(int(100*v), 1), 20, 20*v, 0, 0.01) }},
		"latency": {Ask{LatencyMS: 20},
			func(v float64) learn.Prediction { return doubted(at(int(100*v), 1), 20*v, 20, 0.01, 0) }},
		"batch": {Ask{Goal: metric.Millis(20)},
			func(v float64) learn.Prediction { return doubted(at(int(100*v), 1), 20*v, 20, 0.01, 0) }},
	} {
		var infer, train []learn.Prediction
		for _, share := range []float64{0.9, 0.97, 1.15, 3} {
			p := c.of(share)
			infer = append(infer, p)
			train = append(train, read(at(p.Mode.Cores, 0), 1/share, 5))
		}
		c.ask.Policy = Strict
		s := searchOf(c.ask, 10, infer, train)
		if next, ended := s.next(); ended.OK || next.Mode.Cores != 97 {
			t.Errorf("%s: it measures %v, ended %v", name, next.Setting, ended)
		}
		s = searchOf(c.ask, 10, infer[2:], train)
		if next, ended := s.next(); ended.OK || next.Mode.Cores != 114 {
			t.Errorf("%s: where all are far over, it measures %v, ended %v", name, next.Setting, ended)
		}
		s.result.Probes = []Probe{{}}
		if _, ended := s.next(); ended.V != optimize.NoWay {
			t.Errorf("%s: after a reading it ends with %v", name, ended)
		}
	}
}

// A mix whose power is little known is not measured before a sure one that trains a little less.
func TestSearchMeasuresASureMixBeforeADoubtfulOne(t *testing.T) {
	t.Parallel()
	sure, doubtful := read(at(1, 1), 20, 19), doubted(at(2, 1), 20, 15, 0, 0.2)
	train := []learn.Prediction{read(at(1, 0), 10, 5), read(at(2, 0), 9, 5)}
	s := searchOf(Ask{Goal: metric.Watts(20)}, 10, []learn.Prediction{doubtful, sure}, train)
	if next, _ := s.next(); next.Setting != sure.Setting {
		t.Errorf("%v is measured, want the sure one", next.Setting)
	}
	s = searchOf(Ask{Goal: metric.Watts(20)}, 10, []learn.Prediction{doubtful}, train)
	if next, ended := s.next(); next.Setting != doubtful.Setting || ended.OK {
		t.Errorf("%v is measured where there is no other, want it", next.Setting)
	}
}

// A search of no particular turns measures whichever train more, and names one mix as the nearest if none meets the
// limits.
func TestSearchTakesTheTurnsThatTrainMore(t *testing.T) {
	t.Parallel()
	infer, train := []learn.Prediction{read(at(1, 1), 20, 20)}, []learn.Prediction{read(at(1, 0), 60, 20)}
	s := searchOf(Ask{Quantile: 1}, 10, infer, train) // windows of 100 ms have room for 80
	if next, _ := s.next(); next.Policy != Fill {
		t.Errorf("it measures %s turns", next.Policy)
	}
	s = searchOf(Ask{Quantile: 1, LatencyMS: 50}, 10, infer, train) // a request that waits for a minibatch is late
	if next, _ := s.next(); next.Policy != Strict {
		t.Errorf("within 50 ms it measures %s turns", next.Policy)
	}
	space := smallSpace(t)
	ask := Ask{Goal: metric.Watts(1), LatencyMS: 50, Quantile: 1, Load: load(arrivals.Uniform, 10)}
	measure := func(context.Context, Outcome) (Reading, error) {
		return Reading{Infer: tegra.Measured{TimeMS: 20, PowerW: 20},
			Train: tegra.Measured{TimeMS: 60, PowerW: 20}}, nil
	}
	first := tegra.Measured{Setting: tegra.Setting{Mode: space.Max(), Batch: 1}, TimeMS: 20, PowerW: 1.05}
	alone := first
	alone.Batch = 0
	r, err := Search(t.Context(), measure, Options{Ask: ask, Space: space, Batches: []int{1},
		Only: []tegra.Setting{first.Setting}, Infer: []tegra.Measured{first}, Train: []tegra.Measured{alone}})
	none, infeasible := errors.AsType[*NoSettingError](err)
	if !infeasible || none.Nearest.turned() != r.Best.turned() || len(r.Probes) == 0 {
		t.Errorf("after %d mixes %v, best %+v", len(r.Probes), err, r.Best)
	}
}

func TestSearchLearnsFromEachMixThatItMeasures(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	var infer, train []tegra.Measured
	for i, m := range space.Modes() {
		if i%13 == 0 {
			infer = append(infer, tegra.Measured{Setting: tegra.Setting{Mode: m, Batch: 1}, TimeMS: 10 / m.GPU.GHz(),
				PowerW: 10 + 5*m.GPU.GHz()})
			train = append(train, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 40 / m.GPU.GHz(),
				PowerW: 12 + 5*m.GPU.GHz()})
		}
	}
	o := Options{Ask: Ask{Load: load(arrivals.Uniform, 5), LatencyMS: 500}, Space: space, Batches: []int{1},
		Infer: infer, Train: train}
	s := &search{ctx: t.Context(), o: o, settings: o.Settings(), tried: map[turned]bool{}}
	if err := s.predict(); err != nil {
		t.Fatal(err)
	}
	there := tegra.Setting{Mode: space.Modes()[20], Batch: 1}
	s.measure = func(context.Context, Outcome) (Reading, error) {
		return Reading{Infer: tegra.Measured{TimeMS: 77, PowerW: 9}, Train: tegra.Measured{TimeMS: 333, PowerW: 8}}, nil
	}
	if _, err := s.probe(Outcome{Setting: there, Policy: Fill}); err != nil {
		t.Fatal(err)
	}
	if err := s.predict(); err != nil {
		t.Fatal(err)
	}
	serve, _ := s.infer.At(there)
	trains, _ := s.train.At(tegra.Setting{Mode: there.Mode})
	again := func(o Outcome) bool { return o.turned() == turned{there, Fill} }
	if serve.TimeMS != 77 || trains.TimeMS != 333 || slices.ContainsFunc(s.open(), again) {
		t.Errorf("the next predictions say %.3g and %.3g ms, want 77 and 333 as measured", serve.TimeMS,
			trains.TimeMS)
	}
}

// Beside training, an answer gives way only to a mix that may train more. One that trains nothing does so to any that
// may train.
func TestSearchBesideTrainingGoesOnForMoreTraining(t *testing.T) {
	t.Parallel()
	mix := func(perS, sd, more float64) Outcome {
		return Outcome{TrainPerS: perS, more: more, windowS: 1, serve: &noPhase, train: &learn.Prediction{LnTimeSD: sd}}
	}
	for _, c := range []struct {
		then, now Outcome
		worth     bool
	}{
		{mix(2, 0, 0), mix(2, 0, 0), false}, {mix(2.1, 0, 0), mix(2, 0, 0), true},
		{mix(2.01, 0, 0), mix(2, 0, 0), false},
		{mix(2, 0.1, 0), mix(2, 0, 0), true}, {mix(1, 0.1, 0), mix(2, 0, 0), false},
		{mix(0, 0, 0.05), mix(0, 0, 0), true}, {mix(0, 0, 0.001), mix(0, 0, 0), false},
	} {
		s := &search{o: Options{Ask: Ask{Want: MostTraining}}, result: Result{Best: c.now, Feasible: true}}
		if got := s.worth(nil)(&c.then) >= gain; got != c.worth {
			t.Errorf("after %g minibatches a second %+v are worth a measurement: %v", c.now.TrainPerS, c.then, got)
		}
	}
}

// A search keeps the best mix that it measured: the first within the limits, then each better one; until then the
// nearest.
func TestSearchKeepsTheBestMixMeasured(t *testing.T) {
	t.Parallel()
	s := &search{o: Options{Ask: Ask{Want: LeastPower}}}
	for i, c := range []struct {
		meets  bool
		watts  float64
		excess float64
		fails  bool
		best   int // index of the best after it
	}{
		{false, 30, 0.3, false, 0}, {false, 40, 0.4, false, 0}, {false, 20, 0.2, false, 2}, {true, 25, 0, false, 3},
		{true, 26, 0, false, 3}, {false, 5, 0.1, false, 3}, {true, 24, 0, true, 3}, {true, 24, 0, false, 7},
		{true, 24, 0, false, 7},
	} {
		p := Probe{Outcome: Outcome{Setting: at(i+1, 1), Meets: c.meets, PeakW: c.watts, excess: c.excess}}
		if p.Err = error(nil); c.fails {
			p.Err = errors.New("no")
		}
		s.take(p)
		r := s.result
		if got := r.Best.Mode.Cores - 1; got != c.best || r.Feasible != (c.best >= 3) {
			t.Errorf("after mix %d the best is %d, feasible %v; want %d", i, got, r.Feasible, c.best)
		}
	}
}

func TestProbesBreakTheLimitsOnPowerAndLatency(t *testing.T) {
	t.Parallel()
	ask := Ask{Goal: metric.Watts(20), LatencyMS: 50, Load: load(arrivals.Uniform, 10)}
	for name, c := range map[string]struct {
		ask         Ask
		timeMS      float64 // at 10/s
		watts       float64
		power, late bool
	}{
		"within":        {ask, 50, 20, false, false},
		"too hungry":    {ask, 50, 20.1, true, false},
		"late":          {ask, 50.1, 20, false, true},
		"just busy":     {Ask{Load: ask.Load}, 100, 20, false, false},
		"too busy":      {Ask{Load: ask.Load}, 110, 20, false, true},
		"no limits":     {Ask{Load: ask.Load}, 90, 90, false, false},
		"by mean power": {Ask{Goal: ask.Goal, PowerAs: Mean, Load: ask.Load}, 50, 30, false, false},
	} {
		o, _ := c.ask.Evaluate(at(1, 1), NewPhase([]learn.Prediction{read(at(1, 1), c.timeMS, c.watts)}), Phase{})
		if got := (&Probe{Outcome: o}).seen(); got.Power != c.power || got.Late != c.late || got.PowerW != o.PeakW {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := (&Probe{Err: errors.New("no")}).seen(); !got.Power || !got.Late || !math.IsNaN(got.Rate) {
		t.Errorf("failed: %+v", got)
	}
}

func TestSearchByGMDBeginsWithTheLargestBatchThatIsInTime(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	measure := func(_ context.Context, o Outcome) (Reading, error) {
		g := o.Mode.GPU.GHz()
		return Reading{Infer: tegra.Measured{Setting: o.Setting, TimeMS: float64(o.Batch) / g, PowerW: 10 + 5*g},
			Train: tegra.Measured{Setting: tegra.Setting{Mode: o.Mode}, TimeMS: 40 / g, PowerW: 10 + 5*g}}, nil
	}
	ask := Ask{LatencyMS: 700, Quantile: 1, Policy: Strict, Load: load(arrivals.Uniform, 30)}
	o := Options{Strategy: gmd, Ask: ask, Space: space, Batches: []int{1, 4, 16, 32}}
	r, err := Search(t.Context(), measure, o)
	if err != nil || len(r.Probes) < 3 {
		t.Fatal(err)
	}
	rungs, places := ladder.New(space), tegra.Places{Space: space, Batches: o.Batches}
	box := rungs.Whole(len(o.Batches))
	fastest := places.At(rungs.Nearest(box.Hi, places, nil)).Mode
	for i, p := range r.Probes {
		switch {
		case i < 2 && (p.Outcome.Mode != fastest || p.Outcome.Batch != []int{32, 16}[i]):
			t.Errorf("probe %d is %v", i, p.Outcome.Setting)
		case i >= 2 && p.Outcome.Batch != 16:
			t.Errorf("probe %d has batch size %d, want 16", i, p.Outcome.Batch)
		}
	}
}

func TestSearchByBinaryHalvesTheGPUFirstAndMeasuresWhatIsLeft(t *testing.T) {
	t.Parallel()
	measure := func(_ context.Context, o Outcome) (Reading, error) {
		g := o.Mode.GPU.GHz()
		return Reading{Infer: tegra.Measured{Setting: o.Setting, TimeMS: 10 / g, PowerW: 10 + 5*g},
			Train: tegra.Measured{Setting: tegra.Setting{Mode: o.Mode}, TimeMS: 40 / g, PowerW: 10 + 5*g}}, nil
	}
	ask := Ask{LatencyMS: 700, Quantile: 1, Policy: Strict, Load: load(arrivals.Uniform, 10)}
	one, err := tegra.NewSpace([]int{4}, []tegra.Freq{tegra.GHz}, []tegra.Freq{tegra.GHz}, []tegra.Freq{tegra.GHz})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Search(t.Context(), measure, Options{Strategy: optimize.Binary, Ask: ask, Space: one, Batches: []int{1}})
	if err != nil || len(r.Probes) != 1 || !r.Feasible {
		t.Errorf("of one setting %d are measured, %v", len(r.Probes), err)
	}
	r, err = Search(t.Context(), measure, Options{Strategy: optimize.Binary, Ask: ask, Space: smallSpace(t),
		Batches: []int{1, 4}})
	if err != nil || len(r.Probes) < 3 {
		t.Fatalf("%d are measured, %v", len(r.Probes), err)
	}
	first, second := r.Probes[0].Outcome.Setting, r.Probes[1].Outcome.Setting
	if first.Mode.GPU == second.Mode.GPU {
		t.Errorf("after %v comes %v: another knob than the GPU's", first, second)
	}
	if second.Mode.GPU = first.Mode.GPU; first != second {
		t.Errorf("more than one knob changes: %v", second)
	}
}

func TestPhasesFailWhereOnePhaseCannotBeFitted(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	good := tegra.Measured{Setting: tegra.Setting{Mode: space.Max(), Batch: 1}, TimeMS: 10, PowerW: 20}
	bad := tegra.Measured{Setting: tegra.Setting{Mode: space.Max()}, TimeMS: math.NaN(), PowerW: 20}
	o := Options{Space: space, Batches: []int{1}, Infer: []tegra.Measured{good}, Train: []tegra.Measured{bad}}
	if _, _, err := Phases(o); err == nil {
		t.Error("a training without a time is taken")
	}
	o.Infer, o.Train = []tegra.Measured{bad}, nil
	if _, _, err := Phases(o); err == nil {
		t.Error("an inference without a time is taken")
	}
}

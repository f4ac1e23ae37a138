package mix

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/arrivals"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/ladder"
	"jtune/tegra"
	"jtune/tegra/metric"
)

func TestSearchMeasuresNothingFarOverALimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ask  Ask
		of   func(share float64) learn.Prediction // a setting at that share of its limit
		want []float64
	}{
		"power": {Ask{Load: load(arrivals.Uniform, 10), Goal: metric.Watts(20)},
			func(v float64) learn.Prediction { return read(at(int(100*v), 1), 20, 20*v) }, []float64{0.9, 1.05, 1.09}},
		"latency": {Ask{Load: load(arrivals.Uniform, 10), LatencyMS: 20},
			func(v float64) learn.Prediction { return read(at(int(100*v), 1), 20*v, 20) }, []float64{0.9, 1.05, 1.09}},
		"batch": {Ask{Load: load(arrivals.Uniform, 10), Goal: metric.Millis(20)},
			func(v float64) learn.Prediction { return read(at(int(100*v), 1), 20*v, 20) }, []float64{0.9, 1.05, 1.09}},
		"busy": {Ask{Load: load(arrivals.Uniform, 50)},
			func(v float64) learn.Prediction { return read(at(int(100*v), 1), 20*v, 20) }, []float64{0.9, 1.05, 1.09}},
		"busy and power": {Ask{Load: load(arrivals.Uniform, 50), Goal: metric.Watts(20)},
			func(v float64) learn.Prediction { return read(at(int(100*v), 1), 20*v, 24*v) }, []float64{0.9}},
	} {
		var preds []learn.Prediction
		var open []tegra.Setting
		for _, share := range []float64{0.9, 1.05, 1.09, 1.15, 3} {
			p := c.of(share)
			preds, open = append(preds, p), append(open, p.Setting)
		}
		s := &search{o: Options{Ask: c.ask}, infer: NewPhase(preds)}
		var got []float64
		for _, a := range s.harmless(open) {
			got = append(got, float64(a.Mode.Cores)/100)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if all := s.harmless(open[4:]); name != "busy" && len(all) != 1 {
			t.Errorf("%s: where all are far over, all are left: got %v", name, all)
		}
	}
}

// While few mixes were measured, one whose power is little known counts as over the limit if a sure one is there.
func TestSearchMeasuresASureMixBeforeADoubtfulOne(t *testing.T) {
	t.Parallel()
	sure, doubtful := read(at(1, 1), 20, 19), doubted(at(2, 1), 20, 15, 0, 0.2)
	s := &search{o: Options{Ask: Ask{Load: load(arrivals.Uniform, 10), Goal: metric.Watts(20)}},
		infer: NewPhase([]learn.Prediction{sure, doubtful})}
	both := []tegra.Setting{doubtful.Setting, sure.Setting}
	if got := s.harmless(both); !slices.Equal(got, both[1:]) {
		t.Errorf("%v may be measured, want the sure one", got)
	}
	if got := s.harmless(both[:1]); len(got) != 1 {
		t.Errorf("%v may be measured where there is no other, want it", got)
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
	s := &search{ctx: t.Context(), o: o, settings: o.Settings(), tried: map[tegra.Setting]*Probe{}}
	if err := s.predict(); err != nil {
		t.Fatal(err)
	}
	there := tegra.Setting{Mode: space.Modes()[20], Batch: 1}
	s.measure = func(context.Context, Outcome) (Reading, error) {
		return Reading{Infer: tegra.Measured{TimeMS: 77, PowerW: 9}, Train: tegra.Measured{TimeMS: 333, PowerW: 8}}, nil
	}
	if _, err := s.probe(Outcome{Setting: there}); err != nil {
		t.Fatal(err)
	}
	if err := s.predict(); err != nil {
		t.Fatal(err)
	}
	serve, _ := s.infer.At(there)
	trains, _ := s.train.At(there)
	if serve.TimeMS != 77 || trains.TimeMS != 333 || slices.Contains(s.open(), there) {
		t.Errorf("the next predictions say %.3g and %.3g ms, want 77 and 333 as measured", serve.TimeMS,
			trains.TimeMS)
	}
}

// Beside training, an answer that trains gives way only to one that trains more. One that trains nothing does so to any
// that trains, whatever the turns.
func TestSearchBesideTrainingGoesOnForMoreTraining(t *testing.T) {
	t.Parallel()
	mix := func(policy string, tau int, perS float64) Outcome {
		sure := &learn.Prediction{}
		return Outcome{Policy: policy, Tau: tau, TrainPerS: perS, serve: sure, train: sure}
	}
	s := &search{o: Options{Ask: Ask{Want: MostTraining}}, train: &Phase{}}
	for _, c := range []struct {
		then, now Outcome
		worth     bool
	}{
		{mix(Strict, 2, 2), mix(Strict, 2, 2), false}, {mix(Strict, 2, 2.1), mix(Strict, 2, 2), true},
		{mix(Fill, 0, 2), mix(Fill, 0, 2), false}, {mix(Fill, 0, 2), mix(Fill, 0, 0), true},
		{mix(Strict, 1, 2), mix(Strict, 0, 0), true}, {mix(Strict, 0, 0), mix(Strict, 0, 0), false},
	} {
		if got := s.worth(c.then, c.now); got != c.worth {
			t.Errorf("%s: after %g minibatches a second %g are worth a measurement: %v", c.now.Policy, c.now.TrainPerS,
				c.then.TrainPerS, got)
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
		p           Probe
		power, late bool
	}{
		"within":     {ask, Probe{Outcome: Outcome{PeakW: 20, LatencyMS: 50}}, false, false},
		"too hungry": {ask, Probe{Outcome: Outcome{PeakW: 20.1, LatencyMS: 50}}, true, false},
		"late":       {ask, Probe{Outcome: Outcome{PeakW: 20, LatencyMS: 50.1}}, false, true},
		"just busy":  {ask, Probe{Outcome: Outcome{PeakW: 20, LatencyMS: 10, Rho: 1}}, false, false},
		"too busy":   {ask, Probe{Outcome: Outcome{PeakW: 20, LatencyMS: 10, Rho: 1.1}}, false, true},
		"failed":     {ask, Probe{Err: errors.New("no")}, true, true},
		"no limits":  {Ask{}, Probe{Outcome: Outcome{PeakW: 90, LatencyMS: 5e9}}, false, false},
		"by mean power": {Ask{Goal: ask.Goal, PowerAs: Mean}, Probe{Outcome: Outcome{PeakW: 30, MeanW: 19}}, false,
			false},
	} {
		s := &search{o: Options{Ask: c.ask}}
		if power, late := s.breaks(&c.p); power != c.power || late != c.late {
			t.Errorf("%s: power %v, late %v", name, power, late)
		}
	}
	a, z := Probe{Outcome: Outcome{PeakW: 20, TrainPerS: 4}}, Probe{Outcome: Outcome{PeakW: 25, TrainPerS: 14}}
	if got := slopeOf(&a, &z); got != 2 {
		t.Errorf("10 minibatches a second for 5 W: %v", got)
	}
	z.PeakW = 20.5
	if got := slopeOf(&a, &z); got != 0 {
		t.Errorf("half a watt says something: %v", got)
	}
	z.PeakW, z.Err = 25, errors.New("no")
	if there, back := slopeOf(&a, &z), slopeOf(&z, &a); there != 0 || back != 0 {
		t.Errorf("a mix that could not be measured says something: %v, %v", there, back)
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

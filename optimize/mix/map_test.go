package mix

import (
	"math"
	"slices"
	"testing"

	"jtune/internal/arrivals"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// mapped is a pair over modes that are faster and hungrier with each core.
func mapped(ask Ask) (Map, bool) {
	var infer, train []learn.Prediction
	var settings []tegra.Setting
	for cores := 1; cores <= 12; cores++ {
		mode := tegra.Mode{Cores: cores}
		v := optimize.MeasuredPrediction(tegra.Measured{Setting: tegra.Setting{Mode: mode},
			TimeMS: 240 / float64(cores),
			PowerW: 10 + 2*float64(cores)})
		train = append(train, v)
		for _, batch := range []int{4, 16} {
			v.Setting = tegra.Setting{Mode: mode, Batch: batch}
			v.TimeMS, v.PowerW = 60*math.Sqrt(float64(batch))/float64(cores), 9+2*float64(cores)
			infer, settings = append(infer, v), append(settings, v.Setting)
		}
	}
	return ask.Map(settings, NewPhase(infer), NewPhase(train))
}

func TestMapHasTheBestMixOfEachMode(t *testing.T) {
	t.Parallel()
	for _, pattern := range []arrivals.Pattern{arrivals.Uniform, arrivals.Poisson} {
		ask := Ask{Goal: metric.Watts(30), LatencyMS: 500, Quantile: 0.99, IdleW: math.NaN(),
			Load: arrivals.Load{Pattern: pattern, RatePerS: 40}}
		m, ok := mapped(ask)
		if !ok || m.Bound != (pattern == arrivals.Poisson) || len(m.Front) == 0 {
			t.Fatalf("%s: %+v", pattern, m)
		}
		seen := map[tegra.Mode]bool{}
		for _, o := range m.List {
			if seen[o.Mode] || !o.Meets || o.PeakW > 30 {
				t.Errorf("%s: %+v", pattern, o)
			}
			seen[o.Mode] = true
		}
		last := Outcome{}
		for _, i := range m.Front {
			if o := m.List[i]; o.PeakW < last.PeakW || o.TrainPerS <= last.TrainPerS || o.LatencyMS > 500 {
				t.Errorf("%s: the front goes from %+v to %+v", pattern, last, o)
			}
			last = m.List[i]
		}
		if pattern != arrivals.Uniform {
			continue
		}
		for _, o := range m.List { // no other mix of the mode trains more
			if o.TrainPerS > last.TrainPerS {
				t.Errorf("%+v trains more than the front", o)
			}
		}
	}
}

func TestMapOfNoMixThatKeepsTheLimitsIsTheNearest(t *testing.T) {
	t.Parallel()
	for _, pattern := range []arrivals.Pattern{arrivals.Uniform, arrivals.Poisson} {
		for _, latency := range []float64{1, 45} {
			ask := Ask{Goal: metric.Watts(30), LatencyMS: latency, Quantile: 0.99, IdleW: math.NaN(),
				Load: arrivals.Load{Pattern: pattern, RatePerS: 40}}
			if m, ok := mapped(ask); !ok || len(m.List) != 1 || len(m.Front) != 1 || m.List[0].Meets ||
				m.List[0].Why() == "" {
				t.Errorf("%s, %g ms: %+v", pattern, latency, m)
			}
		}
	}
	if _, ok := (Ask{}).Map(nil, NewPhase(nil), NewPhase(nil)); ok {
		t.Error("a map of nothing")
	}
}

// Each mode within the limits is shown once. One that trains less for more power is not on the front, and one that is
// late in simulation is not shown.
func TestMapShowsEachModeWithinTheLimitsOnce(t *testing.T) {
	t.Parallel()
	var infer, train []learn.Prediction
	var settings []tegra.Setting
	for _, m := range []struct {
		cores                int
		serve, trains, watts float64 // ms, ms, W
	}{{1, 5, 2, 12}, {2, 5, 4, 20}, {3, 17, 40, 25}} { // the last is late where requests wait for its minibatches
		settings = append(settings, at(m.cores, 1))
		infer = append(infer, read(at(m.cores, 1), m.serve, m.watts))
		train = append(train, read(at(m.cores, 0), m.trains, m.watts))
	}
	for _, pattern := range []arrivals.Pattern{arrivals.Uniform, arrivals.Poisson} {
		a := Ask{LatencyMS: 21, Quantile: 0.99, IdleW: math.NaN(), Load: load(pattern, 40), Policy: Fill}
		m, ok := a.Map(settings, NewPhase(infer), NewPhase(train))
		var shown []int
		for _, o := range m.List {
			shown = append(shown, o.Mode.Cores)
		}
		if !ok || !slices.Equal(shown, []int{1, 2}) || !slices.Equal(m.Front, []int{0}) {
			t.Errorf("%s: modes of %v cores, of which the front is %v", pattern, shown, m.Front)
		}
	}
}

// Without simulation a mix counts as late only if neither its batch nor its minibatch is quicker than that of a late
// one with the same batch size and turns.
func TestLateMixesHoldOnlySlowerOnesOfTheirKind(t *testing.T) {
	t.Parallel()
	var late lateMixes
	mix := func(batch int, policy string, serve, train float64) *Outcome {
		return &Outcome{Setting: at(1, batch), Policy: policy, slowS: serve, slowTrain: train,
			limits: [4]limit{itsLatency: {value: 2, most: 1}}}
	}
	late.add(*mix(4, Fill, 0.02, 0.04))
	hungry := mix(16, Fill, 0.02, 0.04)
	hungry.limits = [4]limit{itsPower: {value: 2, most: 1}}
	late.add(*hungry)
	for _, c := range []struct {
		name string
		o    *Outcome
		late bool
	}{
		{"slower in both", mix(4, Fill, 0.03, 0.05), true}, {"a quicker batch", mix(4, Fill, 0.01, 0.05), false},
		{"a quicker minibatch", mix(4, Fill, 0.03, 0.03), false}, {"other turns", mix(4, Strict, 0.03, 0.05), false},
		{"another batch size", mix(8, Fill, 0.03, 0.05), false},
		{"slower than one over the power limit", mix(16, Fill, 0.03, 0.05), false},
	} {
		if got := late.holds(c.o); got != c.late {
			t.Errorf("%s: late %v", c.name, got)
		}
	}
}

// The map simulates those of equally hungry mixes first that train most, and shows one front mix for each mode.
func TestMapOfManyMixesHasThoseThatTrainMost(t *testing.T) {
	t.Parallel()
	var infer, train []learn.Prediction
	var settings []tegra.Setting
	for i := range 2 * mapBands { // two for each band: the second trains more
		cores, pair := i+1, float64(i/2)
		watts := 10 + pair + 0.1*float64(i%2)
		settings = append(settings, at(cores, 1))
		infer = append(infer, read(at(cores, 1), 5, watts))
		train = append(train, read(at(cores, 0), 4/(1+pair+0.5*float64(i%2)), watts))
	}
	a := Ask{LatencyMS: 500, IdleW: math.NaN(), Load: load(arrivals.Poisson, 40), Policy: Fill}
	m, ok := a.Map(settings, NewPhase(infer), NewPhase(train))
	if !ok || len(m.Front) != mapBands {
		t.Fatalf("the front has %d of %d mixes", len(m.Front), len(m.List))
	}
	for _, i := range m.Front {
		if cores := m.List[i].Mode.Cores; cores%2 != 0 {
			t.Errorf("mode %d trains less than the next, which draws as much", cores)
		}
	}
	// A mode that is on the front with two batch sizes is shown with the one that trains more.
	one := []tegra.Setting{at(1, 1), at(1, 4)}
	infer = []learn.Prediction{read(one[0], 20, 12), read(one[1], 25, 13)}
	m, ok = a.Map(one, NewPhase(infer), NewPhase([]learn.Prediction{read(at(1, 0), 10, 11)}))
	if !ok || len(m.List) != 1 || len(m.Front) != 1 || m.List[0].Setting != one[1] {
		t.Errorf("one mode is shown as %+v", m.List)
	}
}

// If the limit is on mean power, so is the front, however high the peaks.
func TestMapOfMeanPowerIsOrderedByIt(t *testing.T) {
	t.Parallel()
	var infer, train []learn.Prediction
	var settings []tegra.Setting
	for cores := 1; cores <= 3; cores++ { // the more cores, the lower the peak of serving and the higher the mean
		n := float64(cores)
		settings = append(settings, at(cores, 1))
		infer = append(infer, read(at(cores, 1), 1, 60-10*n))
		train = append(train, read(at(cores, 0), 10/n, 10*n))
	}
	for _, pattern := range []arrivals.Pattern{arrivals.Uniform, arrivals.Poisson} {
		a := Ask{Goal: metric.Watts(50), PowerAs: Mean, IdleW: 5, LatencyMS: 500, Policy: Fill,
			Load: load(pattern, 20)}
		m, ok := a.Map(settings, NewPhase(infer), NewPhase(train))
		if !ok || len(m.Front) != 3 || m.List[m.Front[0]].Mode.Cores != 1 || m.List[m.Front[2]].Mode.Cores != 3 {
			t.Errorf("%s: the front is %v of %+v", pattern, m.Front, m.List)
		}
	}
}

package mix

import (
	"math"
	"testing"

	"jtune/internal/arrivals"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
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
	return ask.Map(settings, NewPhase(infer), NewPhase(train), Strict, Fill)
}

func TestMapHasTheBestMixOfEachMode(t *testing.T) {
	t.Parallel()
	for _, pattern := range []arrivals.Pattern{arrivals.Uniform, arrivals.Poisson} {
		ask := Ask{Limit: optimize.Limit{PowerW: 30}, LatencyMS: 500, Quantile: 0.99, IdleW: math.NaN(),
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
			ask := Ask{Limit: optimize.Limit{PowerW: 30}, LatencyMS: latency, Quantile: 0.99, IdleW: math.NaN(),
				Load: arrivals.Load{Pattern: pattern, RatePerS: 40}}
			if m, ok := mapped(ask); !ok || len(m.List) != 1 || len(m.Front) != 1 || m.List[0].Meets ||
				m.List[0].Why() == "" {
				t.Errorf("%s, %g ms: %+v", pattern, latency, m)
			}
		}
	}
	if _, ok := (Ask{}).Map(nil, NewPhase(nil), NewPhase(nil), Strict); ok {
		t.Error("a map of nothing")
	}
}

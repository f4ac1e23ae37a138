package mix

import (
	"math"
	"testing"

	"jtune/internal/arrivals"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Hand-computed: the training's fast mode is the one that keeps 30 W, the inference has two sizes.
func TestSeparateModesCostTwoSwitchesAWindow(t *testing.T) {
	t.Parallel()
	mode := func(n int) tegra.Mode { return tegra.Mode{Cores: n, CPU: 1e9, GPU: 1e9, EMC: 1e9} }
	row := func(n, batch int, ms, w float64) learn.Prediction {
		return optimize.MeasuredPrediction(tegra.Measured{Setting: tegra.Setting{Mode: mode(n), Batch: batch},
			TimeMS: ms,
			PowerW: w})
	}
	train := NewPhase([]learn.Prediction{row(1, 0, 100, 15), row(2, 0, 50, 28), row(3, 0, 40, 35)})
	infer := NewPhase([]learn.Prediction{row(1, 10, 100, 12), row(1, 100, 500, 14), row(2, 100, 300, 20)})
	settings := []tegra.Setting{{Mode: mode(1), Batch: 10}, {Mode: mode(1), Batch: 100}, {Mode: mode(2), Batch: 100}}
	a := Ask{Goal: metric.Watts(30), LatencyMS: 12000, Quantile: 1,
		Load: arrivals.Load{Pattern: arrivals.Uniform, RatePerS: 10}}
	got, ok := a.Separate(settings, infer, train, 0.2)
	// a window of 10 s, less 0.3 s of service and 0.4 s of switches, at 50 ms a minibatch
	if !ok || got.Infer != settings[2] || got.Train != mode(2) || math.Abs(got.TrainPerS-9.3/(10*0.05)) > 1e-9 ||
		math.Abs(got.LatencyMS-1000*(9.9+0.2+0.3)) > 1e-6 || got.PeakW != 28 || !got.Offered {
		t.Errorf("got %+v, %v", got, ok)
	}
	if slow, ok := a.Separate(settings, infer, train, 0.3); !ok || slow.Offered {
		t.Errorf("two switches of 0.3 s in 10 s are offered: %+v, %v", slow, ok)
	}
	a.LatencyMS = 1200 // one of 10 requests is in time
	if short, ok := a.Separate(settings, infer, train, 0.1); !ok || short.Infer.Batch != 10 || short.Offered {
		t.Errorf("got %+v, %v", short, ok)
	}
	a.LatencyMS = 100
	if got, ok := a.Separate(settings, infer, train, 0.1); ok {
		t.Errorf("nothing is in time, got %+v", got)
	}
}

// The latency includes the margin of the predicted time, and may be as long as the limit.
func TestSeparateKeepsTheMarginOfTime(t *testing.T) {
	t.Parallel()
	train := NewPhase([]learn.Prediction{read(at(2, 0), 50, 20)})
	for _, c := range []struct {
		sd, latency float64
		ok          bool
	}{{0, 1000, true}, {0, 999, false}, {0.1, 1000, false}, {0.1, 1014, true}} { // 0.875 s of waiting
		infer := NewPhase([]learn.Prediction{doubted(at(1, 8), 125, 20, c.sd, 0)})
		a := Ask{Goal: metric.Goal{Margin: metric.MarginOf(1)}, LatencyMS: c.latency, Quantile: 1,
			Load: load(arrivals.Uniform, 8)}
		if got, ok := a.Separate([]tegra.Setting{at(1, 8)}, infer, train, 0); ok != c.ok {
			t.Errorf("%+v: %+v, %v", c, got, ok)
		}
	}
}

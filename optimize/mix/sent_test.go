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

// What requests have shown of one mode corrects the latencies of all: by that ratio, with room for what differs.
func TestMeasuredLatenciesCorrectTheCalculatedOnes(t *testing.T) {
	t.Parallel()
	of := func(cores int, ms float64) learn.Prediction {
		return optimize.MeasuredPrediction(tegra.Measured{Setting: tegra.Setting{Mode: tegra.Mode{Cores: cores,
			CPU: 1e9,
			GPU: 1e9, EMC: 2e9}, Batch: 1}, TimeMS: ms, PowerW: 20})
	}
	slow, fast := of(2, 20), of(4, 10)
	phase := NewPhase([]learn.Prediction{slow, fast})
	for _, pattern := range []arrivals.Pattern{arrivals.Poisson, arrivals.Uniform} {
		a := Ask{Load: arrivals.Load{Pattern: pattern, RatePerS: 20}, Quantile: 0.99, LatencyMS: 1000,
			Goal: metric.Goal{Margin: metric.NoMargin}}
		was, _ := a.Evaluate(slow.Setting, phase, Phase{})
		before, _ := a.Evaluate(fast.Setting, phase, Phase{})
		a.Sent = []Sent{{slow.Setting, 20, 1.15 * was.LatencyMS}}
		c := a.Corrected(phase)
		if now, _ := c.Evaluate(fast.Setting, phase, Phase{}); math.Abs(now.LatencyMS/before.LatencyMS-1.15) > 1e-9 {
			t.Errorf("%s: %.4g ms is corrected to %.4g, want 15 %% more", pattern, before.LatencyMS, now.LatencyMS)
		}
		if o, _ := c.NewLoadCurve(phase).Estimate(slow.Setting); math.Abs(o.LatencyMS/was.LatencyMS-1.15) > 0.03 {
			t.Errorf("%s: a curve has %.4g ms, measured were %.4g", pattern, o.LatencyMS, 1.15*was.LatencyMS)
		}

		a.LatencyMS = 1.1 * before.LatencyMS // which the fast one keeps as calculated alone
		if o, _ := a.Evaluate(fast.Setting, phase, Phase{}); !o.Meets {
			t.Errorf("%s: as calculated %.4g ms does not keep %.4g", pattern, o.LatencyMS, a.LatencyMS)
		}
		if o, _ := a.Corrected(phase).Evaluate(fast.Setting, phase, Phase{}); o.Meets {
			t.Errorf("%s: corrected %.4g ms keeps %.4g", pattern, o.LatencyMS, a.LatencyMS)
		}
		a.LatencyMS = 1.18 * before.LatencyMS // within, but not by what settings differ
		if o, _ := a.Corrected(phase).Evaluate(fast.Setting, phase, Phase{}); !o.Meets {
			t.Errorf("%s: without a margin %.4g ms does not keep %.4g", pattern, o.LatencyMS, a.LatencyMS)
		}
		a.Goal.Margin = metric.UsualMargin
		if o, _ := a.Corrected(phase).Evaluate(fast.Setting, phase, Phase{}); o.Meets {
			t.Errorf("%s: with a margin %.4g ms surely keeps %.4g", pattern, o.LatencyMS, a.LatencyMS)
		}
	}
}

// A reading at a rate near overload does not apply to others, and one far off belongs to another job.
func TestReadingsThatTellNothingDoNotCorrect(t *testing.T) {
	t.Parallel()
	at := optimize.MeasuredPrediction(tegra.Measured{Setting: tegra.Setting{Mode: oneMode, Batch: 1}, TimeMS: 20,
		PowerW: 20})
	phase := NewPhase([]learn.Prediction{at})
	a := Ask{Load: arrivals.Load{Pattern: arrivals.Poisson, RatePerS: 20}, Quantile: 0.99, LatencyMS: 100}
	for _, s := range []Sent{{at.Setting, 47, 900}, {at.Setting, 20, 900},
		{tegra.Setting{Mode: oneMode, Batch: 2}, 20, 50}} {
		a.Sent = []Sent{s}
		if c := a.Corrected(phase); c.off != (correction{}) {
			t.Errorf("%+v corrects by %+v", s, c.off)
		}
	}
}

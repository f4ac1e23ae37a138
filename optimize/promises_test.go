package optimize

import (
	"testing"

	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// With a guarded time limit a search with a known mode within it measures none far over it.
func TestTuneKeepsAGuardedTimeLimit(t *testing.T) {
	t.Parallel()
	for _, ms := range []float64{80, 95, 120, 150, 200} {
		board := optimizetest.New(t)
		limit := metric.Goal{Limits: metric.Time.Max(ms), GuardTime: true}
		res, err := Tune(t.Context(), optimizetest.OfModes(board.Measure), TuneOptions{Limits: goals(limit),
			Space:     board.Space,
			Baselines: Baselines{Present: tegra.Some(tegra.Setting{Mode: board.Space.Max()})}})
		if err != nil || !limit.Met(res.Answers[0].Measured) {
			t.Fatalf("%g ms: %v, %v", ms, res.Answers[0].Measured, err)
		}
		for _, p := range res.Probes {
			if p.TimeMS > 1.15*ms { // a tenth over has a price, as a chance
				t.Errorf("%g ms: %v takes %.0f ms, predicted %.0f", ms, p.Mode, p.TimeMS, p.Predicted.TimeMS)
			}
		}
	}
}

func TestPredictedFirstIsBeforeTheFirstReading(t *testing.T) {
	t.Parallel()
	at, other := tegra.Setting{Mode: tegra.Mode{Cores: 2}}, tegra.Setting{Mode: tegra.Mode{Cores: 4}}
	probe := func(at tegra.Setting, ms float64) (p Probe) {
		p.Setting, p.Predicted.TimeMS = at, ms
		return p
	}
	s := search{probes: []Probe{probe(other, 70), probe(at, 0), probe(at, 50), probe(at, 60)}}
	if got := s.predictedFirst(at); got.TimeMS != 50 {
		t.Errorf("got %g ms, want 50", got.TimeMS)
	}
	if got := s.predictedFirst(tegra.Setting{}); got.TimeMS != 0 {
		t.Errorf("of a mode that was not measured %g ms", got.TimeMS)
	}
}

func sampleOf(b *optimizetest.Board, n int) []tegra.Measured {
	var rows []tegra.Measured
	for _, m := range b.Space.Sample(n, 1) {
		rows = append(rows, b.Answer(m))
	}
	return rows
}

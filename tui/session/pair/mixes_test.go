package pair

import (
	"math"
	"testing"

	"jtune/internal/must"
)

// checkMixes checks that the mixes of a pair have each mode once, that their front keeps the limits, and that measured
// values are listed with predicted ones.
func checkMixes(t *testing.T, found Answer) {
	t.Helper()
	m := found.Mixes
	if m == nil || !m.Feasible || !m.Meets || m.Bound {
		t.Fatalf("mixes %+v", m)
	}
	if a := m.Points[m.Answer]; a.Measured == nil || a.Setting != found.Setting || a.TrainPerS != found.TrainPerS {
		t.Errorf("the answer is %+v, want %+v", a, found.Outcome)
	}
	predicted := 0
	modes := map[any]bool{}
	for i, p := range m.Points {
		if p.Measured != nil {
			continue
		}
		if predicted++; !p.Meets || p.PeakW > 30 || modes[p.Mode] || m.Standing(i) != "predicted within" {
			t.Fatalf("point %d: %+v, %s", i, p.Outcome, m.Standing(i))
		}
		modes[p.Mode] = true
	}
	if got := len(m.Points) - predicted; got != len(found.Probes) || predicted < 100 {
		t.Errorf("%d predicted and %d measured points of %d pairs", predicted, got, len(found.Probes))
	}
	lastW, lastRate := 0.0, 0.0
	for _, i := range m.Front {
		p := m.Points[i]
		if m.PowerW(i) < lastW || p.TrainPerS <= lastRate {
			t.Errorf("the front goes from %g/s at %g W to %g/s at %g W", lastRate, lastW, p.TrainPerS, p.PeakW)
		}
		lastW, lastRate = m.PowerW(i), p.TrainPerS
	}
	for i, p := range m.Points {
		if p.Measured == nil && p.TrainPerS > lastRate {
			t.Errorf("point %d trains more than the front", i)
		}
	}
	walk := m.Walk()
	must.Equal(t, len(walk), len(m.Front)+len(found.Probes))
	before := math.Inf(-1)
	for _, i := range walk {
		if m.PowerW(i) < before {
			t.Error("the walk does not follow power")
		}
		before = m.PowerW(i)
	}
}

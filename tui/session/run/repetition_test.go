package run

import (
	"math"
	"strings"
	"testing"

	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/measure"
)

func TestRepetitionsOfUnevenEnergyAreFlagged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spread  float64 // standard deviation over mean
		flagged bool
	}{{0.08, true}, {0.03, false}} {
		var parts []record.Part
		for i := range 10 { // five below and five above: the standard deviation is the distance times sqrt(10/9)
			off := c.spread * math.Sqrt(0.9) * float64(1-2*(i%2))
			parts = append(parts, record.Part{Minibatches: 458, EnergyJ: tegra.Some(0.5 * (1 + off))})
		}
		n, cv := record.Repetitions(parts)
		if n != 10 || math.Abs(cv.V-100*c.spread) > 1e-9 {
			t.Errorf("%v: %d repetitions that vary by %v %%", c.spread, n, cv)
		}
		v := &record.Served{Reps: n, CVPct: cv}
		doubts := strings.Join(Doubts(measure.RunResult{Character: record.Character{Serving: v}}), " ")
		if strings.Contains(doubts, "Unsteady") != c.flagged {
			t.Errorf("%v: %q, want flagged %v", c.spread, doubts, c.flagged)
		}
	}
	if _, cv := record.Repetitions(make([]record.Part, 10)); cv.OK {
		t.Error("repetitions without energy vary by a number")
	}
}

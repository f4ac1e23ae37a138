package measure

import (
	"testing"

	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/tegra"
)

// A measured mode that misses a limit of its load is over, even without a limit on its own time or power.
func TestAnswerToALoadThatNoModeMeetsIsOver(t *testing.T) {
	t.Parallel()
	for feasible, want := range map[bool]optimize.State{true: optimize.Measured, false: optimize.Over} {
		r := TuneResult{Served: &mix.Outcome{Meets: feasible}}
		r.Feasible, r.N, r.Measured = feasible, 1, tegra.Measured{TimeMS: 30, PowerW: 40}
		if r.AnswerTo(TuneRequest{}, tegra.Board{}); r.Answers[0].Standing.State != want {
			t.Errorf("feasible %v: %v, want %v", feasible, r.Answers[0].Standing.State, want)
		}
	}
}

package measure

import (
	"testing"

	"jtune/optimize/mix"
	"jtune/optimize/standing"
	"jtune/tegra"
)

// A measured mode that misses a limit of its load is over, even without a limit on its own time or power.
func TestAnswerToALoadThatNoModeMeetsIsOver(t *testing.T) {
	t.Parallel()
	for feasible, want := range map[bool]standing.State{true: standing.Measured, false: standing.Over} {
		r := TuneResult{Served: &mix.Outcome{Meets: feasible}}
		r.Feasible, r.N, r.Measured = feasible, 1, tegra.Measured{TimeMS: 30, PowerW: 40}
		if r.AnswerTo(TuneRequest{}, tegra.Board{}); r.Answers[0].Standing.State != want {
			t.Errorf("feasible %v: %v, want %v", feasible, r.Answers[0].Standing.State, want)
		}
	}
}

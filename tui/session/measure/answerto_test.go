package measure

import (
	"testing"

	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// A measured mode that misses a limit of its load is over, even without a limit on its own time or power.
func TestAnswerToALoadThatNoModeMeetsIsOver(t *testing.T) {
	t.Parallel()
	for feasible, want := range map[bool]standing.State{true: standing.Measured, false: standing.Over} {
		r := TuneResult{Served: &mix.Outcome{Meets: feasible}, Result: optimize.Result{Answers: []optimize.Answer{
			{Measured: tegra.Measured{TimeMS: 30, PowerW: 40}, N: 1, Feasible: feasible}}}}
		if r.AnswerTo(TuneRequest{Questions: metric.Question{}.List()},
			tegra.Board{}); r.Answers[0].Standing.State != want {
			t.Errorf("feasible %v: %v, want %v", feasible, r.Answers[0].Standing.State, want)
		}
	}
}

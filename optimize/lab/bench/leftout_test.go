package bench

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/optimizetest"
)

func TestEvaluateReportsSettingsWhoseClockWasNotSetOrLeavesThemOut(t *testing.T) {
	t.Parallel()
	rows, stuck := stuckAt4Cores(optimizetest.New(t))
	o := Options{Truth: rows, Name: "toy", Methods: []string{Maxn}, BudgetFrom: 15, BudgetTo: 25, BudgetStep: 5}
	told := must.Get(Evaluate(t.Context(), o))(t)
	o.LeaveOutStuck = true
	left := must.Get(Evaluate(t.Context(), o))(t)
	if told.Modes != len(rows) || left.Modes != len(rows)-len(stuck) ||
		!strings.Contains(told.Notes[0], "was it set there") ||
		!strings.Contains(left.Notes[0], "are left out") {
		t.Errorf("%d and %d settings, said %q and %q", told.Modes, left.Modes, told.Notes[0], left.Notes[0])
	}
}

func TestEvaluateReportsReadingsOfAnotherClockOrLeavesThemOut(t *testing.T) {
	t.Parallel()
	rows := optimizetest.New(t).All()
	rows[len(rows)/2].TimeMS *= 0.4
	o := Options{Truth: rows, LeaveOutStuck: true}
	notes := o.withoutStuck()
	if left := len(o.Truth); left != len(rows)-1 || len(notes) != 1 ||
		!strings.Contains(notes[0], "1 settings took too little time and 0 too much") {
		t.Errorf("%d of %d rows left, said %q", left, len(rows), notes)
	}
}

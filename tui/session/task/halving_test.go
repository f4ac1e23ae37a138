package task

import (
	"slices"
	"testing"

	"jtune/internal/must"
	"jtune/optimize"
	"jtune/optimize/ladder"
	"jtune/profiles/record"
	"jtune/tegra/metric"
	"jtune/tui/session/measure"
	"jtune/tui/session/search"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// A task reports every step of a binary search at once and keeps it for the screens.
func TestBinarySearchTellsEachHalvingAsItIsMade(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	w := must.Get(workloads.Find(s, "lstm"))(t)
	var told []ladder.Halving
	var shown Snapshot
	probes, early := 0, 0
	res, err := search.Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
		Questions: metric.Question{Limit: metric.Watts(20)}.List(),
		Asked:     record.Asked{Strategy: optimize.Binary}}, func(e measure.Event) {
		shown.Fold(e)
		switch e := e.(type) {
		case measure.ProbeEvent:
			probes++
		case measure.HalvingEvent:
			told = append(told, e.Halving)
			early = max(early, probes)
		}
	})
	must.NoError(t, err)
	if !slices.Equal(told, res.Trace) || len(told) < 8 || early > len(res.Probes) {
		t.Errorf("%d steps were reported, %d made, the last one after %d probes", len(told), len(res.Trace), early)
	}
	if shown.Halved == nil || *shown.Halved != told[len(told)-1] ||
		!slices.Contains(shown.Notes, told[len(told)-1].String()) {
		t.Errorf("the task shows %v", shown.Halved)
	}
}

package session

import (
	"slices"
	"testing"

	"jtune/optimize"
)

// Every step of a binary search is told when it is made, and stays in what a task has to show.
func TestBinarySearchTellsEachHalvingAsItIsMade(t *testing.T) {
	t.Parallel()
	s := fast(t)
	w, err := s.Workload("lstm")
	if err != nil {
		t.Fatal(err)
	}
	var told []optimize.Halving
	var shown Snapshot
	probes, early := 0, 0
	res, err := s.Tune(t.Context(), TuneRequest{Measuring: Measuring{Workload: w}, Limit: optimize.Limit{PowerW: 20},
		Strategy: optimize.Binary}, func(e Event) {
		shown.Fold(e)
		switch e := e.(type) {
		case ProbeEvent:
			probes++
		case HalvingEvent:
			told = append(told, e.Halving)
			early = max(early, probes)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(told, res.Trace) || len(told) < 8 || early > len(res.Probes) {
		t.Errorf("%d steps were told, %d made, the last one after %d probes", len(told), len(res.Trace), early)
	}
	if shown.Halved == nil || *shown.Halved != told[len(told)-1] ||
		!slices.Contains(shown.Notes, told[len(told)-1].String()) {
		t.Errorf("the task shows %v", shown.Halved)
	}
}

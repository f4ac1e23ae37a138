package profiles

import (
	"strings"
	"testing"

	"jtune/profiles/harness"
	"jtune/profiles/workload"
)

// A sender that is late by more than a hundredth of the distance of two requests says so in the row.
func TestMonitorMarksRequestsThatWereSentTooLate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lateMS float64
		marked bool
	}{{0.05, false}, {0.3, true}} { // of 10 ms between two
		w := &Monitor{workload: workload.Workload{Kind: workload.Inference, Load: workload.Demand{Rate: 100}}}
		for range 30 {
			w.serving.request(harness.Event{Kind: harness.Request, LateMS: c.lateMS})
		}
		note := w.lateNote()
		if (note != "") != c.marked || c.marked && !strings.Contains(note, "0.3 ms late in the mean, of 10 ms") {
			t.Errorf("late by %g ms: %q", c.lateMS, note)
		}
		if w.requests() != 30 {
			t.Errorf("%d requests", w.requests())
		}
	}
}

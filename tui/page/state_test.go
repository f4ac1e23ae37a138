package page_test

import (
	"testing"

	"jtune/internal/must"
	"jtune/tui/page"
	"jtune/tui/session/task"
)

// A soak of the present mode may run on a board that is only read, but not in a mode that may be reverted.
func TestReaderRunsNothingInAModeThatWaitsToBeKept(t *testing.T) {
	t.Parallel()
	state := page.State{Device: page.Device{ReadOnly: true}}
	read := page.ReaderOf(&state)
	run, measure := read.MayRun(), read.MayMeasure()
	if write := read.MayWrite(); run != "" || measure != "read-only" || write != "read-only" {
		t.Errorf("read-only: run %q, measure %q, write %q", run, measure, write)
	}
	state.Device.ReadOnly, state.Moment.Asking = false, true
	const want = "answer keep first"
	if run, measure := read.MayRun(), read.MayMeasure(); run != want || measure != want || read.MayWrite() != "" {
		t.Errorf("while keep is open: run %q, measure %q, write %q", run, measure, read.MayWrite())
	}
	state.Tasks.Own = &page.Task{Spec: task.Spec{Kind: task.Verifying}}
	must.Equal(t, read.MayWrite(), "busy verifying")
}

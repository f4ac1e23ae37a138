package page_test

import (
	"fmt"
	"testing"

	"jtune/tui/page"
	"jtune/tui/session/task"
)

func ExampleReader() {
	var state page.State // only the shell writes it
	read := page.ReaderOf(&state)
	fmt.Printf("%q\n", read.MayWrite())
	state.Tasks.Own = &page.Task{Spec: task.Spec{Kind: task.Verifying}}
	fmt.Printf("%q\n", read.MayWrite())
	state.Device.ReadOnly = true
	fmt.Printf("%q\n", read.MayWrite())
	// Output:
	// ""
	// "busy verifying"
	// "read-only"
}

// A soak of the present mode may run on a board that is only read, but not in a mode that may be reverted.
func TestReaderRunsNothingInAModeThatWaitsToBeKept(t *testing.T) {
	t.Parallel()
	state := page.State{Device: page.Device{ReadOnly: true}}
	read := page.ReaderOf(&state)
	if run, measure := read.MayRun(), read.MayMeasure(); run != "" || measure != "read-only" {
		t.Errorf("read-only: run %q, measure %q", run, measure)
	}
	state.Device.ReadOnly, state.Moment.Asking = false, true
	const want = "answer keep first"
	if run, measure := read.MayRun(), read.MayMeasure(); run != want || measure != want || read.MayWrite() != "" {
		t.Errorf("while keep is open: run %q, measure %q, write %q", run, measure, read.MayWrite())
	}
}

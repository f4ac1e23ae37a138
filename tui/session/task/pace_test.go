package task

import (
	"runtime"
	"testing"

	"jtune/internal/cpubudget"
	"jtune/internal/must"
	"jtune/profiles"
	"jtune/tui/session/measure"
)

func TestPaceComputesOnlyBetweenTwoModes(t *testing.T) { // not parallel: it changes the process
	found := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(found)
	b := cpubudget.New()
	defer b.End()
	p := Pace{Budget: b}
	after := func(e measure.Event, want int, when string) {
		t.Helper()
		p.Observe(e)
		must.Equal(t, runtime.GOMAXPROCS(0), want, when)
	}
	phase := func(phase profiles.Phase) measure.Event {
		return measure.ProgressEvent{Progress: profiles.Progress{Phase: phase}}
	}
	after(phase(profiles.Measuring), 1, "a mode is measured")
	after(phase(profiles.Finished), 4, "it has been measured")
	after(measure.NoteEvent("a line"), 4, "the next one is chosen")
	after(phase(profiles.Applying), 1, "the next one is measured")
	after(phase(profiles.Restoring), 4, "the last one has been measured")
	p.Compute(true)
	p.Compute(false)
	after(measure.NoteEvent(""), 1, "the job has ended")
}

package session

import (
	"runtime"
	"testing"

	"jtune/profiles"
)

func TestAllCoresWorkOnlyWhileSomethingIsComputed(t *testing.T) {
	found := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(found)
	e := NewEffort()
	is := func(want int, when string) {
		t.Helper()
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Errorf("%s: %d at a time, want %d", when, got, want)
		}
	}
	is(1, "nothing is computed")
	rest := e.Compute()
	is(4, "something is computed")
	other := e.Compute()
	other()
	other() // does nothing
	is(4, "one of two has ended")
	rest()
	is(1, "both have ended")

	p := Pace{Effort: e}
	tell := func(phase profiles.Phase) { p.Observe(Event{Progress: &profiles.Progress{Phase: phase}}) }
	tell(profiles.Measuring)
	is(1, "a mode is measured")
	tell(profiles.Finished)
	p.Observe(Event{Note: "a line"})
	is(4, "what follows from it is worked out")
	tell(profiles.Applying)
	is(1, "the next mode is measured")
	tell(profiles.Restoring)
	is(4, "the last one is measured")
	p.Compute(true)
	p.Compute(false)
	is(1, "the job has ended")
	rest = e.Compute()
	e.End()
	is(3, "at the end")
	rest()
	is(3, "when what was computed at the end is done")
	none := (*Effort)(nil)
	none.Compute()()
	none.End()
	is(3, "without an effort")
}

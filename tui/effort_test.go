package tui

import (
	"runtime"
	"testing"

	tea "charm.land/bubbletea/v2"

	"jtune/profiles"
	"jtune/tui/session"
)

func TestAllCoresWorkOnlyWhileSomethingIsComputed(t *testing.T) {
	found := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(found)
	e := newEffort()
	is := func(want int, when string) {
		t.Helper()
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Errorf("%s: %d at a time, want %d", when, got, want)
		}
	}
	is(1, "nothing is computed")
	sh := &shared{deps: deps{effort: e}}
	sh.computed(func() tea.Msg {
		is(4, "a command computes")
		rest := e.compute()
		rest()
		rest() // does nothing
		is(4, "one of two has ended")
		return nil
	})()
	is(1, "it has ended")

	j := &job{effort: e, feed: newFeed[jobNews]()}
	tell := func(p profiles.Progress) { j.observe(session.Event{Progress: &p}) }
	tell(profiles.Progress{Phase: profiles.Measuring})
	is(1, "a mode is measured")
	tell(profiles.Progress{Phase: profiles.Finished, Row: &profiles.Row{}})
	is(4, "what follows from it is worked out")
	tell(profiles.Progress{Phase: profiles.Applying})
	is(1, "the next mode is measured")
	j.compute(true)
	j.compute(false)
	is(1, "the job has ended")
	e.end()
	is(3, "at the end")
	(*effort)(nil).compute()()
	is(3, "without an effort")
}

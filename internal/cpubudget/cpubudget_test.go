package cpubudget

import (
	"runtime"
	"testing"
)

func TestBudgetGivesAllCoresOnlyToComputations(t *testing.T) {
	found := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(found)
	is := func(want int, when string) {
		t.Helper()
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Errorf("%s: GOMAXPROCS is %d, want %d", when, got, want)
		}
	}
	b := New()
	is(1, "nothing is computed")
	rest := b.Compute()
	is(4, "something is computed")
	other := b.Compute()
	other()
	other() // no effect
	is(4, "one of two has ended")
	rest()
	is(1, "both have ended")
	rest = b.Compute()
	b.End()
	is(3, "at the end")
	rest()
	is(3, "when what was computed at the end is done")
	none := (*Budget)(nil)
	none.Compute()()
	none.End()
	is(3, "without a budget")
}

package cli

import (
	"testing"

	"jtune/internal/must"
)

func TestKeysAreListedAsBoundAndABadTableFails(t *testing.T) {
	t.Parallel()
	o := jtune(t, "keys", "--config", write(t, "[keys]\napply = [\"o\", \"ctrl+o\"]\n"))
	o.ends(t, exitOK)
	must.Contain(t, o.out, "apply        o ctrl+o ")
	jtune(t, "keys", "--config", write(t, "[keys]\naply = [\"o\"]\n")).fails(t, exitFailed, "line 2", "aply")
	if o := jtune(t, "workloads", "--config", write(t, "[keys]\napply = [\"o\"]\n")); o.code != exitOK {
		t.Errorf("workloads stumbles over [keys]: %s", o.err)
	}
}

package cli

import (
	"testing"

	"jtune/internal/must"
)

func TestKeysAreListedAsBoundAndABadTableFails(t *testing.T) {
	t.Parallel()
	o := jtune(t, "keys", "--config", write(t, "[keys]\napply = [\"o\", \"ctrl+o\"]\n")).done(t)
	must.Contain(t, o.out, "apply        o ctrl+o ")
	jtune(t, "keys", "--config", write(t, "[keys]\naply = [\"o\"]\n")).fails(t, exitFailed, "line 2", "aply")
	jtune(t, "workloads", "--config", write(t, "[keys]\napply = [\"o\"]\n")).done(t)
}

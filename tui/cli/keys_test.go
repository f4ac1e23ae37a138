package cli

import (
	"strings"
	"testing"
)

func TestKeysAreListedAsBoundAndABadTableFails(t *testing.T) {
	t.Parallel()
	o := jtune(t, "keys", "--config", write(t, "[keys]\napply = [\"o\", \"ctrl+o\"]\n"))
	if o.code != exitOK || !strings.Contains(o.out, "apply        o ctrl+o ") {
		t.Errorf("exit %d: %s%s", o.code, o.out, o.err)
	}
	jtune(t, "keys", "--config", write(t, "[keys]\naply = [\"o\"]\n")).fails(t, exitFailed, "line 2", "aply")
	if o := jtune(t, "workloads", "--config", write(t, "[keys]\napply = [\"o\"]\n")); o.code != exitOK {
		t.Errorf("workloads stumbles over [keys]: %s", o.err)
	}
}

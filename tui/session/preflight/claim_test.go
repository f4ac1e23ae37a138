package preflight

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/procid"
	"jtune/internal/safefile"
	"jtune/tui/session"
)

// Another process is one that sleeps, with a claim in its name.
func TestClaimMakesJobsOnOneBoardKnowOfEachOther(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := &session.Session{Options: session.Options{Sysroot: root}}
	other := exec.Command("sleep", "600")
	must.NoError(t, other.Start())
	pid := other.Process.Pid
	claim := func(pid int, id string, alone bool) {
		data, err := json.Marshal(Owner{PID: pid, ID: id, What: "soak\x1b[31m", User: "ann", Alone: alone})
		if err == nil {
			err = os.MkdirAll(filepath.Join(root, "run/lock"), 0o755)
		}
		if err == nil {
			err = safefile.Replace(filepath.Join(root, "run/lock", fmt.Sprintf("jtune.%d.job", pid)), data)
		}
		must.NoError(t, err)
	}
	for _, c := range []struct {
		name            string
		id              string
		theirs, mine    bool
		refused, beside bool
	}{
		{"a soak beside a soak", procid.Of(pid), true, true, true, true},
		{"a run beside a soak", procid.Of(pid), true, false, false, true},
		{"a soak beside a run", procid.Of(pid), false, true, false, true},
		{"a soak of a process that ended, whose number is used again", "pid:[1]/1/2", true, true, false, false},
	} {
		claim(pid, c.id, c.theirs)
		release, err := Claim(s, "mine", c.mine)
		if errors.Is(err, ErrOccupied) != c.refused || (err == nil) == c.refused {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("(pid %d, user ann)", pid)) {
			t.Errorf("%s: it names nobody: %v", c.name, err)
		}
		if got := Beside(s); (len(got) == 1) != c.beside || c.beside && strings.Contains(got[0].String(), "\x1b") {
			t.Errorf("%s: beside it %v", c.name, got)
		}
		if err == nil {
			again, err := Claim(s, "a part of mine", true)
			if err == nil {
				again()
			} else if !c.theirs {
				t.Errorf("%s: within one process: %v", c.name, err)
			}
			release()
		}
		left, _ := filepath.Glob(filepath.Join(root, fmt.Sprintf("run/lock/jtune.%d.job", os.Getpid())))
		must.Equal(t, left, nil, c.name)
	}
	claim(pid, procid.Of(pid), true)
	must.NoError(t, other.Process.Kill())
	_ = other.Wait()
	if release, err := Claim(s, "mine", true); err != nil {
		t.Errorf("beside a killed soak: %v", err)
	} else {
		release()
	}
}

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
)

// Processes that left the group and session of a test, and whose parents have ended, are ended with it. Not parallel:
// every child of this process is ended.
func TestAloneEndsEveryProcessThatACommandLeavesBehind(t *testing.T) {
	must.NoError(t, adopt())
	dir := t.TempDir()
	out, err := combined(exec.Command("sh", "-c", fmt.Sprintf(`cd %s
setsid sh -c 'echo $$ >one; exec sleep 600' >/dev/null 2>&1 &
setsid sh -c 'trap "" TERM HUP; setsid sleep 600 & echo $! >two; wait' >/dev/null 2>&1 &
until [ -s one ] && [ -s two ]; do sleep 0.01; done
echo printed; exit 3`, dir)))
	if string(out) != "printed\n" || err == nil || err.Error() != "exit status 3" {
		t.Errorf("the command: got %q, %v", out, err)
	}
	for _, name := range []string{"one", "two"} {
		text := must.Read(t, filepath.Join(dir, name))
		pid := must.Get(strconv.Atoi(strings.TrimSpace(string(text))))(t)
		if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
			t.Errorf("process %s, %d, is still there (%v)", name, pid, err)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if left := children(); len(left) > 0 {
		t.Errorf("children %v are left", left)
	}
}

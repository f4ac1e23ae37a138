package tui_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
)

// TestRunEndsWithItsTerminalThoughHangupsAreIgnored closes the other end of the terminal of a program started by nohup:
// reading fails with EIO or ends.
func TestRunEndsWithItsTerminalThoughHangupsAreIgnored(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds and runs the whole program")
	}
	bin := must.Get(program())(t)
	root := tegratest.AGXOrin353(t)
	found := tegratest.Contents(t, root)
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$0" "$@"`, bin, "--sysroot", root, "--data-dir", dir)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 80, Rows: 24})
	must.NoError(t, err)
	buf := make([]byte, 1<<16)
	_, err = tty.Read(buf)
	must.NoError(t, err)
	must.NoError(t, tty.Close())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(patience):
		_ = cmd.Process.Kill()
		t.Fatalf("the program still runs %v after its terminal was closed", patience)
	}
	must.Equal(t, cmp.Diff(found, tegratest.Contents(t, root)), "")
}

// TestTmuxEndsByATermEachTime: a goroutine that gets a signal twice must not wait for one that ended at the first.
func TestTmuxEndsByATermEachTime(t *testing.T) {
	t.Parallel()
	for range 8 {
		s := inTmux(t, "", "--device", "virtual:agx-orin")
		s.sees("module total")
		must.NoError(t, syscall.Kill(s.pid, syscall.SIGTERM))
		s.gone()
	}
}

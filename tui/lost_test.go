package tui_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	watched "jtune/internal/tools/terminal"
	"jtune/tegra/tegratest"
)

// TestRunEndsWithItsTerminalThoughHangupsAreIgnored closes the other end of the terminal of a program started by nohup:
// reading fails with EIO or ends.
func TestRunEndsWithItsTerminalThoughHangupsAreIgnored(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds and runs the whole program")
	}
	bin, err := program()
	must.NoError(t, err)
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
	if diff := cmp.Diff(found, tegratest.Contents(t, root)); diff != "" {
		t.Errorf("the board is not as it was found (-found +now):\n%s", diff)
	}
}

// TestRunEndsByATermEachTime: a goroutine that gets a signal twice must not wait for one that ended at the first.
func TestRunEndsByATermEachTime(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds and runs the whole program")
	}
	bin, err := program()
	must.NoError(t, err)
	for n := range 8 {
		cmd := exec.Command(bin, "--device", "virtual:agx-orin", "--data-dir", t.TempDir())
		cmd.Env = watched.Environ(t.TempDir())
		term, err := watched.Open(cmd, 80, 24, nil)
		must.NoError(t, err)
		_, err = term.Until(context.Background(), patience, func(screen string) bool {
			return strings.Contains(screen, "module total")
		})
		if err == nil {
			err = cmd.Process.Signal(syscall.SIGTERM)
		}
		if err == nil {
			err = term.Wait(patience)
		}
		term.Close()
		if err != nil {
			t.Fatalf("start %d: %v", n, err)
		}
	}
}

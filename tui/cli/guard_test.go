package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/guard"
	"jtune/tegra/tegratest"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

// A session lasts for hours; if its guard is killed, it must still be able to set modes.
func TestDeadGuardIsReplaced(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	s := must.Get(session.Open(session.Options{Sysroot: root, Paths: config.Paths{DataDir: t.TempDir(),
		LogFile: filepath.Join(t.TempDir(), "log")}}))(t)
	defer s.Close()
	before := tegratest.Contents(t, root)
	set := func() *guard.Client {
		t.Helper()
		g := must.Get(s.Guard(t.Context()))(t)
		m, err := s.Device.Space().Parse("8c/1.34C/0.83G/2.13M")
		must.NoError(t, err)
		_, err = g.Apply(t.Context(), tegra.Request{Mode: m})
		must.NoError(t, err)
		return g.(*guard.Client)
	}
	first := set()
	if again := set(); again != first {
		t.Error("a living guard was replaced")
	}
	must.NoError(t, syscall.Kill(first.PID(), syscall.SIGKILL))
	if _, err := first.Restore(t.Context()); err == nil {
		t.Fatal("a killed guard answers")
	}
	if second := set(); second.PID() == first.PID() {
		t.Error("the dead guard was given again")
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	same(t, root, before)
}

// However a waiting process is ended, the board is restored.
func TestEndedProcessesLeaveTheBoardAsItWas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal syscall.Signal
		code   int // -1: killed by the signal
	}{
		{syscall.SIGINT, exitInterrupted},
		{syscall.SIGTERM, exitInterrupted},
		{syscall.SIGHUP, exitInterrupted},
		{syscall.SIGQUIT, exitInterrupted},
		{syscall.SIGKILL, -1},
	} {
		t.Run(c.signal.String(), func(t *testing.T) {
			t.Parallel()
			args, root := fakeBoard(t, "true")
			before := tegratest.Contents(t, root)
			cmd := child(with(args, "apply", "8c/1.34C/0.83G/2.13M")...)
			stdin := must.Get(cmd.StdinPipe())(t)
			defer stdin.Close()
			must.NoError(t, cmd.Start())
			must.Until(t, "the mode is applied",
				func() bool { return len(tegratest.Differences(before, tegratest.Contents(t, root))) > 0 })
			must.NoError(t, cmd.Process.Signal(c.signal))
			exited(t, cmd.Wait(), c.code)
			must.Until(t, "every file is restored",
				func() bool { return len(tegratest.Differences(before, tegratest.Contents(t, root))) == 0 })
		})
	}
}

// An interrupted fit ends soon, with the exit code of an interrupt.
func TestInterruptedFitWritesNoModel(t *testing.T) {
	t.Parallel()
	samples, model := sampleFile(t, 30), filepath.Join(t.TempDir(), "m")
	cmd := child("fit", "--samples", samples, "--out", model, "--method", "nn", "--data-dir",
		t.TempDir())
	var said safeBuffer
	cmd.Stderr = &said
	must.NoError(t, cmd.Start())
	must.Until(t, "training networks", func() bool { return strings.Contains(said.String(), "training networks") })
	must.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	exited(t, cmd.Wait(), exitInterrupted)
	if _, err := os.Stat(model); err == nil {
		t.Error("a model was written")
	}
}

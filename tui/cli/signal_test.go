package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
)

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
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != c.code {
				t.Errorf("got %v, want exit code %d", err, c.code)
			}
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
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("got %v, want exit code %d", err, exitInterrupted)
	}
	if _, err := os.Stat(model); err == nil {
		t.Error("a model was written")
	}
}

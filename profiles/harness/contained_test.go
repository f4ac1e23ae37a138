package harness

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jtune/internal/must"
	"jtune/profiles/harness/detect"
)

func TestContainerOfACommandIsEndedWithItsJob(t *testing.T) {
	t.Parallel()
	engine, calls := fakeEngine(t)
	h := must.Get(Exec(t.Context(), ExecOptions{Command: []string{engine, "run", "-it", "--rm", "IMAGE", "train"},
		Name:   "mine",
		Detect: &Detect{}}))(t)
	for kind := Kind(""); kind != Minibatch; {
		e := must.Get(h.Next(t.Context()))(t)
		kind = e.Kind
	}
	if err := h.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(calls)
	name, label := nameIn(string(text)), ownersLabel()
	want := "ps -a --filter label=" + label + " --format {{.Names}}\nrun --name " + name + " --label " + label +
		" --init -i --rm IMAGE train\nkill " + name + "\nrm -f " + name + "\n"
	if err != nil || !strings.HasPrefix(string(text), want) {
		t.Errorf("%v, got %q, want %q", err, text, want)
	}
}

// A container that has the name which the user gave is the user's: it is neither replaced nor ended.
func TestContainerOfTheUsersIsNotEnded(t *testing.T) {
	t.Parallel()
	engine, calls := fakeEngine(t)
	_, err := Exec(t.Context(), ExecOptions{Command: []string{engine, "run", "--name", "mine", "IMAGE"}, Name: "x",
		Detect: &Detect{}})
	if err == nil || !strings.Contains(err.Error(), "container mine exists already") {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile(calls); string(text) != "container inspect mine\n" {
		t.Errorf("the engine was called so:\n%s", text)
	}
}

// The background of a terminal: a job that reads it would stand still for ever.
func TestExecEndsAJobThatWaitsForTheTerminal(t *testing.T) {
	t.Parallel()
	h, err := Exec(t.Context(), ExecOptions{Command: []string{"sh", "-c", "kill -TTIN $$; sleep 100"}, Name: "x",
		Detect: &Detect{Options: detect.Options{}, ToEnd: true}})
	must.NoError(t, err)
	for err == nil {
		_, err = h.Next(t.Context())
	}
	if died, ok := errors.AsType[*ExitError](err); !ok || !strings.Contains(err.Error(), "waits for the terminal") {
		t.Errorf("%v, %+v", err, died)
	}
}

// The client of a container that sudo started belongs to root: it ends with its container, and by no signal.
func TestExecStopRemovesAContainerWhoseClientItMayNotSignal(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setpriv"); err != nil || os.Getuid() != 0 {
		t.Skip("needs root, and setpriv(1) to be sudo")
	}
	dir := t.TempDir()
	engine := filepath.Join(dir, "docker")
	script := `#!/bin/sh
case $1 in
run) echo $$ >` + dir + `/pid; exec setpriv --reuid 65534 --regid 65534 --clear-groups sh -c \
	'echo "{\"event\":\"minibatch\",\"time_ms\":1}"; exec sleep 300' ;;
rm) kill -KILL $(cat ` + dir + `/pid) ;;
esac
`
	must.NoError(t, os.WriteFile(engine, []byte(script), 0o700))
	started, err := Exec(t.Context(), ExecOptions{Command: []string{engine, "run", "IMAGE"}, Name: "x"})
	must.NoError(t, err)
	h := started.(*job)
	t.Cleanup(func() { _ = h.cmd.Process.Kill() })
	_, err = h.Next(t.Context())
	must.NoError(t, err)
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with this goroutine
		of, data := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, [2]unix.CapUserData{}
		err := unix.Capget(&of, &data[0])
		data[0].Effective &^= 1 << unix.CAP_KILL
		err = errors.Join(err, unix.Capset(&of, &data[0]))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		ended <- errors.Join(err, h.Stop(ctx))
	}()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

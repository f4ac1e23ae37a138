package harness

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jtune/internal/must"
	"jtune/profiles/harness/process"
)

// elsewhere starts a program that jtune does not start, with its output in a file.
func elsewhere(t *testing.T, script string) (pid int, log string, cmd *exec.Cmd) {
	t.Helper()
	log = filepath.Join(t.TempDir(), "train.log")
	f := must.Get(os.Create(log))(t)
	defer f.Close()
	cmd = exec.Command("/bin/sh", "-c", script)
	cmd.Stdout, cmd.Stderr = f, f
	must.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd.Process.Pid, log, cmd
}

// minibatchesOf reads n minibatches.
func minibatchesOf(t *testing.T, h Harness, n int) (out []Event) {
	t.Helper()
	for len(out) < n {
		e, err := h.Next(t.Context())
		if err != nil {
			t.Fatalf("after %d minibatches: %v", len(out), err)
		}
		if e.Kind == Minibatch {
			out = append(out, e)
		}
	}
	return out
}

const trainsAlone = `echo '{"event":"hello","protocol":1,"framework":"mine 1.0"}'
i=0; while :; do i=$((i+1)); echo "{\"event\":\"minibatch\",\"batch\":$i,\"time_ms\":20.5}"; sleep 0.02; done`

// A job that was started elsewhere is read from now on, stays untouched, and can be read again.
func TestAttachReadsARunningJobAndLeavesIt(t *testing.T) {
	t.Parallel()
	pid, log, _ := elsewhere(t, trainsAlone)
	for _, e := range []Elsewhere{{PID: pid}, {Log: log}, {PID: pid, Log: log}} {
		h := must.Get(Attach(t.Context(), e, nil, 0))(t)
		if got := minibatchesOf(t, h, 5); got[0].TimeMS != 20.5 || got[4].Batch != got[0].Batch+4 {
			t.Errorf("%v: %+v", e, got)
		}
		if err := h.Stop(t.Context()); err != nil || !process.Alive(pid, "") {
			t.Errorf("%v: the job after the end of reading: alive %v, %v", e, process.Alive(pid, ""), err)
		}
	}
}

func TestAttachTellsTheHelloOfALogThatBeganBefore(t *testing.T) {
	t.Parallel()
	pid, _, _ := elsewhere(t, trainsAlone)
	h := must.Get(Attach(t.Context(), Elsewhere{PID: pid}, nil, 0))(t)
	defer h.Stop(t.Context())
	for {
		e := must.Get(h.Next(t.Context()))(t)
		if e.Kind == Hello {
			if e.Info["framework"] != "mine 1.0" {
				t.Errorf("%v", e.Info)
			}
			return
		}
		if e.Kind == Minibatch && e.Batch > 1000 {
			t.Fatal("no hello")
		}
	}
}

func TestAttachEndsWithTheJob(t *testing.T) {
	t.Parallel()
	pid, _, cmd := elsewhere(t, trainsAlone)
	h, err := Attach(t.Context(), Elsewhere{PID: pid}, nil, 0)
	must.NoError(t, err)
	defer h.Stop(t.Context())
	minibatchesOf(t, h, 2)
	cmd.Process.Kill()
	for err == nil {
		_, err = h.Next(t.Context())
	}
	if !errors.Is(err, ErrOver) || !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
	cmd.Wait()
	if _, err := Attach(t.Context(), Elsewhere{PID: pid}, nil, 0); !errors.Is(err, ErrOver) {
		t.Errorf("a job that has ended: %v", err)
	}
}

// Bars of progress need no name, also where several come with one look at the log.
func TestAttachFindsOutHowALogTellsItsMinibatches(t *testing.T) {
	t.Parallel()
	pid, _, _ := elsewhere(t, `i=0; while :; do i=$((i+1)); printf '\r%d%%|##  | %d/100000 [00:01<00:09, 50.0it/s]' 1 $i
	sleep 0.02; done`)
	h := must.Get(Attach(t.Context(), Elsewhere{PID: pid}, nil, 0))(t)
	defer h.Stop(t.Context())
	got := minibatchesOf(t, h, 25)[5:]
	from, to := got[0].Began(), got[len(got)-1].T
	if mean := (to - from).Seconds() * 1000 / float64(len(got)); mean < 15 || got[10].TimeMS < mean/4 {
		t.Errorf("mean %g ms, one of %g ms: a minibatch takes 20 ms at least", mean, got[10].TimeMS)
	}
}

func TestAttachRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	pid, _, _ := elsewhere(t, "exec sleep 60 >/dev/null 2>&1")
	for want, e := range map[string]Elsewhere{
		"writes to no file (/dev/null)":   {PID: pid},
		"no process 1999999999 runs":      {PID: 1999999999},
		"no such file or directory":       {Log: filepath.Join(t.TempDir(), "none")},
		"neither a file nor a named pipe": {Log: t.TempDir()},
		`'nothing' finds no step`:         {PID: pid, Log: os.Args[0], Pattern: "nothing"},
	} {
		for start := time.Now(); ; time.Sleep(10 * time.Millisecond) { // until the shell has become sleep
			if _, err := Attach(t.Context(), e, nil, 0); err != nil && strings.Contains(err.Error(), want) {
				break
			} else if time.Since(start) > 3*time.Minute {
				t.Errorf("%+v: %v, want %q", e, err, want)
				break
			}
		}
	}
}

// A log that is cut, or replaced by another, is read on.
func TestAttachReadsALogThatIsReplaced(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "train.log")
	write := func(name, text string) {
		must.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	line := func(batch int) string { return fmt.Sprintf(`{"event":"minibatch","batch":%d,"time_ms":5}`+"\n", batch) }
	write(log, line(1)+line(2))
	h := must.Get(Attach(t.Context(), Elsewhere{Log: log}, nil, 0))(t)
	defer h.Stop(t.Context())
	write(log, line(3)) // shorter
	if got := minibatchesOf(t, h, 1); got[0].Batch != 3 {
		t.Errorf("of a log that was cut: %+v", got[0])
	}
	write(log+".new", line(4)+line(5))
	must.NoError(t, os.Rename(log+".new", log))
	if got := minibatchesOf(t, h, 2); got[0].Batch != 4 || got[1].Batch != 5 {
		t.Errorf("of another log: %+v", got)
	}
}

// A job that writes to a named pipe is not killed when nobody of jtune reads it any more.
func TestAttachLeavesAJobBehindANamedPipeRunning(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	must.NoError(t, unix.Mkfifo(fifo, 0o600))
	pid, log, cmd := elsewhere(t, fmt.Sprintf(`exec >%q; i=0; while [ $i -lt 20000 ]; do i=$((i+1))
	echo "{\"event\":\"minibatch\",\"batch\":$i,\"time_ms\":20.5,\"message\":\"`+strings.Repeat("x", 200)+`\"}"
	done; echo done >&2; exec sleep 60`, fifo))
	h := must.Get(Attach(t.Context(), Elsewhere{Log: fifo, PID: pid}, nil, 0))(t)
	minibatchesOf(t, h, 5)
	must.NoError(t, h.Stop(t.Context()))
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) { // 4 MB more than a pipe holds
		if text, err := os.ReadFile(log); err == nil && strings.Contains(string(text), "done") {
			break
		}
		if time.Since(start) > 3*time.Minute {
			t.Fatalf("the job stalls, alive %v", process.Alive(pid, ""))
		}
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Errorf("process %s: %v", strconv.Itoa(pid), err)
	}
	cmd.Process.Kill()
	cmd.Wait()
}

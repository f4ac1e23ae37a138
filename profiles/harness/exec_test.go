package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/profiles/harness/pipe"
	"jtune/profiles/harness/process"
)

// sh runs a script as a job, and ends it with the test.
func sh(t *testing.T, script string, o ExecOptions) *job {
	t.Helper()
	o.Command = []string{"sh", "-c", script}
	h := must.Get(Exec(t.Context(), o))(t)
	t.Cleanup(func() { h.Stop(context.Background()) })
	return h.(*job)
}

// all takes events until the job ends.
func all(t *testing.T, h Harness) ([]Event, error) {
	t.Helper()
	var out []Event
	for {
		e, err := h.Next(t.Context())
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
}

const three = `for i in 0 1 2; do echo '{"event":"minibatch","batch":'$i',"time_ms":5}'; done; `

func TestExecJobThatFinishesGivesItsEventsThenEOF(t *testing.T) {
	t.Parallel()
	script := `echo '{"event":"hello","protocol":1}'; ` + three + `echo '{"event":"done"}'`
	events, err := all(t, sh(t, script, ExecOptions{}))
	if !errors.Is(err, io.EOF) || len(events) != 5 || events[3].Batch != 2 || events[4].Kind != Done {
		t.Errorf("got %v, %v; want hello, three minibatches, done, EOF", events, err)
	}
	for i := 1; i < len(events); i++ {
		if events[i].T < events[i-1].T {
			t.Errorf("event %d came before the one ahead of it", i)
		}
	}
}

// A job that ends badly gives its events, then its status and the line that says why.
func TestExecJobThatDiesSaysWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		script       string
		events, code int
		want         string
	}{
		{three + `echo warning >&2; echo 'CUDA out of memory' >&2; exit 3`, 3, 3,
			"command sh ended with exit status 3: CUDA out of memory"},
		{`echo 'docker: Cannot connect to the Docker daemon.' >&2; echo >&2; ` +
			`echo "Run 'docker run --help' for more information" >&2; exit 125`, 0, 125, // the engine's advice is none
			"command sh ended with exit status 125: docker: Cannot connect to the Docker daemon."},
		{`kill -KILL $$`, 0, 128 + int(syscall.SIGKILL), "command sh was killed from outside (signal: killed): most " +
			"often by the kernel, out of memory (see dmesg), which counts as did not run (DNR)"},
	} {
		events, err := all(t, sh(t, c.script, ExecOptions{}))
		died, ok := errors.AsType[*ExitError](err)
		if !ok || died.Code != c.code || len(events) != c.events || err.Error() != c.want {
			t.Errorf("%s: %d events, %#v, %v; want %q", c.script, len(events), died, err, c.want)
		}
		if c.code == 3 && (died.Status != "exit status 3" || len(died.Lines) != 2) {
			t.Errorf("%s: %+v", c.script, died)
		}
	}
	_, err := all(t, sh(t, `echo '{"event":"error","message":"no data set"}'`, ExecOptions{})) // with status 0
	if err == nil || !strings.Contains(err.Error(), "no data set") {
		t.Errorf("an error event: %v", err)
	}
}

// A job that prints nothing, or nothing of use, for longer than it may is silent.
func TestExecJobThatTellsNothingIsSilent(t *testing.T) {
	t.Parallel()
	for script, c := range map[string]struct {
		limit   time.Duration
		garbage bool
		want    string
	}{
		"sleep 60": {100 * time.Millisecond, false, "prints nothing for 100 ms"},
		"while true; do echo 'Epoch 1/5'; sleep 0.02; done": {2 * time.Second, true, "Epoch 1/5"},
	} {
		_, err := all(t, sh(t, script, ExecOptions{Silence: c.limit}))
		silent, ok := errors.AsType[*SilenceError](err)
		if !ok || silent.Garbage > 0 != c.garbage || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", script, err)
		}
	}
}

func TestExecGarbageIsCountedAndLogged(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log.txt")
	h := sh(t, `echo 'Loading weights'; printf '\377\000\n'; `+three+
		`echo '{"event":"minibatch","time_ms":-1}'; echo tired >&2`, ExecOptions{Log: log})
	events, err := all(t, h)
	if !errors.Is(err, io.EOF) || len(events) != 3 || h.counts().Garbage != 3 {
		t.Errorf("%d events, %v, %+v; want 3 events and 3 other lines", len(events), err, h.counts())
	}
	h.Stop(t.Context())
	text, _ := os.ReadFile(log)
	for _, want := range []string{"Loading weights", "time_ms is -1", "tired", "exit status 0"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the log lacks %q:\n%s", want, text)
		}
	}
}

func TestExecFloodIsSurvivedInBoundedMemory(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log.txt")
	h := sh(t, `head -c 3000000 /dev/zero | tr '\0' x; echo; yes "$(printf %01000d 0)" | head -n 20000; `+
		`yes '{"event":"minibatch","time_ms":1}' | head -n 20000`, ExecOptions{Log: log})
	<-h.ended
	events, err := all(t, h)
	if !errors.Is(err, io.EOF) || len(events) != queueLen || h.counts().Dropped != 20000-queueLen {
		t.Errorf("%d events, %v, %+v", len(events), err, h.counts())
	}
	if st, err := os.Stat(log); err != nil || st.Size() > maxLog+pipe.Longest {
		t.Errorf("log has %d bytes, %v; want %d at most", st.Size(), err, maxLog)
	}
}

// TestQueueLosesNothingOfALongBurst also where all goroutines take turns on one
// thread, as while a mode is measured.
func TestQueueLosesNothingOfALongBurst(t *testing.T) { // not parallel: it changes the process
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const n = 5 * queueLen
	for name, c := range map[string]struct{ line, pattern string }{
		"events of the protocol":  {`{"event":"minibatch","time_ms":1,"t":'$i'}`, ""},
		"short lines, by pattern": {`1`, `(?P<time_ms>\d)`},
	} {
		t.Run(name, func(t *testing.T) {
			script := `i=0; while [ $i -lt %d ]; do echo '` + c.line + `'; i=$((i+1)); done > "$OUT"; cat "$OUT"`
			j := sh(t, fmt.Sprintf(script, n), ExecOptions{Pattern: c.pattern,
				Env: map[string]string{"OUT": filepath.Join(t.TempDir(), "lines")}})
			events, err := all(t, j)
			if !errors.Is(err, io.EOF) || len(events) != n || j.counts().Dropped != 0 {
				t.Errorf("%d of %d events, %d dropped, %v", len(events), n, j.counts().Dropped, err)
			}
		})
	}
}

func TestExecStopEndsTheWholeGroup(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	// A job with a loader process that ignores TERM.
	h := sh(t, `(trap '' TERM; sleep 300) & echo $! >`+pids+`; `+three+`wait`, ExecOptions{})
	for range 3 {
		_, err := h.Next(t.Context())
		must.NoError(t, err)
	}
	must.NoError(t, h.Stop(t.Context()))
	if err := h.Stop(t.Context()); err != nil {
		t.Errorf("stopping twice: %v", err)
	}
	if _, err := h.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after Stop: %v, want EOF", err)
	}
	ended(t, must.Number(t, pids))
}

// ended waits until a process has ended.
func ended(t *testing.T, pid int) {
	t.Helper()
	must.Until(t, fmt.Sprintf("process %d has ended", pid), func() bool { return !running(pid) })
}

// jtuneOf starts a jtune, which is this program, with a job in a folder, and waits until the job makes the file ready.
func jtuneOf(t *testing.T, dir, job string, env ...string) *exec.Cmd {
	t.Helper()
	self := exec.Command(os.Args[0])
	self.Env = append(append(os.Environ(), "JTUNE_TEST_JOB=cd "+dir+"; "+job), env...)
	must.NoError(t, self.Start())
	must.Exist(t, filepath.Join(dir, "ready"))
	return self
}

// running reports whether a process lives; one that waits for its parent to
// notice its death does not.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestExecJobThatIgnoresTermIsKilledWhenTheCallerHasNoTime(t *testing.T) {
	t.Parallel()
	h := sh(t, `trap '' TERM; echo '{"event":"minibatch","time_ms":1}'; while true; do sleep 0.05; done`, ExecOptions{})
	_, err := h.Next(t.Context())
	must.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h.Stop(ctx)
	if running(h.cmd.Process.Pid) {
		t.Error("the job still runs")
	}
}

// A job that no signal reaches, as one that sudo started, cannot be waited for: the board is restored next.
func TestExecStopGivesUpOnAJobThatNoSignalReaches(t *testing.T) {
	t.Parallel()
	h := sh(t, `echo '{"event":"minibatch","time_ms":1}'; sleep 300`, ExecOptions{})
	_, err := h.Next(t.Context())
	must.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var sent []syscall.Signal
	err = h.end(ctx, func(s syscall.Signal) { sent = append(sent, s) }, time.Millisecond)
	want := fmt.Sprintf("sh (process %d) still runs although it was killed", h.cmd.Process.Pid)
	if err == nil || err.Error() != want || !slices.Equal(sent, []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}) {
		t.Errorf("%v after %v, want %s", err, sent, want)
	}
}

func TestExecLeaderThatDiesTakesItsGroupAlong(t *testing.T) {
	t.Parallel()
	h := sh(t, `sleep 300 & `+three+`exit 1`, ExecOptions{})
	events, err := all(t, h)
	var died *ExitError
	if !errors.As(err, &died) || len(events) != 4 || events[3].Kind != Note ||
		!slices.Equal(h.Left(), []string{"sleep 300"}) {
		t.Errorf("%v, %v; want the death of the leader though a child holds the pipe, and its name", events, err)
	}
}

// TestMain makes the test binary a jtune that is killed. The tests' jobs have a mark of their own, which a test may
// replace in the jtune that it starts.
func TestMain(m *testing.M) {
	os.Setenv("JTUNE_TEST_MARK", cmp.Or(os.Getenv("JTUNE_TEST_MARK"), "_OF_TESTS"))
	if script := os.Getenv("JTUNE_TEST_JOB"); script != "" {
		o := ExecOptions{Command: []string{"sh", "-c", script}, Name: "killed"}
		if engine := os.Getenv("JTUNE_TEST_ENGINE"); engine != "" {
			o.Container = Container{Image: "image", Engine: engine}
		}
		h, err := Exec(context.Background(), o)
		if err != nil {
			os.Exit(1)
		}
		for err == nil {
			_, err = h.Next(context.Background())
		}
		os.Exit(1)
	}
	testhome.Together(8)
	os.Exit(m.Run())
}

// A job of a shell, a loader and a loader's own child that ignore what a
// terminal or jtune could send: kill -9 of jtune leaves none of them.
func TestExecJobDoesNotOutliveAJtuneThatIsKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	self := jtuneOf(t, dir, "trap '' TERM HUP INT; echo $$ >leader; sh -c 'echo $$ >loader; sleep 300 & "+
		"echo $! >child; wait' & until [ -s child ]; do sleep 0.01; done; touch ready; wait")
	self.Process.Kill()
	self.Wait()
	for _, name := range []string{"leader", "loader", "child"} {
		ended(t, must.Number(t, filepath.Join(dir, name)))
	}
}

// A launcher whose workers lead sessions of their own, as torchrun's do, ends them itself at a TERM. The pause that
// the watcher makes between TERM and KILL is the test's: it lasts until the launcher has ended its processes, however
// busy the machine is. The job has a mark of its own, because the start of a job in another test kills the jobs of a
// jtune that has ended, if they have the tests' usual mark.
func TestExecLauncherIsAskedToEndBeforeItIsKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pause := "#!/bin/sh\necho $1 >" + dir + "/pausing; mv " + dir + "/pausing " + dir + "/paused\n" +
		"i=0; while [ -e " + dir + "/ready ] && [ ! -e " + dir + "/asked ] && [ $i -lt 600 ]; do\n" +
		"/bin/sleep 0.1; i=$((i+1)); done\n"
	must.NoError(t, os.WriteFile(filepath.Join(dir, "sleep"), []byte(pause), 0o755))
	self := jtuneOf(t, dir, "setsid sh -c ': >leads; exec /bin/sleep 300' & worker=$!; "+
		"trap 'kill $worker; : >asked; exit' TERM; until [ -e leads ]; do /bin/sleep 0.01; done; : >ready; wait",
		"JTUNE_TEST_MARK=_OF_LAUNCHER", "PATH="+dir+":"+os.Getenv("PATH"))
	self.Process.Kill()
	self.Wait()
	must.Exist(t, filepath.Join(dir, "asked"))
	must.Exist(t, filepath.Join(dir, "paused"))
	text, err := os.ReadFile(filepath.Join(dir, "paused"))
	if seconds, perr := strconv.ParseFloat(strings.TrimSpace(string(text)), 64); err != nil || perr != nil ||
		seconds < 1 {
		t.Errorf("between TERM and KILL it pauses for %q s, %v; want 1 at least", text, err)
	}
}

func TestExecNextEndsWithItsContext(t *testing.T) {
	t.Parallel()
	h := sh(t, `sleep 60`, ExecOptions{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := h.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestExecJobLearnsItsSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := all(t, sh(t, `echo "$JTUNE_BATCH $PYTHONUNBUFFERED $(pwd)" >out`,
		ExecOptions{Dir: dir, Env: map[string]string{"JTUNE_BATCH": "32"}}))
	text, _ := os.ReadFile(filepath.Join(dir, "out"))
	if !errors.Is(err, io.EOF) || !strings.HasPrefix(string(text), "32 1 ") ||
		!strings.Contains(string(text), filepath.Base(dir)) {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestExecCommandThatCannotStartIsAnError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		o    ExecOptions
		want string
	}{
		{"no command", ExecOptions{}, "no command"},
		{"no such program", ExecOptions{Command: []string{"/no/such/program"}}, "no such file"},
		{"no such folder", ExecOptions{Command: []string{"true"}, Dir: "/no/such/folder"}, "no such file"},
		{"a log that cannot be written", ExecOptions{Command: []string{"true"}, Log: "/no/such/folder/log.txt"}, "log"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Exec(t.Context(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// counts are numbers of unusual input.
type counts struct {
	Garbage int // lines that were no events, or events with absurd values
	Dropped int // events lost to a flood
}

func (j *job) counts() counts {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.queue.mu.Lock()
	defer j.queue.mu.Unlock()
	return counts{Garbage: j.garbage, Dropped: j.queue.dropped}
}

// Processes that leave the job's group end with it, and with a jtune that is killed.
func TestExecProcessesThatLeaveTheGroupEndWithTheJob(t *testing.T) {
	t.Parallel()
	endsWithItsJob(t, "setsid")
}

// endsWithItsJob checks that a process that a job starts with a command in front ends with the job.
func endsWithItsJob(t *testing.T, front string) {
	t.Helper()
	leave := front + ` sh -c 'echo $$ >stray; exec sleep 300' & until [ -s stray ]; do sleep 0.01; done; touch ready; `
	t.Run("when it is done", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		_, err := all(t, sh(t, leave+three, ExecOptions{Dir: dir}))
		if !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		ended(t, must.Number(t, filepath.Join(dir, "stray")))
	})
	t.Run("when jtune is killed", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		self := jtuneOf(t, dir, leave+"wait")
		self.Process.Kill()
		self.Wait()
		ended(t, must.Number(t, filepath.Join(dir, "stray")))
	})
}

// Without its watcher a job would outlive a jtune that is killed: it ends, and says why.
func TestExecJobEndsWithItsWatcher(t *testing.T) {
	t.Parallel()
	j := sh(t, `echo '{"event":"hello","protocol":1}'; trap '' TERM; while :; do sleep 1; done`, ExecOptions{})
	_, err := j.Next(t.Context())
	must.NoError(t, err)
	must.NoError(t, syscall.Kill(j.group.Watcher(), syscall.SIGKILL))
	_, err = all(t, j)
	var exit *ExitError
	if !errors.As(err, &exit) || !strings.Contains(err.Error(), "watches over it was killed") {
		t.Errorf("got %v", err)
	}
}

// It does not run beside others: it ends the jobs of every test whose jtune was killed.
func TestEndOrphansEndsAJobWhoseJtuneAndWatcherWereKilledTogether(t *testing.T) {
	endsOrphan(t, "trap '' TERM; echo $$ >job; mv job ready; while :; do sleep 1; done")
}

func endsOrphan(t *testing.T, job string) {
	t.Helper()
	dir := t.TempDir()
	self := jtuneOf(t, dir, job)
	pid := must.Number(t, filepath.Join(dir, "ready"))
	watcher := must.Get(syscall.Getpgid(pid))(t)
	process.EndOrphans()
	if !running(pid) {
		t.Fatal("the job of a jtune that runs was ended")
	}
	for _, end := range []struct {
		pid int
		by  syscall.Signal
	}{{self.Process.Pid, syscall.SIGSTOP}, {watcher, syscall.SIGKILL}, {self.Process.Pid, syscall.SIGKILL}} {
		must.NoError(t, syscall.Kill(end.pid, end.by))
	}
	self.Wait()
	if !running(pid) {
		t.Fatal("the job ended by itself: this test proves nothing")
	}
	if n := process.EndOrphans(); n < 1 {
		t.Errorf("%d processes ended", n)
	}
	ended(t, pid)
}

// Programs that use C's standard library write a pipe in blocks, but jtune reads each line as it is written, also from
// within a pipeline.
func TestExecOutputOfCProgramsComesLineByLine(t *testing.T) {
	t.Parallel()
	var reads readCounter
	h := sh(t, `for i in 1 2 3 4 5 6 7 8; do echo step $i; sleep 0.1; done | cut -c1-`,
		ExecOptions{Detect: &Detect{ToEnd: true}, Echo: &reads})
	if _, err := all(t, h); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if line := h.Output() == Lines; line != (reads > 4) {
		t.Errorf("output %s in %d reads", h.Output(), reads)
	}
}

type readCounter int

func (c *readCounter) Write(b []byte) (int, error) { *c++; return len(b), nil }

// A program that prints no step for a minute says so; it ends after the user's patience, and nothing was understood.
func TestExecCommandWithoutAStepSaysSoAndEnds(t *testing.T) {
	t.Parallel()
	for lines, script := range []string{"sleep 60", "echo thinking hard; sleep 60"} {
		h := sh(t, script, ExecOptions{Detect: &Detect{}, Start: StartLimit, Patience: 5 * time.Second})
		h.mu.Lock()
		h.started = h.started.Add(-unseenAfter)
		h.wait += unseenAfter
		h.mu.Unlock()
		events, err := all(t, h)
		if !errors.Is(err, ErrNotUnderstood) {
			t.Fatalf("%s: %v", script, err)
		}
		if len(events) != 1 || events[0].Kind != Note ||
			strings.Contains(events[0].Message, "printed nothing") != (lines == 0) {
			t.Errorf("%s: %v", script, events)
		}
	}
}

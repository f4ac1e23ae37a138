package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// The values that a client may request, at both ends of each range.
func TestRequestIsTakenWithinItsBounds(t *testing.T) {
	t.Parallel()
	day := MaxKeepAfter.Milliseconds()
	for name, c := range map[string]struct {
		r    request
		want string // "" : it is taken
	}{
		"the least mode":         {request{Mode: &wireMode{1, 1, 1, 1}}, ""},
		"the fastest CPU":        {request{Mode: &wireMode{1, 1e9, 1, 1}}, ""},
		"a CPU beyond it":        {request{Mode: &wireMode{1, 1e9 + 1, 1, 1}}, "is not a power mode"},
		"no cores":               {request{Mode: &wireMode{0, 1, 1, 1}}, "is not a power mode"},
		"no CPU clock":           {request{Mode: &wireMode{1, 0, 1, 1}}, "is not a power mode"},
		"no GPU clock":           {request{Mode: &wireMode{1, 1, 0, 1}}, "is not a power mode"},
		"no memory clock":        {request{Mode: &wireMode{1, 1, 1, 0}}, "is not a power mode"},
		"no mode":                {request{}, "no mode given"},
		"a countdown of a day":   {request{Mode: &wireMode{1, 1, 1, 1}, KeepAfterMS: day}, ""},
		"one of more":            {request{Mode: &wireMode{1, 1, 1, 1}, KeepAfterMS: day + 1}, "outside 0 to a day"},
		"one before its mode":    {request{Mode: &wireMode{1, 1, 1, 1}, KeepAfterMS: -1}, "outside 0 to a day"},
		"the fan at full speed":  {request{Mode: &wireMode{1, 1, 1, 1}, Fan: "max"}, ""},
		"a fan that is to stop":  {request{Mode: &wireMode{1, 1, 1, 1}, Fan: "off"}, "unknown fan policy"},
		"clocks without a limit": {request{Mode: &wireMode{1, 1, 1, 1}, DVFS: true, CPUGovernor: "schedutil"}, ""},
	} {
		got, keep, err := c.r.command()
		switch {
		case c.want == "" && (err != nil || got.Mode != c.r.Mode.mode() || keep.Milliseconds() != c.r.KeepAfterMS ||
			got.DVFS != c.r.DVFS || got.Governors.CPU != c.r.CPUGovernor):
			t.Errorf("%s: %+v, %v, %v", name, got, keep, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// The guard tries a busy kernel five times, after pauses that double, and reports other errors at once.
func TestServerAsksABusyKernelAgainAfterLongerPauses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		fails  int
		tries  int
		pauses []time.Duration
		ok     bool
	}{
		{syscall.EBUSY, 99, 5, []time.Duration{10e6, 20e6, 40e6, 80e6}, false},
		{syscall.EAGAIN, 4, 5, []time.Duration{10e6, 20e6, 40e6, 80e6}, true},
		{syscall.EINTR, 1, 2, []time.Duration{10e6}, true},
		{syscall.EIO, 99, 1, nil, false},
		{nil, 0, 1, nil, true},
	} {
		var pauses []time.Duration
		s := &Server{pause: func(d time.Duration) { pauses = append(pauses, d) }}
		tries := 0
		err := s.patiently(func() error {
			if tries++; tries <= c.fails {
				return c.err
			}
			return nil
		})
		if tries != c.tries || !slices.Equal(pauses, c.pauses) || (err == nil) != c.ok {
			t.Errorf("%v: %d tries after %v, %v", c.err, tries, pauses, err)
		}
	}
}

// Reads that nobody answers yet are bounded: the next is refused, and the client's end is still noticed.
func TestInboxRefusesReadsBeyondThoseThatMayWait(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	w := newLineWriter(&out)
	q := &inbox{commands: make(chan request, 1), reads: make(chan request, maxWaiting), quit: make(chan struct{})}
	var in strings.Builder
	for i := range maxWaiting + 2 {
		fmt.Fprintf(&in, `{"id":%d,"op":"read","path":"x"}`+"\n", i+1)
	}
	q.fill(strings.NewReader(in.String()), w)
	w.close(time.Minute)
	waiting := 0
	for range q.reads {
		waiting++
	}
	if waiting != maxWaiting || strings.Count(out.String(), "too many reads") != 2 ||
		!strings.Contains(out.String(), fmt.Sprintf(`"id":%d`, maxWaiting+1)) {
		t.Errorf("%d reads wait, answered:\n%s", waiting, out.String())
	}
}

// A client that does not read delays the end by at most a second; later answers are dropped.
func TestServeWaitsASecondForAClientThatReadsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stuck, unread := io.Pipe()
		w := newLineWriter(unread)
		w.send(response{ID: 1})
		begun := time.Now()
		w.close(lastAnswers)
		if took := time.Since(begun); took != time.Second {
			t.Errorf("it waits %v", took)
		}
		w.send(response{ID: 2})
		go io.Copy(io.Discard, stuck)
		synctest.Wait()
		unread.Close()
	})
	var out strings.Builder
	w := newLineWriter(&out)
	w.send(response{ID: 1, PID: 7})
	w.close(time.Minute)
	w.send(response{ID: 2})
	if got := out.String(); got != `{"id":1,"pid":7}`+"\n" {
		t.Errorf("written: %q", got)
	}
}

// A small log is appended to; a large one is truncated.
func TestOpenLogStartsALargeLogAgain(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "state", "guard.log")
	for _, c := range []struct{ size, kept int }{{0, 0}, {100, 100}, {maxLog, maxLog}, {maxLog + 1, 0}} {
		if c.size > 0 {
			must.NoError(t, os.WriteFile(name, make([]byte, c.size), 0o600))
		}
		f := openLog(name)
		if f == nil {
			t.Fatal("no log")
		}
		f.Close()
		st, err := os.Stat(name)
		if err != nil || st.Size() != int64(c.kept) || st.Mode().Perm() != 0o600 {
			t.Errorf("of %d bytes %v are kept, %v", c.size, st.Size(), err)
		}
	}
	if f := openLog(""); f != nil {
		t.Error("a log without a name")
	}
	if f := openLog(filepath.Join(name, "below-a-file")); f != nil {
		t.Error("a log that cannot be written")
	}
}

// The reason of sudo's refusal is its last new line in the log.
func TestSudoSaidIsItsLastLineSince(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "log")
	old := "sudo: an old reason\n"
	text := old + "guard: x\nsudo: first\nsudo: second\x1b[1m\nguard: y\n"
	must.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	got := sudoSaid(name, int64(len(old)))
	if !strings.HasPrefix(got, " (sudo: second") || strings.Contains(got, "\x1b") {
		t.Errorf("got %q", got)
	}
	if got := sudoSaid(name, 1<<20); got != "" {
		t.Errorf("nothing came since, got %q", got)
	}
	if got := sudoSaid(name+"-absent", 0); got != "" {
		t.Errorf("no log: %q", got)
	}
	exit := startError(errors.New("plain"), true, " (x)", "")
	if errors.Is(exit, tegra.ErrPermission) || !strings.Contains(exit.Error(), "start the guard: plain") {
		t.Errorf("not sudo's fault: %v", exit)
	}
}

// A guard that is still restoring is waited for, half a minute at most; then its log is named.
func TestCloseWaitsHalfAMinuteForAGuardThatRestores(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, in := io.Pipe()
		c := &Client{in: in, done: make(chan struct{}), pid: os.Getpid(), calls: map[int64]chan response{}}
		begun, err := time.Now(), c.Close()
		if took := time.Since(begun); err == nil || !strings.Contains(err.Error(), "still restoring") ||
			took != 30*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
		close(c.done)
		if err := c.Close(); err != nil {
			t.Errorf("once it has ended: %v", err)
		}
	})
}

// A countdown is at least the protocol's resolution.
func TestApplyForAShortTimeIsNoApplyWithoutACountdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, tegratest.NewAGXOrin35())
		told := make(chan error, 1)
		r.OnRevert(func(_ tegra.Applied, err error) { told <- err })
		_, err := r.ApplyFor(context.Background(), tegra.Request{Mode: mid}, time.Nanosecond)
		must.NoError(t, err)
		if err := <-told; err != nil {
			t.Error(err)
		}
		r.wantAsFound()
	})
}

// A lock file that names no process, as of a guard that is about to end, is waited for, ten seconds at most.
func TestStoreWaitsForTheLockOfAnEndedGuard(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	s := must.Get(stateStore(tegra.DiskFS(root), true))(t)
	held := must.Get(s.lock())(t)
	if got := owner(held); got != os.Getpid() || !s.locked() {
		t.Errorf("the lock names %d, locked %v", got, s.locked())
	}
	if _, err := s.lock(); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("a second lock: %v", err)
	}
	disown(held)
	if got := owner(held); got != 0 || alive(got) || alive(-1) || !alive(os.Getpid()) {
		t.Errorf("a lock that is given up names %d", got)
	}
	time.AfterFunc(30*time.Millisecond, func() { held.Close() })
	again := must.Get(s.lock())(t)
	again.Close()
	if s.locked() {
		t.Error("nobody holds the lock")
	}
}

// A lock that a guard holds is refused at once; one that a watchdog holds for good, after deadOwner.
func TestStoreWaitsForAWatchdogAloneAndNotForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := must.Get(stateStore(tegra.DiskFS(tegratest.AGXOrin35(t)), true))(t)
		held := must.Get(s.lock())(t)
		defer held.Close()
		begun := time.Now()
		if _, err := s.lock(); !errors.Is(err, ErrBusy) || time.Since(begun) != 0 {
			t.Fatalf("while a guard lives: %v after %v", err, time.Since(begun))
		}
		disown(held)
		if _, err := s.lock(); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "watchdog") ||
			time.Since(begun) < deadOwner || time.Since(begun) > deadOwner+time.Second {
			t.Errorf("while a watchdog holds it: %v after %v, want %v", err, time.Since(begun), deadOwner)
		}
	})
}

// A knob that cannot be read back is an error, not an empty value.
func TestGuardReadBackFailsWithTheFile(t *testing.T) {
	t.Parallel()
	const limit = tegratest.GPU35 + "/max_freq"
	r := newRig(t, tegratest.NewAGXOrin35())
	r.k.Do(func() { r.k.Fail[limit] = syscall.EIO })
	if got, err := r.server.readBack(limit); !errors.Is(err, syscall.EIO) {
		t.Errorf("%q, %v", got, err)
	}
	r.heal()
	if got, err := r.server.readBack(limit); got == "" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// A file written several times has one entry in Applied, with the last value.
func TestTransitionNotesAFileOnce(t *testing.T) {
	t.Parallel()
	j := &transition{}
	for _, w := range []tegra.Write{{Path: "a", Value: "1"}, {Path: "b", Value: "2"}, {Path: "a", Value: "3"}} {
		j.note(w, w.Value)
	}
	if len(j.files) != 2 || j.files[0].Actual != "3" || j.files[1].Path != "b" {
		t.Errorf("noted %+v", j.files)
	}
}

// A knob that only a first attempt cannot restore is restored, and no error is left of it.
func TestGuardForgetsAFaultThatASecondAttemptOvercomes(t *testing.T) {
	t.Parallel()
	const limit = tegratest.GPU35 + "/max_freq"
	r := newRig(t, tegratest.NewAGXOrin35())
	r.apply(slow)
	r.k.Do(func() { r.k.Busy[limit] = retries }) // as often as one write is tried
	if _, err := r.Restore(context.Background()); err != nil {
		t.Errorf("restored at the second attempt: %v", err)
	}
	r.wantAsFound()
}

// A knob rejected by the kernel is listed in Applied without a value.
func TestGuardListsTheKnobThatTheKernelRefuses(t *testing.T) {
	t.Parallel()
	const limit = tegratest.GPU35 + "/max_freq"
	r := newRig(t, tegratest.NewAGXOrin35())
	r.k.Do(func() { r.k.Refuse[limit] = syscall.EIO })
	a, err := r.Apply(context.Background(), tegra.Request{Mode: slow})
	i := slices.IndexFunc(a.Files, func(f tegra.KnobFile) bool { return f.Path == limit })
	if err == nil || i < 0 || a.Files[i].Actual != "" {
		t.Errorf("%v, files %+v", err, a.Files)
	}
	r.heal()
	r.Close()
	r.wantAsFound()
}

// A knob that could not be restored at the end is the guard's error, and its client's.
func TestServeEndsWithTheErrorOfItsRestore(t *testing.T) {
	t.Parallel()
	const limit = tegratest.GPU35 + "/max_freq"
	k := tegratest.NewKernel(tegra.DiskFS(tegratest.NewAGXOrin35().Write(t)))
	s := must.Get(NewServer(k, tegra.RealClock(), ServerOptions{}))(t)
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	served := make(chan error)
	go func() {
		served <- Serve(context.Background(), requests, answers, s)
		answers.Close()
	}()
	c, err := connect(in, out)
	must.NoError(t, err)
	_, err = c.Apply(context.Background(), tegra.Request{Mode: slow})
	must.NoError(t, err)
	k.Do(func() { k.Refuse[limit] = syscall.EIO })
	closed := make(chan error, 1)
	go func() { closed <- c.Close() }()
	if err := <-served; err == nil || !strings.Contains(err.Error(), "GPU max") {
		t.Errorf("the guard ends with %v", err)
	}
	if err := <-closed; err == nil || !strings.Contains(err.Error(), "GPU max") {
		t.Errorf("its client ends with %v", err)
	}
	if !s.mu.TryLock() {
		t.Error("the guard has ended and still holds its lock, for which a countdown may wait")
	}
}

func TestParseRequestWantsAnOp(t *testing.T) {
	t.Parallel()
	if r := parseRequest([]byte(`{"id":3}`)); r.invalid == nil || r.ID != 3 {
		t.Errorf("a request for nothing: %+v", r)
	}
	if r := parseRequest([]byte(`{"op":"keep"}`)); r.invalid != nil || r.Op != "keep" {
		t.Errorf("a request: %+v", r)
	}
}

// A revert that cannot restore a knob reports it, also when it goes back to the state found first, and can be repeated.
func TestGuardSaysThatARevertFailed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := newRig(t, tegratest.NewAGXOrin35())
	r.apply(mid)
	r.apply(slow)
	_, err := r.Revert(ctx)
	must.NoError(t, err)
	r.k.Do(func() { r.k.Refuse[tegratest.GPU35+"/max_freq"] = syscall.EIO })
	if _, err := r.Revert(ctx); err == nil || !strings.Contains(err.Error(), "GPU max") {
		t.Errorf("to the state found first: %v", err)
	}
	r.heal()
	if _, err := r.Revert(ctx); err != nil {
		t.Errorf("once more: %v", err)
	}
	r.wantAsFound()
}

// A lock with the number of an ended guard, which another process has now, blames the watchdog and not the stranger.
func TestStoreKnowsANumberThatCameAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := must.Get(stateStore(tegra.DiskFS(tegratest.AGXOrin35(t)), true))(t)
		held, err := s.lock()
		must.NoError(t, err)
		defer held.Close()
		must.NoError(t, held.Truncate(0))
		_, err = held.WriteAt([]byte(fmt.Sprintf("%d\npid:[1]/%[1]d/1\n", os.Getpid())), 0)
		must.NoError(t, err)
		if _, err := s.lock(); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "watchdog") {
			t.Errorf("%v", err)
		}
	})
}

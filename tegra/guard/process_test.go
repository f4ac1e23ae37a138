package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"jtune/internal/caller"
	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// Environment variables that make the test program play another role.
const (
	asGuard  = "JTUNE_TEST_GUARD"  // the guard on its command line
	asClient = "JTUNE_TEST_CLIENT" // a client that applies modes below this root until it is killed
	asRoamer = "JTUNE_TEST_ROAMER" // a client that applies random modes of the board below this root
	// asStranger runs as another user, who inspects the lock of the board below this root.
	asStranger = "JTUNE_TEST_STRANGER"
	// throughSudo has a client drop root first, as jtune does.
	throughSudo = "JTUNE_TEST_SUDO"
	// asMachine is a fake root in place of the machine's own.
	asMachine = "JTUNE_TEST_MACHINE"
)

func TestMain(m *testing.M) {
	if root := os.Getenv(asClient); root != "" {
		os.Unsetenv(asClient)
		if os.Getenv(throughSudo) != "" {
			if err := caller.Drop(); err != nil {
				fmt.Println("failed:", err)
				os.Exit(1)
			}
		}
		os.Exit(busyClient(root))
	}
	if root := os.Getenv(asRoamer); root != "" {
		os.Unsetenv(asRoamer)
		os.Exit(roamingClient(root))
	}
	if root := os.Getenv(asStranger); root != "" {
		os.Exit(stranger(root))
	}
	if os.Getenv(asGuard) != "" && !strings.HasPrefix(strings.Join(os.Args[1:], " "), "-test.") { // not a fuzz worker
		if machine := os.Getenv(asMachine); machine != "" {
			os.Unsetenv("SUDO_UID") // it is allowed on / alone
			for i, word := range os.Args {
				if word == "-sysroot=/" {
					os.Args[i] = "-sysroot=" + machine
				}
			}
		}
		os.Exit(Main(context.Background(), os.Args[1:]))
	}
	os.Setenv(asGuard, "1")
	if err := checkRound(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// busyClient applies one mode after another and prints a line for each.
func busyClient(root string) int {
	ctx := context.Background()
	c, err := Start(ctx, StartOptions{Sysroot: root, Command: os.Args[:1],
		LogFile: filepath.Join(root, "run/jtune/guard.log")})
	if err != nil {
		fmt.Println("failed:", err)
		return 1
	}
	for {
		for _, m := range []tegra.Mode{slow, fast, mid} {
			if _, err := c.Apply(ctx, tegra.Request{Mode: m, Fan: tegra.FanMax}); err != nil {
				fmt.Println("failed:", err)
				return 1
			}
			fmt.Println("applied", m)
		}
	}
}

func startGuard(t *testing.T, root string) *Client {
	t.Helper()
	c := must.Get(Start(context.Background(), StartOptions{Sysroot: root, Command: os.Args[:1],
		LogFile: filepath.Join(root, "run/jtune/guard.log")}))(t)
	t.Cleanup(func() { c.Close() })
	return c
}

// waitFree waits until no guard or watchdog holds the board.
func waitFree(t *testing.T, root string) {
	t.Helper()
	st := must.Get(stateStore(tegra.DiskFS(root), false))(t)
	must.Until(t, "the board is held no more", func() bool { return !st.locked() })
}

// wantSame compares files by their values: a writer that was killed before it cut a plain file leaves empty lines
// behind the value. Kernel files have none.
func wantSame(t *testing.T, before map[string]string, root, when string) {
	t.Helper()
	if d := tegratest.Differences(values(before), values(tegratest.Contents(t, root))); len(d) > 0 {
		t.Errorf("%s:\n%s", when, strings.Join(d, "\n"))
	}
}

func values(files map[string]string) map[string]string {
	out := make(map[string]string, len(files))
	for name, text := range files {
		out[name] = strings.TrimRight(text, "\n")
	}
	return out
}

func TestGuardProcessRestoresWhenItsPipeCloses(t *testing.T) {
	t.Parallel()
	ctx, root := context.Background(), tegratest.AGXOrin35(t)
	before := tegratest.Contents(t, root)
	c := startGuard(t, root)
	a, err := c.Apply(ctx, tegra.Request{Mode: mid})
	if err != nil || a.Actual != tegra.Some(mid) {
		t.Fatalf("%v, %v", a.Actual, err)
	}
	if c.PID() == os.Getpid() {
		t.Error("the guard is no process of its own")
	}
	_, err = Start(ctx, StartOptions{Sysroot: root, Command: os.Args[:1]})
	if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), fmt.Sprint(c.PID())) {
		t.Errorf("a second guard: %v, want ErrBusy naming pid %d", err, c.PID())
	}
	must.NoError(t, c.Close())
	waitFree(t, root)
	wantSame(t, before, root, "after close")
}

func TestGuardProcessRestoresOnTERMAndIgnoresOtherSignals(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	before := tegratest.Contents(t, root)
	c := startGuard(t, root)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTSTP,
		syscall.SIGPIPE} {
		must.NoError(t, signalTo(c.PID(), sig))
	}
	if _, err := c.Apply(context.Background(), tegra.Request{Mode: mid}); err != nil {
		t.Fatalf("after signals: %v", err)
	}
	must.NoError(t, signalTo(c.PID(), syscall.SIGTERM))
	waitFree(t, root)
	wantSame(t, before, root, "after TERM")
	if _, err := c.Apply(context.Background(), tegra.Request{Mode: mid}); !errors.Is(err, ErrGone) {
		t.Errorf("apply after the guard's end: %v, want ErrGone", err)
	}
}

// signalTo signals a guard or watchdog by its pid. 0, -1 and 1 would reach this test's own group, every process, and
// init.
func signalTo(pid int, sig syscall.Signal) error {
	if pid <= 1 {
		return fmt.Errorf("process %d is no guard", pid)
	}
	return syscall.Kill(pid, sig)
}

func TestGuardProcessWithoutABoardIsAnError(t *testing.T) {
	t.Parallel()
	_, err := Start(context.Background(), StartOptions{Sysroot: t.TempDir(), Command: os.Args[:1]})
	if !errors.Is(err, tegra.ErrNoDevice) {
		t.Errorf("%v, want ErrNoDevice", err)
	}
}

func TestStartWithoutAProgramIsAnError(t *testing.T) {
	t.Parallel()
	_, err := Start(context.Background(), StartOptions{Sysroot: t.TempDir(), Command: []string{"/does/not/exist"}})
	if err == nil {
		t.Error("no error")
	}
}

// A guard that says nothing when it starts is given up after readyWait. One that is ready may be silent for any time.
func TestStartWaitsForTheGuardToBeReadyAndNotLonger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, in := io.Pipe()
		out, guard := net.Pipe()
		begun := time.Now()
		c, err := ready(t.Context(), in, out)
		if c != nil || !errors.Is(err, ErrGone) || time.Since(begun) != readyWait {
			t.Errorf("a silent guard: %v after %v, want ErrGone after %v", err, time.Since(begun), readyWait)
		}
		if _, err := guard.Write([]byte("late")); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("a guard that was given up can still write: %v", err)
		}

		out, guard = net.Pipe()
		go guard.Write(encode(response{Event: "ready", PID: os.Getpid()}))
		c = must.Get(ready(t.Context(), in, out))(t)
		if time.Sleep(2 * readyWait); c.Gone() {
			t.Errorf("a guard that had nothing to say for %v counts as gone", 2*readyWait)
		}
		guard.Close()
		if synctest.Wait(); !c.Gone() {
			t.Error("a guard that has ended does not count as gone")
		}
	})
}

func TestMainReportsBadArgumentsAsUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-stage=x"}, {"extra"}, {"-write=/etc/passwd"}} {
		if got := Main(context.Background(), args); got != exitUsage {
			t.Errorf("%v: exit %d, want %d", args, got, exitUsage)
		}
	}
}

func TestGuardProcessStartsRightAfterTheLast(t *testing.T) {
	t.Parallel()
	ctx, root := context.Background(), tegratest.AGXOrin35(t)
	for round := range 5 {
		c, err := Start(ctx, StartOptions{Sysroot: root, Command: os.Args[:1]})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if _, err := c.Apply(ctx, tegra.Request{Mode: []tegra.Mode{slow, fast, mid}[round%3]}); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
	}
}

// A late watchdog finds nothing to restore: the next guard's settings stay.
func TestWatchdogOfAnEndedGuardLeavesTheNextOneAlone(t *testing.T) {
	t.Parallel()
	ctx, root := context.Background(), tegratest.AGXOrin35(t)
	c := startGuard(t, root)
	_, err := c.Apply(ctx, tegra.Request{Mode: mid})
	must.NoError(t, err)
	watchdog := watchdogOf(t, c.PID(), root)
	must.NoError(t, signalTo(watchdog, syscall.SIGSTOP))
	must.NoError(t, c.Keep(ctx))
	c.Close()
	next := make(chan *Client)
	go func() {
		c, err := Start(ctx, StartOptions{Sysroot: root, Command: os.Args[:1]})
		if err != nil {
			t.Error(err)
		}
		next <- c
	}()
	select {
	case <-next:
		t.Error("a guard starts while a stopped watchdog could still write")
	case <-time.After(100 * time.Millisecond):
	}
	must.NoError(t, signalTo(watchdog, syscall.SIGCONT))
	if c = <-next; c == nil {
		t.FailNow()
	}
	if a, err := c.Apply(ctx, tegra.Request{Mode: fast}); err != nil || a.Actual != tegra.Some(fast) {
		t.Fatalf("%v, %v", a.Actual, err)
	}
	must.NoError(t, c.Keep(ctx))
	c.Close()
	waitFree(t, root)
	if got := read(t, filepath.Join(root, tegratest.GPU35, "max_freq")); got != "1300500000\n" {
		t.Errorf("GPU limit %q after the kept mode", got)
	}
}

// watchdogOf finds a guard's watchdog by its command line; it is the only
// process with that sysroot besides the guard.
func watchdogOf(t *testing.T, guard int, root string) int {
	t.Helper()
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range dirs {
		line, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(line), "-stage=watch") ||
			!strings.Contains(string(line), "-sysroot="+root) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil && pid != guard {
			return pid
		}
	}
	t.Fatal("no watchdog runs")
	return 0
}

func read(t *testing.T, name string) string {
	t.Helper()
	data := must.Read(t, name)
	return string(data)
}

// The client does not wait for a guard stopped with kill -STOP: after three checks it says how to continue it.
func TestCloseSaysThatTheGuardIsStopped(t *testing.T) {
	t.Parallel()
	other := exec.Command("sleep", "600")
	if err := other.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	})
	pid := other.Process.Pid
	if isStopped(pid) || isStopped(1<<30) {
		t.Error("a process that runs, or none, is taken for a stopped one")
	}
	must.NoError(t, signalTo(pid, syscall.SIGSTOP))
	must.Until(t, "it stops", func() bool { return isStopped(pid) })
	synctest.Test(t, func(t *testing.T) {
		_, in := io.Pipe()
		c := &Client{in: in, done: make(chan struct{}), pid: pid, calls: map[int64]chan response{}}
		begun, want := time.Now(), fmt.Sprintf("kill -CONT %d", pid)
		err := c.Close()
		if took := time.Since(begun); err == nil || !strings.Contains(err.Error(), want) || took != 3*time.Second {
			t.Errorf("after %v: %v, want %q after 3 s", took, err, want)
		}
		close(c.done)
		closed := 0
		c.ended = func() error { closed++; return io.ErrClosedPipe }
		for range 2 {
			if err := c.Close(); closed != 1 || errors.Is(err, io.ErrClosedPipe) != (err != nil) {
				t.Errorf("its pipe is closed %d times, %v", closed, err)
			}
		}
	})
}

// An error keeps its exit code when wrapped.
func TestExitCodeOfWrappedErrors(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]int{
		tegra.ErrPermission: exitPermission, tegra.ErrNoDevice: exitNoDevice, tegra.ErrUnsupported: exitNoDevice,
		ErrBusy: exitNoDevice, errors.New("anything else"): exitFailed,
	} {
		for _, e := range []error{err, fmt.Errorf("open: %w", err), errors.Join(errors.New("first"), err)} {
			if got := exitCode(e); got != want {
				t.Errorf("%v: exit code %d, want %d", e, got, want)
			}
		}
	}
	if exitCode(nil) != exitOK {
		t.Error("no error is one")
	}
}

// The guard and its watchdog are the last processes that a kernel out of memory ends; only root may ask for that.
func TestGuardProcessesAreSparedByAKernelOutOfMemory(t *testing.T) {
	t.Parallel()
	if exec.Command("sh", "-c", "echo "+oomScore+" > /proc/self/oom_score_adj").Run() != nil {
		t.Skip("only root with CAP_SYS_RESOURCE may lower a process's score")
	}
	root := tegratest.AGXOrin35(t)
	c := startGuard(t, root)
	for name, pid := range map[string]int{"guard": c.PID(), "watchdog": watchdogOf(t, c.PID(), root)} {
		must.Until(t, "the score of the "+name+" is "+oomScore, func() bool {
			score, _ := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid))
			return strings.TrimSpace(string(score)) == oomScore
		})
	}
}

// A job may take all threads that the system allows: the guard and its watchdog have theirs before anything is set.
func TestGuardProcessesHaveTheirThreadsFromTheStart(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	c := startGuard(t, root)
	for name, pid := range map[string]int{"guard": c.PID(), "watchdog": watchdogOf(t, c.PID(), root)} {
		if list, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid)); err != nil || len(list) <= threads {
			t.Errorf("the %s has %d threads, want more than %d (%v)", name, len(list), threads, err)
		}
	}
}

func TestGuardProcessFailsWithACodeWhereThereIsNoBoard(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(os.Args[0], "-stage="+stageServe, "-sysroot="+t.TempDir()).Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() <= 0 || !strings.Contains(string(out), "failed") {
		t.Errorf("%v; it said %s", err, out)
	}
}

func TestHigherTakesTheHigherOfTwoNumbers(t *testing.T) {
	t.Parallel()
	for in, want := range map[[2]string]string{{"7", "5"}: "7", {"5", "7"}: "7", {"5", "5"}: "5", {"x", "5"}: "5",
		{"7", "x"}: "x"} {
		if got := higher(in[0], in[1]); got != want {
			t.Errorf("was %s, now %s: %s, want %s", in[0], in[1], got, want)
		}
	}
}

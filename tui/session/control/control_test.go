package control

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/internal/usage"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/config"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
)

// controlled serves a task that holds between two steps, as a campaign does, and returns the campaign
// as another program of the same user sees it.
func controlled(t *testing.T, dir string) (*Control, *task.Task, *Followed) {
	t.Helper()
	c := must.Get(serve(dir, os.Getpid(), os.Geteuid()))(t)
	t.Cleanup(func() { _ = c.Close() })
	task := heldTask(t)
	c.Show(task)
	return c, task, seenFrom(dir)
}

func heldTask(t *testing.T) *task.Task {
	t.Helper()
	spec := task.Spec{Kind: task.Tuning, Workload: workload.Workload{Name: "resnet18"}}
	job := task.NewTask(spec, func(ctx context.Context, _ task.Measurer, t *task.Task) (task.Outcome, error) {
		for {
			if err := t.Hold(ctx); err != nil {
				return task.Outcome{}, err
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Millisecond): // a mode
			}
		}
	})
	tasks := task.Tasks{Clock: tegra.RealClock()}
	must.NoError(t, tasks.Start(t.Context(), job))
	return job
}

func seenFrom(dir string) *Followed {
	f := &Followed{Running: record.Running{Dir: filepath.Join(dir, "campaigns", "one"), PID: os.Getpid()}}
	f.Reach = reach(f.Running)
	return f
}

// reached waits until the program answers: it may be busy with others.
func reached(t *testing.T, dir string) *Followed {
	t.Helper()
	var f *Followed
	must.Until(t, "it answers", func() bool {
		f = seenFrom(dir)
		return f.Reach != nil
	})
	return f
}

func TestControlLetsAnotherProgramPauseAndStopATask(t *testing.T) {
	t.Parallel()
	// Longer than a socket's path may be.
	dir := filepath.Join(t.TempDir(), strings.Repeat("a folder with a long name ", 8))
	c, job, f := controlled(t, dir)
	if f.Reach == nil || f.Reach.Held || f.Reach.State != "running" || f.Reach.User == "" {
		t.Fatalf("seen from outside: %+v", f.Reach)
	}
	must.NoError(t, f.Give(OrderPause))
	if now := job.Now(); now.State != task.Pausing && now.State != task.Paused || !strings.Contains(now.By, "(jtune ") {
		t.Errorf("after pause: %v by %q", now.State, now.By)
	}
	if again := seenFrom(dir); again.Reach == nil || !again.Reach.Held {
		t.Errorf("a paused task is seen as %+v", again.Reach)
	}
	must.NoError(t, f.Give(OrderGoOn))
	must.Equal(t, job.Now().State, task.Running)
	must.NoError(t, f.Give(OrderStop))
	<-job.Ended()
	if !job.Now().Stopped {
		t.Error("it ended, but was not stopped")
	}
	must.Fail(t, f.Give(OrderStop), "no task runs there")
	next := heldTask(t)
	c.Show(next)
	if err := f.Give(OrderStop); err == nil || !strings.Contains(err.Error(), "another task") || next.Now().Stopped {
		t.Errorf("an order for the task before: %v, the next one is stopped: %v", err, next.Now().Stopped)
	}
	next.Stop("")
	<-next.Ended()
}

func TestOrdersReachACommandsWork(t *testing.T) {
	t.Parallel()
	s := &session.Session{Options: session.Options{Paths: config.Paths{DataDir: t.TempDir()}},
		Clock: tegra.RealClock()}
	said := make(chan string, 8)
	say := func(format string, args ...any) { said <- fmt.Sprintf(format, args...) }
	ctx, orders := Obey(t.Context(), s, task.Spec{Kind: task.Tuning}, false, say)
	f := reached(t, s.DataPath())
	if err := orders.Gate(ctx); err != nil || f.Reach.State != "running" {
		t.Fatalf("before any order: %v, %+v", err, f.Reach)
	}
	must.NoError(t, f.Give(OrderPause))
	open := make(chan error)
	go func() { open <- orders.Gate(ctx) }()
	if got := <-said; !strings.HasPrefix(got, "paused by ") {
		t.Errorf("the user sees %q", got)
	}
	must.NoError(t, f.Give(OrderGoOn))
	must.NoError(t, <-open)
	if got := <-said; !strings.HasPrefix(got, "continued by ") {
		t.Errorf("the user sees %q", got)
	}
	if err := f.Give(OrderStop); err != nil || ctx.Err() == nil {
		t.Errorf("stopped: %v, the work's context: %v", err, ctx.Err())
	}
	orders.End()
	if got := <-said; !strings.HasPrefix(got, "stopped by ") {
		t.Errorf("the user sees %q", got)
	}
	left, err := os.ReadDir(filepath.Join(s.DataPath(), controlFolder))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestOrdersDoNotPauseARun(t *testing.T) {
	t.Parallel()
	s := &session.Session{Options: session.Options{Paths: config.Paths{DataDir: t.TempDir()}},
		Clock: tegra.RealClock()}
	ctx, orders := Obey(t.Context(), s, task.Spec{Kind: task.Training, Whole: true}, false, t.Logf)
	orders.Observing(func(measure.Event) {})(measure.ProgressEvent{Progress: profiles.Progress{Minibatch: 7}})
	f := reached(t, s.DataPath())
	must.Fail(t, f.Give(OrderPause), "only stopped")
	must.Contain(t, f.IfOrdered(), "7 minibatches")
	if err := f.Give(OrderStop); err != nil || ctx.Err() == nil {
		t.Errorf("stopped: %v, the work's context: %v", err, ctx.Err())
	}
	orders.End()
}

func TestControlSocketIsTheUsersAloneAndLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, controlFolder, socketName(os.Getpid()))
	must.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Skip(err) // a temporary folder with too long a name
	}
	dead.SetUnlinkOnClose(false)
	must.NoError(t, dead.Close())
	if f := seenFrom(dir); f.Reach != nil || f.Give(OrderStop) == nil {
		t.Errorf("a dead program's socket answers %+v", f.Reach)
	}
	c, task, f := controlled(t, dir)
	for at, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if st, err := os.Stat(at); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", at, st.Mode(), err, want)
		}
	}
	if f.Reach == nil {
		t.Error("no answer where a dead program had left its socket")
	}
	other := *f
	other.PID++
	must.NoError(t, os.Link(path, filepath.Join(filepath.Dir(path), socketName(other.PID))))
	must.Equal(t, reach(other.Running), nil, "the socket of another process is taken for that of the campaign's")
	own := os.Geteuid()
	if !c.may(uint32(own)) || !c.may(0) || c.may(uint32(own)+1) {
		t.Error("others than the user and root may give orders")
	}
	task.Stop("")
	<-task.Ended()
	must.NoError(t, c.Close())
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("its socket is left: %v", err)
	}
}

func TestControlOutlivesHostileClients(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, job, _ := controlled(t, dir)
	dial := func() net.Conn {
		t.Helper()
		var conn net.Conn
		must.NoError(t, inFolder(filepath.Dir(c.path), func(short string) (err error) {
			conn, err = net.Dial("unix", filepath.Join(short, filepath.Base(c.path)))
			return err
		}))
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	for name, text := range map[string]string{
		"garbage":             "\x00\xff{]}\n",
		"a line of 1 MB":      strings.Repeat("x", 1<<20) + "\n",
		"no JSON object":      "[1,2]\n",
		"an unknown order":    `{"order":"rm -rf","task":1}` + "\n",
		"another task":        `{"order":"stop","task":7}` + "\n",
		"no task":             `{"order":"stop"}` + "\n",
		"a line without end":  `{"order":"stop","task":1}`,
		"a number out of all": `{"order":"stop","task":1e99}` + "\n",
	} {
		reached(t, dir)
		conn := dial()
		_, _ = io.WriteString(conn, text) // it may hang up first
		_ = conn.(*net.UnixConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn)
		if now := job.Now(); now.Stopped || now.State != task.Running {
			t.Fatalf("%s: the task is %v", name, now.State)
		}
	}
	for range 20 * controlClients { // a flood of those that say nothing and read nothing
		dial()
	}
	reached(t, dir)
	for range 2 * controlClients {
		_, _ = io.WriteString(dial(), `{"order":"look"}`+"\n") // and of those that do not read the answer
	}
	for !job.Now().Stopped { // the program may be busy with the others still
		_ = reached(t, dir).Give(OrderStop)
	}
	<-job.Ended()
}

// An error of accept other than a closed socket, as when too many files are open, ends: orders are taken again.
func TestControlTakesOrdersAfterAFailedAccept(t *testing.T) {
	t.Parallel()
	c, task, f := controlled(t, t.TempDir())
	must.NoError(t, c.listener.SetDeadline(time.Now()))
	time.Sleep(2 * acceptAgain)
	must.NoError(t, c.listener.SetDeadline(time.Time{}))
	must.NoError(t, f.Give(OrderStop))
	<-task.Ended()
}

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }

func TestWakeSendsTheMagicPacket(t *testing.T) {
	t.Parallel()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	defer c.Close()
	must.NoError(t, Wake(context.Background(), "48:b0:2d:00:11:fe", c.LocalAddr().String()))
	got := make([]byte, 200)
	must.NoError(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
	n, _, err := c.ReadFrom(got)
	want := append(bytes.Repeat([]byte{0xff}, 6), bytes.Repeat([]byte{0x48, 0xb0, 0x2d, 0, 0x11, 0xfe}, 16)...)
	must.NoError(t, err)
	must.Equal(t, got[:n], want)
	for _, bad := range []string{"", "x", "48:b0:2d:00:11", "02:00:5e:10:00:00:00:01"} {
		if err := Wake(context.Background(), bad, c.LocalAddr().String()); !usage.Is(err) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// program is one to watch.
type program struct {
	name    string
	command []string
	first   string   // text that its first whole frame holds; "" for any output
	keys    []string // pressed after it
}

// watch says how to watch.
type watch struct {
	columns, rows uint16
	warmUp, span  time.Duration
}

// cost is what a program took.
type cost struct {
	name       string
	bytesPerS  float64 // written to the terminal
	cpuPct     float64 // of one core
	wakesPerS  float64 // voluntary context switches of all its threads
	firstFrame time.Duration
}

// keyEvery is the time that a program has to answer a key.
const keyEvery = time.Second

// program runs one in a pseudo-terminal of its own and watches it.
func (w watch) program(ctx context.Context, p program, home string) (cost, error) {
	cmd := exec.CommandContext(ctx, p.command[0], p.command[1:]...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "NO_COLOR=", "TMUX=", "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home)
	began := time.Now()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: w.columns, Rows: w.rows})
	if err != nil {
		return cost{}, err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); _ = tty.Close() }()
	screen := &sink{first: []byte(p.first), began: began}
	go screen.drain(tty)
	for _, k := range p.keys {
		if err := sleep(ctx, keyEvery); err != nil {
			return cost{}, err
		}
		if _, err := tty.WriteString(k); err != nil {
			return cost{}, err
		}
	}
	if err := sleep(ctx, w.warmUp); err != nil {
		return cost{}, err
	}
	written, frame := screen.state()
	if frame == 0 {
		return cost{}, fmt.Errorf("no frame within %v", w.warmUp)
	}
	before, err := usageOf(cmd.Process.Pid)
	if err != nil {
		return cost{}, err
	}
	from := time.Now()
	if err := sleep(ctx, w.span); err != nil {
		return cost{}, err
	}
	after, err := usageOf(cmd.Process.Pid)
	if err != nil {
		return cost{}, fmt.Errorf("it ended early: %w", err)
	}
	now, _ := screen.state()
	s := time.Since(from).Seconds()
	return cost{p.name, float64(now-written) / s, 100 * (after.cpu - before.cpu).Seconds() / s, float64(after.wakes-before.wakes) / s, frame}, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sink counts what a program writes.
type sink struct {
	mu    sync.Mutex
	n     int
	seen  []byte // until the first frame
	first []byte
	began time.Time
	frame time.Duration // 0: not yet
}

func (s *sink) drain(tty *os.File) {
	buf := make([]byte, 64<<10)
	for {
		n, err := tty.Read(buf)
		s.take(buf[:n])
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

func (s *sink) take(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n += len(b)
	if s.frame == 0 {
		s.seen = append(s.seen, b...)
		if len(s.seen) > 0 && bytes.Contains(s.seen, s.first) {
			s.frame, s.seen = time.Since(s.began), nil
		}
	}
}

func (s *sink) state() (written int, frame time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n, s.frame
}

// usage is what a process has used since it began.
type usage struct {
	cpu   time.Duration
	wakes int64
}

// usageOf adds up the threads of a process: schedstat counts CPU time in
// nanoseconds, status the voluntary context switches.
func usageOf(pid int) (usage, error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil || len(tasks) == 0 {
		return usage{}, fmt.Errorf("process %d has no threads", pid)
	}
	var sum usage
	for _, dir := range tasks {
		stat, err := os.ReadFile(dir + "/schedstat")
		if errors.Is(err, os.ErrNotExist) {
			continue // the thread has ended
		}
		if err != nil {
			return usage{}, err
		}
		status, err := os.ReadFile(dir + "/status")
		if err != nil {
			continue
		}
		one, err := parseUsage(string(stat), string(status))
		if err != nil {
			return usage{}, fmt.Errorf("%s: %w", dir, err)
		}
		sum.cpu += one.cpu
		sum.wakes += one.wakes
	}
	return sum, nil
}

// parseUsage reads a thread's schedstat ("ran waited slices", nanoseconds) and
// status (proc(5)).
func parseUsage(stat, status string) (usage, error) {
	ran, _, _ := strings.Cut(strings.TrimSpace(stat), " ")
	ns, err := strconv.ParseInt(ran, 10, 64)
	if err != nil {
		return usage{}, fmt.Errorf("schedstat %q: %w", stat, err)
	}
	for line := range strings.SplitSeq(status, "\n") {
		if value, ok := strings.CutPrefix(line, "voluntary_ctxt_switches:"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			return usage{time.Duration(ns), n}, err
		}
	}
	return usage{}, errors.New("status tells no voluntary_ctxt_switches")
}

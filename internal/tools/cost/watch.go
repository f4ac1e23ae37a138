package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/internal/stats"
	"jtune/internal/tools/terminal"
)

// program is a program to watch.
type program struct {
	name    string
	command []string
	own     bool     // a jtune screen: bounds apply
	rival   bool     // jtune must be better
	outside bool     // its job is another process
	quiet   bool     // it draws nothing
	first   string   // text in its first complete frame; "": any output
	keys    []string // pressed after that
	shows   string   // text on the screen after the keys
}

// watch holds how to watch.
type watch struct {
	columns, rows uint16
	warmUp, span  time.Duration
	home          string
}

// cost is what a program used.
type cost struct {
	program
	bytesPerS  float64 // written to the terminal
	cpuPct     float64 // of one core
	wakesPerS  float64 // voluntary context switches of all its threads
	firstFrame time.Duration
}

const (
	// patience is how long a program may take to show the expected text: longer is a hang, not a slow machine.
	patience = time.Minute
	keyEvery = 300 * time.Millisecond // between two keys
)

// round runs all programs side by side for the same time.
func (w watch) round(ctx context.Context, list []program) (costs []cost, err error) {
	var terms []*terminal.Terminal
	defer func() {
		for _, t := range terms {
			t.Close()
		}
	}()
	for _, p := range list {
		t, err := w.start(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		terms = append(terms, t)
		c := cost{program: p}
		if c.firstFrame, err = ready(ctx, t, p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		costs = append(costs, c)
	}
	if err := sleep(ctx, w.warmUp); err != nil {
		return nil, err
	}
	before := make([]usage, len(list))
	for i, t := range terms {
		if before[i], err = usageOn(t); err != nil {
			return nil, fmt.Errorf("%s has ended: %w", list[i].name, err)
		}
	}
	if err := sleep(ctx, w.span); err != nil {
		return nil, err
	}
	for i, t := range terms {
		now, err := usageOn(t)
		if err != nil {
			return nil, fmt.Errorf("%s ended early: %w", list[i].name, err)
		}
		s := now.at.Sub(before[i].at).Seconds()
		c := &costs[i]
		c.bytesPerS = float64(now.written-before[i].written) / s
		c.cpuPct = 100 * (now.cpu - before[i].cpu).Seconds() / s
		c.wakesPerS = float64(now.wakes-before[i].wakes) / s
	}
	return costs, nil
}

// start runs a program on its own terminal.
func (w watch) start(p program) (*terminal.Terminal, error) {
	cmd := exec.Command(p.command[0], p.command[1:]...)
	cmd.Env = terminal.Environ(w.home)
	return terminal.Open(cmd, w.columns, w.rows, nil)
}

// ready waits for the first frame and presses the program's keys.
func ready(ctx context.Context, t *terminal.Terminal, p program) (first time.Duration, err error) {
	if p.quiet {
		return 0, nil
	}
	if first, err = t.Until(ctx, patience,
		func(screen string) bool {
			return strings.TrimSpace(screen) != "" &&
				strings.Contains(screen, p.first)
		}); err != nil {
		return 0, err
	}
	for _, k := range p.keys {
		if err := sleep(ctx, keyEvery); err != nil {
			return 0, err
		}
		if err := t.Press(k); err != nil {
			return 0, err
		}
	}
	_, err = t.Until(ctx, patience, func(screen string) bool { return strings.Contains(screen, p.shows) })
	return first, err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// medians returns the median of each number over the rounds.
func medians(rounds [][]cost) []cost {
	out := slices.Clone(rounds[0])
	for i := range out {
		median := func(number func(cost) float64) float64 {
			var v []float64
			for _, r := range rounds {
				v = append(v, number(r[i]))
			}
			return stats.Median(v)
		}
		c := &out[i]
		c.bytesPerS = median(func(r cost) float64 { return r.bytesPerS })
		c.cpuPct = median(func(r cost) float64 { return r.cpuPct })
		c.wakesPerS = median(func(r cost) float64 { return r.wakesPerS })
		c.firstFrame = time.Duration(median(func(r cost) float64 { return float64(r.firstFrame) }))
	}
	return out
}

// usage is what a process has used since its start.
type usage struct {
	cpu     time.Duration
	wakes   int64
	written int // to its terminal
	at      time.Time
}

func usageOn(t *terminal.Terminal) (usage, error) {
	u, err := usageOf(t.PID())
	u.written = t.Written()
	return u, err
}

// usageOf sums over the threads of a process: schedstat has the CPU time in nanoseconds, status the voluntary context
// switches.
func usageOf(pid int) (usage, error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil || len(tasks) == 0 {
		return usage{}, fmt.Errorf("process %d has no threads", pid)
	}
	sum := usage{at: time.Now()}
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
			return usage{cpu: time.Duration(ns), wakes: n}, err
		}
	}
	return usage{}, errors.New("status has no voluntary_ctxt_switches")
}

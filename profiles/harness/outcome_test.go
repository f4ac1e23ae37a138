package harness

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"jtune/tegra"
)

// The output of a known tool was read if it had one step with a time, whatever follows.
func TestExecToolThatWasReadEndsWithoutAnError(t *testing.T) {
	t.Parallel()
	const run = "llama-bench: benchmark 1/1: generation run "
	for script, events := range map[string]int{
		"echo '" + run + "1/2'; echo '" + run + "2/2'; echo nothing; echo '" + run + "9/9'": 1,
		"echo '" + run + "1/2'; echo nothing":                                               0,
	} {
		got, err := all(t, sh(t, script, ExecOptions{Pattern: "llama-bench"}))
		timed := 0
		for _, e := range got {
			if e.Timed() {
				timed++
			}
		}
		var unread *UnreadError
		if timed != events || errors.As(err, &unread) != (events == 0) || errors.Is(err, io.EOF) != (events > 0) {
			t.Errorf("%s: %d steps, %v", script, timed, err)
		}
	}
}

// watch ends once a program was understood and a step was seen.
func TestWatchEndsWhenNothingIsLeftToSay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  func(d *detecting)
		ends bool
	}{
		"nothing happened": {func(*detecting) {}, false},
		"understood":       {func(d *detecting) { d.told = true }, true},
		"noted":            {func(d *detecting) { d.noted = "x" }, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := newDetecting(Detect{}, nil)
			c.set(d)
			j := &job{queue: NewQueue(), pattern: d, clock: tegra.RealClock(), started: time.Now(),
				exited: make(chan struct{}), misread: make(chan struct{}), stepped: d.told}
			ended := false
			go func() {
				j.watch()
				ended = true
			}()
			time.Sleep(watchEach)
			if synctest.Wait(); ended != c.ends {
				t.Errorf("%s: after %v it has ended: %v", name, watchEach, ended)
			}
			close(j.exited)
			if synctest.Wait(); !ended {
				t.Errorf("%s: it goes on after the job's end", name)
			}
		})
	}
}

package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"jtune/internal/usage"
	"jtune/tegra"
	"jtune/tegra/boot"
	"jtune/tegra/guard"
)

const (
	// watchdogWait bounds how long the watchdog of a dead guard may take to restore the board: a hundred files, on a
	// board under load.
	watchdogWait = 20 * time.Second
	// watchdogPoll is the time between two attempts to start the next guard.
	watchdogPoll = 100 * time.Millisecond
	// promptWait is how long a cancelled caller waits for sudo to end and so to restore the terminal's echo.
	promptWait = time.Second
)

// privileged is the interface of a guard that the session needs.
type privileged interface {
	tegra.Applier
	Gone() bool // it has ended and answers no more requests
}

var errClosed = errors.New("the session is closed")

// guardSlot holds the session's only guard. Starting it may ask for a password and take minutes. No lock is held during
// that time: all callers wait for the same attempt and leave when their own context ends. The zero value is ready to
// use.
type guardSlot struct {
	mu      sync.Mutex
	guard   privileged // nil until one has started
	attempt *attempt   // in progress; nil: none
	closed  bool
}

// attempt is one start of a guard.
type attempt struct {
	cancel context.CancelFunc
	done   chan struct{} // closed at the end, when the fields below are set
	guard  privileged
	err    error
}

// get returns the running guard, or the one that start starts. An attempt belongs to the caller who began it and ends
// with that caller's context; the others then make their own.
func (g *guardSlot) get(ctx context.Context, start func(context.Context) (privileged, error)) (privileged, error) {
	for {
		g.mu.Lock()
		a, own := g.attempt, false
		switch {
		case g.closed:
			g.mu.Unlock()
			return nil, errClosed
		case a == nil && g.guard != nil && !g.guard.Gone():
			defer g.mu.Unlock()
			return g.guard, nil
		case a == nil:
			a, own = g.begin(ctx, start), true
		}
		g.mu.Unlock()
		select {
		case <-ctx.Done():
			if own {
				a.wait(promptWait)
			}
			return nil, ctx.Err()
		case <-a.done:
		}
		if own || !errors.Is(a.err, context.Canceled) && !errors.Is(a.err, context.DeadlineExceeded) {
			return a.guard, a.err
		}
	}
}

// begin starts a guard on a separate goroutine. The caller must hold g.mu.
func (g *guardSlot) begin(ctx context.Context, start func(context.Context) (privileged, error)) *attempt {
	ctx, cancel := context.WithCancel(ctx)
	a := &attempt{cancel: cancel, done: make(chan struct{})}
	dead := g.guard
	g.guard, g.attempt = nil, a
	go func() {
		defer close(a.done)
		defer cancel()
		started, err := replace(ctx, dead, start)
		g.mu.Lock()
		g.attempt = nil
		switch {
		case err != nil:
		case g.closed:
			defer started.Close() // nothing was set: its error does not matter
			started, err = nil, errClosed
		default:
			g.guard = started
		}
		g.mu.Unlock()
		a.guard, a.err = started, err
	}()
	return a
}

// wait waits for the end of the attempt, but at most d.
func (a *attempt) wait(d time.Duration) {
	select {
	case <-a.done:
	case <-time.After(d):
	}
}

// replace starts a guard, after a dead one if dead is set.
func replace(ctx context.Context, dead privileged,
	start func(context.Context) (privileged, error)) (privileged, error) {
	var patience time.Duration
	if dead != nil {
		dead.Close() // reaps it; its last caller has received the error
		patience = watchdogWait
	}
	for begun := time.Now(); ; {
		next, err := start(ctx)
		if !errors.Is(err, guard.ErrBusy) || time.Since(begun) >= patience {
			return next, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(watchdogPoll):
		}
	}
}

// has reports whether a guard was started.
func (g *guardSlot) has() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.guard != nil
}

// close ends the guard, which restores what was not kept, and cancels an attempt in progress without waiting for it. A
// guard that starts nevertheless is ended before anyone gets it.
func (g *guardSlot) close() error {
	g.mu.Lock()
	running := g.guard
	g.guard, g.closed = nil, true
	if g.attempt != nil {
		g.attempt.cancel()
	}
	g.mu.Unlock()
	if running == nil {
		return nil
	}
	return running.Close()
}

// leftBehind describes a state that a guard and its watchdog did not restore, or a preset on trial; "" for none.
func leftBehind(root string) string {
	if d, err := boot.OpenStaged(root); err == nil {
		defer d.Close()
		if r, err := d.Staged(); err == nil && r != nil && r.Boot != "" && len(r.Then) == 0 {
			return fmt.Sprintf("%s is on trial after a reboot: sudo jtune apply %s makes it the boot default",
				r.Presets[0], usage.Keep)
		}
	}
	p, err := guard.PendingRestore(root)
	switch {
	case errors.Is(err, guard.ErrDamaged):
		return "this board may be left changed: " + err.Error()
	case err != nil || p == nil:
		return ""
	}
	return fmt.Sprintf("a run that began at %s left this board changed: jtune revert restores it",
		p.When.Format("15:04:05"))
}

package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"jtune/tegra"
	"jtune/tegra/guard"
)

// Guard is the one way to set power modes. The first call starts it: in this
// process for a virtual board, else as a child with root rights. Without them
// the error wraps tegra.ErrPermission. One that has died is replaced: the new
// one waits until the dead one's watchdog has put back what was found.
func (s *Session) Guard(ctx context.Context) (tegra.Applier, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guard != nil && !gone(s.guard) {
		return s.guard, nil
	}
	var patience time.Duration
	if s.guard != nil {
		s.guard.Close() // reaps it; that it ended was told to whoever asked it last
		s.guard, patience = nil, watchdogWait
	}
	if s.Options.ReadOnly {
		return nil, fmt.Errorf("%w: --read-only was given: start without it to set power modes", tegra.ErrPermission)
	}
	g, err := s.startGuard(ctx)
	for begun := time.Now(); errors.Is(err, guard.ErrBusy) && time.Since(begun) < patience && ctx.Err() == nil; {
		time.Sleep(watchdogPoll)
		g, err = s.startGuard(ctx)
	}
	if err != nil {
		return nil, NeedsRoot(err)
	}
	s.guard = g
	return g, nil
}

// watchdogWait bounds how long the watchdog of a guard that died may take to
// put back what was found: a hundred files, on a board under load.
const watchdogWait = 20 * time.Second

// watchdogPoll is how often it is asked whether that is done.
const watchdogPoll = 100 * time.Millisecond

// gone tells that an applier's process has ended.
func gone(g tegra.Applier) bool {
	c, ok := g.(interface{ Gone() bool })
	return ok && c.Gone()
}

// RootError is a refusal that the same command would not meet as root.
type RootError struct{ err error }

func (e *RootError) Error() string { return e.err.Error() }
func (e *RootError) Unwrap() error { return e.err }

// NeedsRoot makes a missing right a RootError, unless this is root already.
func NeedsRoot(err error) error {
	if errors.Is(err, tegra.ErrPermission) && os.Geteuid() != 0 {
		return &RootError{err}
	}
	return err
}

// Whole makes the list of modes whole: on a board that shows its memory clocks
// to root alone it takes the guard to read them. Take Device.Space anew after.
func (s *Session) Whole(ctx context.Context) error {
	if s.sysfs.Complete() {
		return nil
	}
	_, err := s.Guard(ctx)
	return err
}

func (s *Session) startGuard(ctx context.Context) (*guard.Client, error) {
	if s.Virtual != nil {
		return guard.InProcess(s.fs, s.Clock)
	}
	root := s.Options.Sysroot
	g, err := guard.Start(ctx, guard.StartOptions{Sysroot: root, LogFile: s.Options.logFile()})
	switch {
	case err == nil:
		s.sysfs.UsePrivileged(g.ReadFile)
		return g, nil
	case root != "/" && errors.Is(err, tegra.ErrPermission):
		return nil, fmt.Errorf("%w: make the files below %s writable for this user, or run as root", err, root)
	}
	return nil, err
}

// leftBehind tells of a state that a killed guard could not put back.
func leftBehind(root string) string {
	p, err := guard.PendingRestore(root)
	if err != nil || p == nil {
		return ""
	}
	return fmt.Sprintf("a run that was killed at %s left this board changed: jtune revert puts it back", p.When.Format("15:04:05"))
}

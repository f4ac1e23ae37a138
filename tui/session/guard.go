package session

import (
	"context"
	"errors"
	"fmt"
	"os"

	"jtune/internal/caller"
	"jtune/internal/usage"
	"jtune/tegra"
	"jtune/tegra/guard"
)

// Guard is the only way to set power modes. The first call starts it: in this process for a virtual board, otherwise as
// a child with root rights. Without them the error wraps tegra.ErrPermission. A dead guard is replaced: the new one
// waits until the dead one's watchdog has restored the board.
func (s *Session) Guard(ctx context.Context) (tegra.Applier, error) {
	if err := s.RefusesWrites("set power modes"); err != nil {
		return nil, err
	}
	g, err := s.guard.get(ctx, s.startGuard)
	if err != nil {
		return nil, NeedsRoot(err, s.Sysroot)
	}
	return g, nil
}

// RefusesWrites returns an error if the device may only be read; what names the refused operation.
func (s *Session) RefusesWrites(what string) error {
	switch {
	case s.bundled:
		return usage.Sysroot.Errorf("%s %s is a bundle, which can only be read", usage.Sysroot, s.Sysroot).
			Advise("give the board itself to %s", what)
	case s.ReadOnly:
		return fmt.Errorf("%w: %s was given: start without it to %s", tegra.ErrPermission, usage.ReadOnly, what)
	}
	return nil
}

// RootError is a refusal that would not occur as root.
type RootError struct{ err error }

func (e *RootError) Error() string { return e.err.Error() }

func (e *RootError) Unwrap() error { return e.err }

// NeedsRoot turns a missing permission into a RootError, unless this is root already. For a tree other than the
// machine's own, sudo gives no rights, to protect the user's files, so the advice is different.
func NeedsRoot(err error, root string) error {
	tree := root != "/" && root != ""
	switch {
	case !errors.Is(err, tegra.ErrPermission):
		return err
	case tree && os.Geteuid() != 0:
		return fmt.Errorf("%w; make the files below %s writable for this user: sudo gives no rights there", err, root)
	case !caller.Root():
		return &RootError{err}
	}
	return err
}

// EnsureFullSpace completes the list of modes: if only root can read the memory clocks, it starts the guard to read
// them. Call Device.Space again afterwards.
func (s *Session) EnsureFullSpace(ctx context.Context) error {
	if s.sysfs.Complete() {
		return nil
	}
	_, err := s.Guard(ctx)
	return err
}

func (s *Session) startGuard(ctx context.Context) (privileged, error) {
	if s.Virtual != nil {
		g, err := guard.InProcess(s.fs, s.Clock)
		if err != nil {
			return nil, err
		}
		return g, nil
	}
	root := s.Sysroot
	g, err := guard.Start(ctx, guard.StartOptions{Sysroot: root, LogFile: s.LogPath()})
	if err != nil {
		return nil, err
	}
	s.sysfs.UsePrivileged(g.ReadFile)
	return g, nil
}

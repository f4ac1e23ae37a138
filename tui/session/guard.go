package session

import (
	"context"
	"fmt"

	"jtune/tegra"
	"jtune/tegra/guard"
)

// Guard is the one way to set power modes. The first call starts it: in this
// process for a virtual board, else as a child with root rights. Without them
// the error wraps tegra.ErrPermission.
func (s *Session) Guard(ctx context.Context) (tegra.Applier, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guard != nil {
		return s.guard, nil
	}
	if s.Options.ReadOnly {
		return nil, fmt.Errorf("%w: --read-only was given: start without it to set power modes", tegra.ErrPermission)
	}
	var g *guard.Client
	var err error
	if s.Virtual != nil {
		g, err = guard.InProcess(s.fs, s.Clock)
	} else {
		g, err = guard.Start(ctx, guard.StartOptions{Sysroot: s.Options.Sysroot, LogFile: s.Options.logFile()})
	}
	if err != nil {
		return nil, err
	}
	s.guard = g
	return g, nil
}

package workloads

import (
	"context"
	"fmt"

	"jtune/internal/usage"
	"jtune/profiles/harness"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
)

// Join makes a workload of a job that was started elsewhere: its minibatches are read from its output, and it is
// neither signalled nor ended.
func Join(s *session.Session, w workload.Workload, e harness.Elsewhere) (workload.Workload, error) {
	switch {
	case w.Serves():
		return w, usage.Errorf("workload %s asks a server: what a running job prints is not read beside it", w.Name)
	case s.Replays():
		return w, usage.Errorf("a replay answers from its file: no running job is read beside it")
	}
	if err := e.Check(); err != nil {
		return w, fmt.Errorf("workload %s: %w", w.Name, err)
	}
	w.Elsewhere, w.Attached = &e, true
	return w, nil
}

// JoinFrom is Join for a job as a user types it, see harness.ParseElsewhere.
func JoinFrom(s *session.Session, w workload.Workload, from string) (workload.Workload, error) {
	return Join(s, w, harness.ParseElsewhere(from))
}

// Leave sets a mode and keeps it, for a job that goes on in it.
func Leave(ctx context.Context, s *session.Session, m tegra.Mode) (tegra.Applied, error) {
	g, err := s.Guard(ctx)
	if err != nil {
		return tegra.Applied{}, err
	}
	applied, err := g.Apply(ctx, tegra.Request{Mode: m})
	if err == nil && !applied.OK() {
		err = fmt.Errorf("mode %s was not taken", m)
	}
	if err != nil {
		return applied, err
	}
	return applied, g.Keep(ctx)
}

package workloads

import (
	"cmp"
	"context"
	"fmt"

	"jtune/internal/usage"
	"jtune/profiles/harness"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
)

// Join makes a workload of a job started elsewhere: jtune reads its minibatches from its output and never signals or
// ends it.
func Join(s *session.Session, w workload.Workload, e harness.Elsewhere) (workload.Workload, error) {
	switch {
	case w.Serves():
		return w, usage.Errorf("workload %s uses a server: it cannot join a running job as well", w.Name)
	case s.Replays():
		return w, usage.Errorf("a replay answers from its file: it cannot join a running job")
	}
	if err := e.Check(); err != nil {
		return w, fmt.Errorf("workload %s: %w", w.Name, err)
	}
	w.Elsewhere, w.Attached = &e, true
	return w, nil
}

// JoinFrom is Join for a job as typed by the user (see harness.ParseElsewhere).
func JoinFrom(s *session.Session, w workload.Workload, from string) (workload.Workload, error) {
	return Join(s, w, harness.ParseElsewhere(from))
}

// Leave sets a mode and keeps it for a job that keeps running in it.
func Leave(ctx context.Context, s *session.Session, m tegra.Mode) (tegra.Applied, error) {
	g, err := s.Guard(ctx)
	if err != nil {
		return tegra.Applied{}, err
	}
	applied, err := g.Apply(ctx, tegra.Request{Mode: m})
	if err = cmp.Or(err, applied.Mismatch()); err != nil {
		return applied, err
	}
	return applied, g.Keep(ctx)
}

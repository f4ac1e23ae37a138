package task

import (
	"context"

	"jtune/tui/session/soak"
)

// Soak returns a task that tests whether a mode can be sustained.
func Soak(r soak.Request) *Task {
	spec := Spec{Kind: Soaking, Workload: r.Workload, Planned: 1, Present: r.Mode == nil && !r.Resume, Whole: true}
	return NewTask(spec, func(ctx context.Context, on Measurer, t *Task) (Outcome, error) {
		var seen soak.View
		res, err := on.Soak(ctx, r, func(st soak.Status) {
			seen.Follow(st)
			now := seen
			t.Change(func(s *Snapshot) { s.Soak = &now })
		})
		if err != nil {
			return Outcome{}, err
		}
		return Outcome{Proof: &res}, nil
	})
}

package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/tui/session"
)

// redo measures the failed modes of a campaign once more. Its rows stay on the
// screen; what is measured now joins what the Front page knows.
func (sh *shared) redo(old *job, failed []learn.Setting) tea.Cmd {
	h, view := sh.host, sh.view
	j := &job{kind: jobRedo, workload: old.workload, limit: old.limit, planned: len(old.rows) + len(failed), rows: slices.Clone(old.rows), probes: slices.Clone(old.probes)}
	return sh.withGuard(func() tea.Cmd {
		return sh.launch(j, true, func(ctx context.Context, j *job) jobDoneMsg {
			res, err := h.Profile(ctx, session.ProfileRequest{Workload: j.workload, List: failed, ListName: "failed modes, once more", Gate: j.gate.wait}, j.observe)
			msg := jobDoneMsg{err: err}
			if err == nil {
				msg.err = ctx.Err()
			}
			for _, r := range res.Rows {
				if view != nil && view.workload == j.workload.Name && view.size() == r.Batch && r.Status.Usable() {
					view = view.with(r.Measured)
					msg.view = view
				}
			}
			return msg
		})
	})
}

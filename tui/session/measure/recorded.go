package measure

import (
	"fmt"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tui/session"
	"jtune/tui/session/workloads"
)

// RecordedWorkload returns the workload and batch sizes of the campaign in a folder; the workload must be called name.
// A user who trusts that file resumes it.
func RecordedWorkload(s *session.Session, dir, name string) (w workload.Workload, sizes []int, err error) {
	h, _, err := record.Read(dir)
	if err != nil {
		return w, nil, fmt.Errorf("cannot resume %s: %w", dir, err)
	}
	if own, err := workloads.FindAny(s, name); h.Workload.Name != name && (err != nil || h.Workload.Name != own.Name) {
		return w, nil, usage.Errorf("the campaign in %s measures workload %s, not %s", dir,
			text.Clip(h.Workload.Name), text.Clip(name))
	}
	return h.Workload, h.Plan.Batches, nil
}

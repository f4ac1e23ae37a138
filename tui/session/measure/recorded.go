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

// RecordedWorkload is the workload of the campaign in a folder, which must be called name, and
// its batch sizes: what the user who trusts that file has resumed.
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

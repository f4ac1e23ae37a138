package soak

import (
	"fmt"

	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/virtual/physics"
	"jtune/tui/session"
)

// Envelope is the load that asks the most of a board: all cores and the GPU busy without a pause.
func Envelope(s *session.Session) (workload.Workload, error) {
	if s.Virtual == nil || s.Replays() {
		return workload.Workload{}, fmt.Errorf("%w: only a virtual board runs the envelope yet: give the job "+
			"that asks the most of this board", tegra.ErrUnsupported)
	}
	return workload.Workload{Name: physics.Envelope, Batch: 1}, nil
}

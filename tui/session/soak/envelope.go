package soak

import (
	"fmt"

	"jtune/profiles/harness/torch"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/virtual/physics"
	"jtune/tui/session"
	"jtune/tui/session/workloads"
)

// Envelope returns the worst-case load: all cores and the GPU busy without a pause. A virtual board simulates it. A
// real board runs a script on the user's Python, in the container of the built-in jobs if they have one; the verdict
// says what the script could not keep busy.
func Envelope(s *session.Session) (workload.Workload, error) {
	w := workload.Workload{Name: physics.Envelope, Batch: 1}
	switch {
	case s.Replays():
		return w, fmt.Errorf("%w: a replay has only the jobs of its file: give one of them", tegra.ErrUnsupported)
	case s.Virtual != nil:
		return w, nil
	}
	as, err := workloads.FindAny(s, "resnet18") // with the user's Python and container
	if err != nil {
		return w, err
	}
	w.Torch = torch.Job{Net: torch.Envelope, Data: torch.Synthetic, Python: as.Torch.Python}
	w.Container, w.Env = as.Container, as.Env
	return w, nil
}

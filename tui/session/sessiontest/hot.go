package sessiontest

import (
	"testing"

	"jtune/profiles/workload"
	"jtune/tegra/virtual"
	"jtune/tui/session"
	"jtune/tui/session/workloads"
)

// HotSession opens a virtual board in hot air, close to its trip points.
func HotSession(t *testing.T) (*session.Session, workload.Workload) {
	t.Helper()
	s := Fast(t)
	s.Virtual.Inject(virtual.Faults{AmbientC: 92, FanStuck: true})
	s.Virtual.Heat(97)
	w, err := workloads.Find(s, "lenet5")
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

package doctor

import (
	"math"
	"os"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/internal/usage"
	"jtune/tui/session"
	"jtune/tui/session/workloads"
)

// A job has the requested batch size, and says whose numbers it gives: a real job beside a virtual board has this
// machine's times.
func TestInspectSaysAJobsSizeAndWhoseNumbersItGives(t *testing.T) {
	s := open(t, session.Options{Device: "virtual:agx-orin", Speed: math.Inf(1), Batches: []int{64}})
	w := must.Get(workloads.Find(s, "lenet"))(t)
	must.Equal(t, w.Batch, 64)
	must.Equal(t, w.MinibatchesPerEpoch(), 938)
	if got, want := workloads.BoardOf(s, w), "AGX Orin (VIRTUAL: a simulation, not a measurement)"; got != want ||
		System(s, w).NoLoads {
		t.Errorf("simulated: board %q, want %q; loads left out: %v", got, want, System(s, w).NoLoads)
	}
	w.Torch.Beside = true
	if got := workloads.BoardOf(s, w); !strings.HasPrefix(got, "times of this machine") || !System(s, w).NoLoads {
		t.Errorf("beside: board %q, loads left out: %v", got, System(s, w).NoLoads)
	}
	two := open(t, session.Options{Device: "virtual:agx-orin", Speed: math.Inf(1), Batches: []int{8, 16}})
	if _, err := workloads.Find(two, "lenet"); !usage.Is(err) {
		t.Errorf("two sizes for one job: %v", err)
	}
}

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }

func open(t testing.TB, o session.Options) *session.Session {
	t.Helper()
	if o.DataDir == "" {
		o.DataDir = t.TempDir()
	}
	s := must.Get(session.Open(o))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

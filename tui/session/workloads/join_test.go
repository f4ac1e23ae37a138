package workloads

import (
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
)

// A training that goes on stays in the mode that was chosen for it.
func TestSessionLeavesABoardInTheChosenMode(t *testing.T) {
	t.Parallel()
	s := fast(t)
	m := s.Device.Space().Modes()[100]
	if applied, err := Leave(t.Context(), s, m); err != nil || applied.Actual != tegra.Some(m) {
		t.Fatalf("%v, %v", applied.Actual, err)
	}
	g := must.Get(s.Guard(t.Context()))(t)
	if _, err := g.Restore(t.Context()); err != nil || s.Setup().Mode != tegra.Some(m) {
		t.Errorf("after the end of the session's work: %v, %v", s.Setup().Mode, err)
	}
}

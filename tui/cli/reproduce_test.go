package cli

import (
	"testing"

	"jtune/internal/must"
)

func TestReproduceWritesAStudyAsAPage(t *testing.T) {
	t.Parallel()
	page := jtune(t, "reproduce", "spaces", "--md").done(t).out
	must.Contain(t, page, "# The papers' studies, run again\n", "reproduce spaces --md. VIRTUAL",
		"16 published results: 15 hold", "| s1-space-orin | 12 x 29 x 13 x 4 | 18096 modes | 18096 modes |",
		"| OUTSIDE VIRTUAL | 180 combinations is above 150: 15 x 12 values are 180 pairs")
	must.Lack(t, page, "Take-aways")
	if c := (&reproduceCmd{app: &app{}}); c.check() != nil || c.Studies != nil {
		t.Errorf("without a name: %v of %v, want all", c.check(), c.Studies)
	}
}

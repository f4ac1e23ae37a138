package measure

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

func TestPlannedSaysOrderTimeAndRaisedClocks(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	p := must.Get(PlanOf(s, ProfileRequest{Filter: "cores=12 gpu=1.30 emc=3.20", Repeats: 2}))(t)
	if n := len(p.Order); n != 2*29 || p.Plan.Readings() != n {
		t.Errorf("%d settings, plan of %d; want each of 29 CPU clocks twice", n, p.Plan.Readings())
	}
	must.Equal(t, slices.Index(campaigns.Raised(p.Order, tegra.Val[tegra.Mode]{}), true), 29)
	if got := p.String(); !strings.HasSuffix(got, "; clocks rise 1 time") || !strings.HasPrefix(got, "58 modes") {
		t.Errorf("it says %q", got)
	}
	for _, bad := range []ProfileRequest{{}, {Filter: "cores>=99"}, {Filter: "coers>2"},
		{Sample: 3, Filter: "power<20"}} {
		if _, err := PlanOf(s, bad); err == nil {
			t.Errorf("%+v selects something", bad)
		}
	}
}

// Before anything is known of a workload the range is wide; then it belongs to that workload, and holds.
func TestProfileSaysHowLongItTakesByWhatIsKnown(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	w := must.Get(workloads.Find(s, "resnet18"))(t)
	for i, how := range []string{"", ", predicted from earlier measurements"} {
		var said string
		r := ProfileRequest{Measuring: Measuring{Workload: w}, Sample: 12 + i}
		before, err := PlanOf(s, r) // as the dialog of a new campaign shows it
		must.NoError(t, err)
		before = before.Expecting(Expects(t.Context(), s, r.Measuring))
		res, err := Profile(t.Context(), s, r, func(e Event) {
			if note, ok := e.(NoteEvent); ok && strings.Contains(string(note), "to measure, about") {
				said = string(note)
			}
		})
		if err != nil || !strings.Contains(said, how+"; clocks rise ") {
			t.Fatalf("said %q, error %v; want it to end with %q", said, err, how)
		}
		if before.String() != said || before.Expected != (i == 1) {
			t.Errorf("before it %q, then %q", before, said)
		}
		var lo, hi float64
		if _, err := fmt.Sscanf(said[strings.Index(said, "about"):], "about %f min to %f min", &lo, &hi); i == 1 &&
			(err != nil || res.Elapsed.Minutes() < lo || res.Elapsed.Minutes() > hi || hi > 2*lo) {
			t.Errorf("said %q and took %v", said, res.Elapsed)
		}
	}
}

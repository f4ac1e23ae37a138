package claims

import (
	"slices"
	"strings"
	"testing"

	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/fidelity"
	"jtune/tui/session/lab/reproduce"
)

func TestClaimsCiteFiguresThatExist(t *testing.T) {
	known := func(prefix string) bool {
		return slices.ContainsFunc(fidelity.Figures(), func(f fidelity.Figure) bool {
			return strings.HasPrefix(f.ID, prefix)
		}) || slices.ContainsFunc(reproduce.Figures(), func(f evidence.Figure) bool {
			return strings.HasPrefix(f.ID, prefix)
		})
	}
	for _, c := range Claims() {
		if evidence.Studies[c.Study] == "" || len(c.evidence) == 0 {
			t.Errorf("%s: study %q, %d figures", c.ID, c.Study, len(c.evidence))
		}
		for _, prefix := range c.evidence {
			if !known(strings.TrimPrefix(prefix, rival)) {
				t.Errorf("%s: no figure begins with %q", c.ID, prefix)
			}
		}
	}
}

func TestClaimPassesWhenMoreThanTwoThirdsHold(t *testing.T) {
	t.Parallel()
	c := Claim{evidence: []string{"a-", "-rival-"}}
	result := func(id string, v evidence.Verdict, values ...float64) evidence.Result {
		return evidence.Result{Figure: evidence.Figure{ID: id}, Values: values, Verdict: v}
	}
	within, outside := result("a-1", evidence.Within, 1), result("a-2", evidence.Outside, 1)
	for _, x := range []struct {
		results []evidence.Result
		want    Outcome
	}{
		{[]evidence.Result{within, within, within, outside}, Pass},
		{[]evidence.Result{within, within, outside}, Fail},
		{[]evidence.Result{within, within, result("a-3", evidence.Better, 1), outside}, Pass},
		{[]evidence.Result{within, within, result("rival-1", evidence.Better, 1), outside}, Fail},
		{[]evidence.Result{within, within, result("rival-1", evidence.Within, 1), outside}, Pass},
		{[]evidence.Result{result("b-1", evidence.Within, 1), result("a-3", evidence.AsStated)}, NotTestable},
	} {
		if got := c.judge(x.results); got.Outcome != x.want {
			t.Errorf("%d results, %d hold: %s, want %s", len(x.results), got.Holding, got.Outcome, x.want)
		}
	}
}

package claims

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/fidelity"
	"jtune/tui/session/lab/reproduce"
)

func TestClaimsCiteFiguresThatExist(t *testing.T) {
	known := func(name string) bool {
		return slices.ContainsFunc(fidelity.Figures(), func(f fidelity.Figure) bool {
			return matches(name, f.ID)
		}) || slices.ContainsFunc(reproduce.Figures(), func(f evidence.Figure) bool {
			return matches(name, f.ID)
		})
	}
	for _, c := range Claims() {
		if evidence.Studies[c.Study] == "" {
			t.Errorf("%s: study %q", c.ID, c.Study)
		}
		for _, k := range c.Conditions {
			for _, name := range k.names() {
				if !known(name) {
					t.Errorf("%s: no figure is named %q", c.ID, name)
				}
			}
		}
	}
}

// The 2022 study numbers 24 take-aways, one in each of its sections 5.1.1 to 5.6.7.
func TestClaimsHaveEveryTakeAwayOfTheStudy(t *testing.T) {
	t.Parallel()
	n := map[string]int{}
	for _, c := range Claims() {
		if c.Study == "study-2022" {
			n[strings.TrimPrefix(c.Where, "Sec. 5.")]++
		}
	}
	for chapter, sections := range map[int]int{1: 7, 2: 2, 3: 2, 4: 4, 5: 2, 6: 7} {
		for k := range sections {
			must.Equal(t, n[fmt.Sprintf("%d.%d", chapter, k+1)], 1)
		}
	}
}

func TestClaimHoldsByItsConditionsAlone(t *testing.T) {
	t.Parallel()
	result := func(id string, v evidence.Verdict, values ...float64) evidence.Result {
		return evidence.Result{Figure: evidence.Figure{ID: id}, Values: values, Verdict: v}
	}
	for _, x := range []struct {
		conditions string
		results    []evidence.Result
		want       Outcome
	}{
		{"a-* > 50", []evidence.Result{result("a-1", evidence.Outside, 57, 84)}, Pass}, // the sentence holds
		{"a-* > 50", []evidence.Result{result("a-1", evidence.Within, 57, 49)}, Fail},
		{"a-* > 50", []evidence.Result{result("a-1", evidence.Within, 50)}, Fail}, // strict
		{"a-* >= 50", []evidence.Result{result("a-1", evidence.Within, 50)}, Pass},
		{"|a-1| < 5", []evidence.Result{result("a-1", evidence.Within, -6)}, Fail},
		{"a-1 < 0.5*b", []evidence.Result{result("a-1", evidence.Outside, 4), result("b", evidence.Outside, 9)}, Pass},
		{"a-1 < 0.5*b", []evidence.Result{result("a-1", evidence.Within, 4), result("b", evidence.Within, 9, 8)}, Fail},
		{"a-1 > 0; b > 0", []evidence.Result{result("a-1", evidence.Within, 1)}, NotTestable},
		{"a-1 > 0; b > 0", []evidence.Result{result("a-1", evidence.Within, 1), result("b", evidence.AsStated)},
			NotTestable},
	} {
		c := Claim{}
		for text := range strings.SplitSeq(x.conditions, ";") {
			k := must.Get(parse(text))(t)
			c.Conditions = append(c.Conditions, k)
		}
		must.Equal(t, c.judge(x.results).Outcome, x.want, x.conditions)
	}
}

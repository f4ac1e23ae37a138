package fidelity

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tui/session/lab/evidence"
)

var update = flag.Bool("update", false, "renew the verdicts")

// The golden list: a change of the boards shows which verdict moved.
func TestFiguresHaveTheVerdictsOfTheRelease(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("computes what the tests of optimize, study and the virtual boards do")
	}
	results := must.Get(Evaluate(context.Background(), Figures(), 0))(t)
	var now strings.Builder
	for _, r := range results {
		fmt.Fprintf(&now, "%s,%s\n", r.ID, r.Verdict)
	}
	if *update {
		must.NoError(t, os.WriteFile("verdicts.csv", []byte(now.String()), 0o644))
		return
	}
	if all := evidence.Summary(results)[evidence.All]; all[evidence.Hold] < 218 || all[evidence.Total] != 246 {
		t.Errorf("%d of %d figures hold, want 218 of 246 at least", all[evidence.Hold], all[evidence.Total])
	}
	for _, r := range results {
		must.Equal(t, r.Verdict, Expected()[r.ID], r.ID, r.Values, r.Value, r.Unit, r.Off)
		if !r.Verdict.Holds() && r.Why() == "" {
			t.Errorf("%s is %s and says no reason", r.ID, r.Verdict)
		}
	}
	must.Equal(t, len(Expected()), len(results))
}

// A verdict that hangs on a seed is none.
func TestFiguresHoldWithEverySeed(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("long: set JTUNE_LONG=1")
	}
	t.Parallel()
	for seed := uint64(1); seed <= 12; seed++ {
		results := must.Get(Evaluate(context.Background(), Figures(), seed))(t)
		for _, r := range Lost(results) {
			t.Errorf("seed %d: %s is %s: simulated %.4g, %.2f tolerances off", seed, r.ID, r.Verdict, r.Values, r.Off)
		}
	}
}

// Of 2, 2, 3, 3, 3, 3 s, each up to a second too many, half are over 2 1/4 s.
func TestGroupedMedianLiesWithinItsInterval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{3, 2, 3, 2, 3, 3}, 2.25}, {[]float64{4, 3, 4, 3}, 3}, {[]float64{3}, 2.5},
		{[]float64{3, 3, 9}, 2.75}} {
		if got := groupedMedian(c.values, 1); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: %g, want %g", c.values, got, c.want)
		}
	}
}

func TestFiguresAreAllHeldAgainstTheBoards(t *testing.T) {
	t.Parallel()
	known := map[string]Figure{}
	for _, f := range Figures() {
		if _, twice := known[f.ID]; twice {
			t.Errorf("%s is there twice", f.ID)
		}
		known[f.ID] = f
		if evidence.Studies[f.Study] == "" || f.Where == "" {
			t.Errorf("%s: no source: study %q, where %q", f.ID, f.Study, f.Where)
		}
	}
	must.Equal(t, len(known), 246)
	for _, f := range Figures() {
		if same, ok := known[f.SameAs]; f.SameAs != "" && (!ok || same.SameAs != "" && same.SameAs == f.ID) {
			t.Errorf("%s says the same as %s, which is not there or says so too", f.ID, f.SameAs)
		}
	}
}

func TestSetupsAreReadFromText(t *testing.T) {
	t.Parallel()
	got, err := parseSetups("medium=hdd workers=0 mode=a,b")
	if err != nil || len(got) != 2 || got[0].mode != "a" || got[1].mode != "b" || got[1].medium != "hdd" ||
		got[1].workers != tegra.Some(0) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"cores=2", "workers=two", "mode=a,b batch=1,2"} {
		if got, err := parseSetups(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, got)
		}
	}
}

// Kept slopes give the same as slopes that are computed again after each step.
func TestFitOfIsNoBetterLeftOut(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("long: set JTUNE_LONG=1")
	}
	fit := must.Get(FitOf(0))(t)
	t.Logf("%+v %+v", fit.Constants, fit.LeftOut)
	if c, l := fit.Constants, fit.LeftOut; c.Effective > float64(c.Fitted) || l.Within > c.Within ||
		l.Figures != c.Figures || c.Within > c.Figures || len(fit.Off) != l.Figures {
		t.Errorf("%+v %+v: more than there can be", c, l)
	}
	figures, f, err := fitOf(0)
	must.NoError(t, err)
	f.Renew = true
	within := 0
	for _, fact := range facts(figures) {
		left := must.Get(f.Without(fact))(t)
		for j, i := range fact {
			off := math.Abs(left[j])
			within += int(truth(off <= 1))
			if kept := fit.Off[figures[i].ID]; math.Abs(kept-off) > 0.1*max(1, off)+0.1 {
				t.Errorf("%s: %.2f tolerances off with the slopes kept, %.2f renewed", figures[i].ID, kept, off)
			}
		}
	}
	if within < fit.LeftOut.Within-2 || within > fit.LeftOut.Within+2 {
		t.Errorf("%d within with slopes renewed, %d kept", within, fit.LeftOut.Within)
	}
}

package fidelity

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"jtune/tegra"
)

var update = flag.Bool("update", false, "write the verdicts as they are")

// The golden list: a change of the boards shows which verdict moved.
func TestFiguresHaveTheVerdictsOfTheRelease(t *testing.T) {
	t.Parallel()
	results, err := Evaluate(context.Background(), Figures(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	for _, r := range results {
		fmt.Fprintf(&now, "%s,%s\n", r.ID, r.Verdict)
	}
	if *update {
		if err := os.WriteFile("verdicts.csv", []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if all := Summary(results)[All]; all.Holding() < 220 || all.Total() != 246 {
		t.Errorf("%d of %d figures hold, want 220 of 246 at least", all.Holding(), all.Total())
	}
	for _, r := range results {
		if was := Expected()[r.ID]; r.Verdict != was {
			t.Errorf("%s: %s, was %s: simulated %.4g, published %g %s, %.2f tolerances off", r.ID, r.Verdict, was,
				r.Values, r.Value, r.Unit, r.Off)
		}
		if !r.Verdict.Holds() && r.Why() == "" {
			t.Errorf("%s is %s and says no reason", r.ID, r.Verdict)
		}
	}
	if len(Expected()) != len(results) {
		t.Errorf("verdicts of %d figures are kept, there are %d", len(Expected()), len(results))
	}
}

// A verdict that hangs on a seed is none.
func TestFiguresHoldWithEverySeed(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("long: set JTUNE_LONG=1")
	}
	t.Parallel()
	for seed := uint64(1); seed <= 12; seed++ {
		results, err := Evaluate(context.Background(), Figures(), seed)
		if err != nil {
			t.Fatal(err)
		}
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
		if Studies[f.Study] == "" || f.Where == "" {
			t.Errorf("%s: no source: study %q, where %q", f.ID, f.Study, f.Where)
		}
	}
	if len(known) != 246 {
		t.Errorf("%d figures, want the 246 of the papers", len(known))
	}
	for _, f := range Figures() {
		if same, ok := known[f.SameAs]; f.SameAs != "" && (!ok || same.SameAs != "" && same.SameAs == f.ID) {
			t.Errorf("%s says the same as %s, which is not there or says so too", f.ID, f.SameAs)
		}
	}
}

func TestOffCountsTolerances(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		relation      string
		value, most   float64
		tolerance     float64
		relative      bool
		simulated, is float64
	}{
		{"eq", 46.4, 0, 0.1, true, 48.72, 0.5},
		{"approx", 20, 0, 5, false, 15, 1},
		{"le", 3, 0, 1, false, 2, 0},
		{"lt", 3, 0, 1, false, 4.5, 1.5},
		{"gt", 90, 0, 2, false, 91, 0},
		{"ge", 90, 0, 2, false, 86, 2},
		{"range", 10, 20, 0.1, true, 24, 2},
		{"range", 10, 20, 0.1, true, 8, 2},
		{"range", -38.7, -31, 4, false, -35, 0},
		{"eq", -27.5, 0, 0.1, true, -22, 2},
		{"eq", 3, 0, 0, false, 4, farthest},
		{"eq", 3, 0, 0, false, 3, 0},
	} {
		f := Figure{Relation: c.relation, Value: c.value, Most: c.most, Tolerance: c.tolerance, Relative: c.relative}
		if got := f.Off(c.simulated); math.Abs(got-c.is) > 1e-9 {
			t.Errorf("%+v: %g tolerances off", c, got)
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

func TestCountsAddUp(t *testing.T) {
	t.Parallel()
	figure := func(board string, kind Kind, v Verdict, same string) Result {
		return Result{Figure: Figure{Jobs: []Job{{Board: board}}, Kind: kind, SameAs: same}, Verdict: v}
	}
	sums := Summary([]Result{figure("nano", Simulated, Within, ""), figure("nano", Simulated, Within, "x"),
		figure("tx2", Simulated, Near, ""), figure("tx2", Setting, Outside, ""), figure("", Stated, AsStated, "")})
	if n := sums["nano"]; n.Within != 2 || n.OnceWithin != 1 || n.Restatements != 1 {
		t.Errorf("nano: %+v", n)
	}
	if all := sums[All]; all.Total() != 5 || all.Holding() != 3 || all.Simulated != 3 || all.Near != 1 {
		t.Errorf("all: %+v", all)
	}
}

// Two equal readings of one number leave each other out only together: half of it is known from the other, all from
// both, and without both nothing is.
func TestRefitIsAFitWithoutTheFact(t *testing.T) {
	t.Parallel()
	readings := func(slope float64, at ...float64) refit {
		f, err := newRefit(1, func(x []float64) (r []float64, err error) {
			for _, off := range at {
				r = append(r, off+slope*x[0])
			}
			return r, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	off := func(f refit, those ...int) float64 {
		r, err := f.without(those)
		if err != nil {
			t.Fatal(err)
		}
		return r[0]
	}
	two := readings(1e3, 0.4, -0.4)
	if got := off(two, 0); math.Abs(got-0.8) > 1e-3 {
		t.Errorf("without the first it is %.3f off, want twice as far: the second's value", got)
	}
	if got := two.effective(); math.Abs(got-1) > 1e-3 {
		t.Errorf("%.3f constants are effective, want the one", got)
	}
	if got := off(readings(1, 0.5), 0); math.Abs(got-0.5*(1+priorWidth*priorWidth)) > 1e-9 {
		t.Errorf("a figure that a constant hardly moves is %.4f off without it", got)
	}
}

// A residual that is not linear in the constants: the fit without a reading is that of the other alone, which the
// linear answer misses.
func TestRefitFollowsWhatIsNotLinear(t *testing.T) {
	t.Parallel()
	for _, renew := range []bool{false, true} {
		f, err := newRefit(1, func(x []float64) ([]float64, error) {
			return []float64{200 * (math.Exp(x[0]) - 1.1), 200 * (math.Exp(x[0]) - 0.9)}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		f.renew = renew
		got, err := f.without([]int{0})
		if err != nil || math.Abs(got[0]+40) > 0.1 { // the other's optimum is 0.9
			t.Errorf("slopes renewed: %v: it is %.2f off, want -40 (%v)", renew, got[0], err)
		}
	}
}

// Slopes that are kept give the same as slopes that are taken anew after each step.
func TestFitOfIsNoBetterLeftOut(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("long: set JTUNE_LONG=1")
	}
	fit, err := FitOf(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v %+v", fit.Constants, fit.LeftOut)
	if c, l := fit.Constants, fit.LeftOut; c.Effective > float64(c.Fitted) || l.Within > c.Within ||
		l.Figures != c.Figures || c.Within > c.Figures || len(fit.Off) != l.Figures {
		t.Errorf("%+v %+v: more than there can be", c, l)
	}
	figures, f, err := fitOf(0)
	if err != nil {
		t.Fatal(err)
	}
	f.renew = true
	within := 0
	for _, fact := range facts(figures) {
		left, err := f.without(fact)
		if err != nil {
			t.Fatal(err)
		}
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

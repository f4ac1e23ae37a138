package evidence

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"

	"jtune/internal/must"
)

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
		{"lt", 0, 0, 1, false, 0, math.Nextafter(1, 2)}, // strict: at the bound it is broken
		{"gt", 90, 0, 5, false, 89, math.Nextafter(1, 2)},
		{"le", 3, 0, 1, false, 3.5, 0.5},
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

func TestCountsAddUp(t *testing.T) {
	t.Parallel()
	figure := func(board string, kind Kind, v Verdict, same string) Result {
		return Result{Figure: Figure{Jobs: []Job{{Board: board}}, Kind: kind, SameAs: same}, Verdict: v}
	}
	sums := Summary([]Result{figure("nano", Simulated, Within, ""), figure("nano", Simulated, Within, "x"),
		figure("tx2", Simulated, Near, ""), figure("tx2", Setting, Outside, ""), figure("", Stated, AsStated, ""),
		figure("tx2", Proxy, Within, ""), figure("tx2", Proxy, Outside, "")})
	if n := sums["nano"]; n["within"] != 2 || n["once_within"] != 1 || n["restatements"] != 1 {
		t.Errorf("nano: %+v", n)
	}
	if all := sums[All]; all[Total] != 7 || all[Hold] != 4 || all["simulated"] != 3 || all["near"] != 1 ||
		all["proxies"] != 2 {
		t.Errorf("all: %+v", all)
	}
}

func TestResultWorstIsTheValueFarthestOff(t *testing.T) {
	t.Parallel()
	f := Figure{Value: 10, Most: 10, Relation: "eq", Tolerance: 1}
	r := Result{Figure: f, Values: []float64{10.5, 8, 11}}
	must.Equal(t, r.Worst(), 8)
	f = Figure{Value: 6, Relation: "lt", Tolerance: 1} // all hold: the one nearest to the bound
	must.Equal(t, (Result{Figure: f, Values: []float64{5.2, 1.9, 5.5, 3.5}}).Worst(), 5.5)
	if w := (Result{Figure: f}).Worst(); !math.IsNaN(w) {
		t.Errorf("worst of none: %g", w)
	}
}

// words of a laboratory that is a number, which is added to each.
var words = Words[float64]{
	"number": func(lab float64, args []string) ([]float64, error) {
		v, err := strconv.ParseFloat(args[0], 64)
		return []float64{lab + v}, err
	},
	"both": func(float64, []string) ([]float64, error) { return []float64{1, 2}, nil },
	"none": func(float64, []string) ([]float64, error) { return nil, errors.New("cannot be worked out") },
}

func TestWordsWorkTermsOut(t *testing.T) {
	t.Parallel()
	for terms, want := range map[string][]float64{
		"number 2":                         {12},
		"both":                             {1, 2},
		"number 2 , both":                  {12, 1, 2},
		"mean-of number 2 , number 4":      {13},
		"number 2 - number 5":              {-3},
		"size-of number 2 - number 5":      {3},
		"number 14 / number 2":             {2},
		"number 2 - number 5 , number -10": {-3, 0},
	} {
		if got, err := words.Values(10, terms); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v (%v)", terms, got, want, err)
		}
	}
	for _, terms := range []string{"guess 2", "number 2 - guess", "mean-of none", "number two"} {
		if got, err := words.Values(10, terms); err == nil {
			t.Errorf("%s is worked out as %v", terms, got)
		}
	}
	must.NoError(t, words.Check("size-of number 2 - both , number 1 / both"))
	for _, terms := range []string{"guess 3", "mean-of both , guess", "both / guess 3"} {
		if words.Check(terms) == nil {
			t.Errorf("%s passes the check", terms)
		}
	}
}

func TestResultOfAFigureThatIsNotWorkedOutSaysWhy(t *testing.T) {
	t.Parallel()
	r, err := words.Result(0, Figure{Kind: NotSimulated, Note: "needs a board"})
	if err != nil || r.Verdict != NoVerdict || r.Why() != "needs a board" || !math.IsNaN(r.Off) {
		t.Errorf("%+v, %v", r, err)
	}
	missed := Figure{Kind: Simulated, Value: 9, Relation: "eq", Tolerance: 1, Terms: "number 2", Note: "a reason",
		NotedAt: "12"}
	r, err = words.Result(10, missed)
	must.NoError(t, err)
	must.Equal(t, r.Why(), "12 is above 9, by 3.0 tolerances: a reason")
	if r, err = words.Result(14, missed); err != nil || r.Why() != "16 is above 9, by 7.0 tolerances" {
		t.Errorf("a reason for another value: %q, %v", r.Why(), err)
	}
	r, err = words.Result(10, Figure{Kind: Simulated, Value: 12, Relation: "eq", Tolerance: 1, Terms: "number 2"})
	if err != nil || r.Verdict != Within || r.Why() != "" || r.Off != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestFigureIsBlindWhereTheToleranceReachesZero(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		relation         string
		value, tolerance float64
		relative, want   bool
	}{
		{"eq", -2, 3, false, true}, {"approx", 2, 2, false, true}, {"eq", 4.7, 4, false, false},
		{"eq", 40, 0.1, true, false}, {"approx", 0, 5, false, false}, {"le", 3, 5, false, false},
	} {
		f := Figure{Kind: Simulated, Relation: c.relation, Value: c.value, Tolerance: c.tolerance, Relative: c.relative}
		must.Equal(t, f.Blind(), c.want, c, !c.want)
	}
}

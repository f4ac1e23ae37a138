package population

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/report"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Workloads have a finite time and power in every mode, differ from each other and between the halves, and are the same
// again. A higher GPU clock does not make a mode slower by more than its own deviation, except under throttling.
func TestWorkloadsArePossibleAndRepeat(t *testing.T) {
	t.Parallel()
	workloads := 2
	if os.Getenv("JTUNE_LONG") != "" {
		workloads = 4
	}
	for _, name := range Boards() {
		b := must.Get(open(name))(t)
		for _, f := range families {
			var spans []float64
			again, other := newWorkload(b, f, 0, false, 1), newWorkload(b, f, 0, true, 1)
			for number := range workloads {
				w := newWorkload(b, f, number, false, 1)
				if number == 0 && (w.truth[0] == other.truth[0] || !slices.Equal(w.truth, again.truth)) {
					t.Errorf("%s, %s: the halves share a workload, or it is not the same again", name, f.name)
				}
				least, most := math.Inf(1), 0.0
				for i, m := range w.truth {
					if !(m.TimeMS > 0) || !(m.PowerW > 0) || math.IsInf(m.TimeMS+m.PowerW, 0) ||
						m.Mode != b.space.At(i) {
						t.Fatalf("%s, %s, %d: %v", name, f.name, number, m)
					}
					least, most = min(least, m.PowerW), max(most, m.PowerW)
				}
				if slices.Contains(spans, most/least) || most/least < 1.1 || most > 4*b.capW {
					t.Errorf("%s, %s, %d: %g to %g W", name, f.name, number, least, most)
				}
				spans = append(spans, most/least)
			}
		}
	}
}

// asked is a question about a workload of two modes beside the present one.
func asked(t *testing.T) (q *question, present, within, beyond tegra.Setting) {
	t.Helper()
	space := must.Get(tegra.NewSpace([]int{2}, []tegra.Freq{tegra.MHz},
		[]tegra.Freq{tegra.MHz, 2 * tegra.MHz, 3 * tegra.MHz}, []tegra.Freq{tegra.MHz}))(t)
	w := &workload{board: &board{name: "toy", space: space}}
	for i, m := range space.All() {
		w.truth = append(w.truth, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: float64(300 - 100*i),
			PowerW: []float64{9.95, 11.2, 30}[i]})
	}
	q = w.ask(metric.Watts(10), noise{sd: 0.012}, 0)
	return q, w.truth[2].Setting, w.truth[0].Setting, w.truth[1].Setting
}

// The present mode never counts as hot; a probe does by its true power, also where it is ended.
func TestHotCountsProbesByTheirTruth(t *testing.T) {
	t.Parallel()
	q, present, within, beyond := asked(t)
	q.mostW = 11
	read := func(a tegra.Setting) error { _, err := q.measure(t.Context(), a); return err }
	q.mostW = 0
	if err := errors.Join(read(present), read(within)); err != nil || q.hot || q.probes != 1 || q.modes() != 1 {
		t.Errorf("%v, hot %v after %d probes of %d modes", err, q.hot, q.probes, q.modes())
	}
	q.mostW = 10.5
	before := q.now
	if err := read(beyond); err == nil || !q.hot || q.modes() != 2 || q.now-before != endedS {
		t.Errorf("%v, hot %v, took %g s; want it ended after %g s", err, q.hot, q.now-before, endedS)
	}
	if err := read(present); err == nil || q.modes() != 3 {
		t.Errorf("%v; a second reading of the present mode is a probe", err)
	}
}

// An answer is judged by the truth: over its limit, or so far from the best mode within the margin and at the limit.
func TestAnswersAreJudgedByTheTruth(t *testing.T) {
	t.Parallel()
	q, _, within, beyond := asked(t)
	if s := q.judge(found{setting: beyond, feasible: true}); !s.Over || math.Abs(s.OverPct-12) > 1e-9 ||
		!math.IsNaN(s.GapPct) || s.Goal != 200 {
		t.Errorf("over its limit: %+v", s)
	}
	s := q.judge(found{setting: within, feasible: true}) // within, but not with the margin: no mode has it
	if s.Over || s.Answerable || !math.IsNaN(s.GapPct) || s.EdgePct != 0 {
		t.Errorf("at its limit: %+v", s)
	}
	q.limit.Limits = q.limit.Limits.And(metric.Power.Max(11.3)) // the second mode keeps it, without the margin
	if s = q.judge(found{setting: within, feasible: true}); s.GapPct != 0 || math.Abs(s.EdgePct-50) > 1e-9 {
		t.Errorf("the best with the margin: %+v", s)
	}
	if s = q.judge(found{}); s.Answered || !s.Answerable || !math.IsNaN(s.Goal) {
		t.Errorf("no answer: %+v", s)
	}
}

func TestTabulateCountsSearches(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	all := []Search{
		{Method: "tune", Board: "a", Level: 4, Hot: true, Answered: true, Answerable: true, GapPct: 2, EdgePct: 3,
			OverPct: nan, Modes: 8, BoardS: 60, TimeIn: 0.8, PowerIn: 0.5, Goal: 100},
		{Method: "tune", Board: "a", Level: 4, Visit: 1, Answered: true, Answerable: true, GapPct: nan, EdgePct: nan,
			Over: true, OverPct: 1.5, Modes: 10, BoardS: 80, TimeIn: 0.6, PowerIn: nan, Goal: 97},
		{Method: "tune", Board: "b", Level: 32, Number: 1, Answerable: true, GapPct: nan, EdgePct: nan, OverPct: nan,
			Modes: 12, BoardS: 100, TimeIn: nan, PowerIn: nan, Goal: nan},
		{Method: "tune", Board: "b", Level: 32, Number: 2, GapPct: nan, EdgePct: nan, OverPct: nan, Modes: 3,
			BoardS: 20, TimeIn: nan, PowerIn: nan, Goal: nan},
	}
	rows := Tabulate(all, Options{Methods: []string{"tune"}, Boards: []string{"a", "b"}, Levels: []float64{4, 32}})
	if len(rows) != 5 {
		t.Fatalf("%d rows", len(rows))
	}
	r := rows[0]
	if r.N != 4 || r.HotPct != 25 || r.OverPct != 50 || r.WorstPct != 1.5 || math.Abs(r.NonePct-100.0/3) > 1e-9 ||
		r.FalsePct != 0 || r.Gap != (Tail{2, 2, 2}) || r.Modes.Median != 9 || r.MeanS != 65 ||
		math.Abs(r.TimeIn-70) > 1e-9 || r.PowerIn != 50 || math.Abs(r.Spread.Worst-100*(100.0/97-1)) > 1e-9 {
		t.Errorf("%+v", r)
	}
	if rows[1].Board != "a" || rows[1].N != 2 || rows[4].Level != tegra.Some(32.0) || rows[4].N != 2 ||
		!math.IsNaN(rows[4].Gap.Median) || !math.IsNaN(rows[4].TimeIn) {
		t.Errorf("by board and level: %+v", rows)
	}
	sum := &Report{Options: Options{Name: "own", Boards: []string{"a", "b"}}, Rows: rows}
	var out bytes.Buffer
	if err := report.Print(&out, nil, sum.Parts()...); err != nil || !strings.Contains(out.String(), "25.0") {
		t.Errorf("%v: %s", err, out.String())
	}
	var doc struct{ Rows []map[string]any }
	text, err := json.Marshal(sum)
	if err = errors.Join(err, json.Unmarshal(text, &doc)); err != nil || doc.Rows[0]["hot_pct"] != 25.0 ||
		doc.Rows[4]["gap_pct"] != nil || doc.Rows[0]["gap_pct"].(map[string]any)["median"] != 2.0 {
		t.Errorf("%v: %s", err, text)
	}
}

// Every method answers, equal options give equal tables, and no method finds less than the oracle by knowing the truth.
func TestEvaluateAsksEveryMethod(t *testing.T) {
	t.Parallel()
	o := Options{Name: "governed", Boards: []string{"orin-nano"}, Workloads: 2, Messy: true,
		Levels:  []float64{4, 60},
		Methods: slices.DeleteFunc(Methods(), func(m string) bool { return m == "powertrain" })}
	report := must.Get(Evaluate(context.Background(), o))(t)
	o.Workers, o.Methods = 1, []string{"tune", "random"}
	again, err := Evaluate(context.Background(), o)
	must.NoError(t, err)
	repeated := map[string][]Row{}
	for _, r := range again.Rows {
		repeated[r.Method] = append(repeated[r.Method], r)
	}
	for _, r := range report.Rows {
		if of := repeated[r.Method]; len(of) > 0 {
			if text, want := columns.Fields(r), columns.Fields(of[0]); !reflect.DeepEqual(text, want) {
				t.Errorf("%v, again %v", text, want)
			}
			repeated[r.Method] = of[1:]
		}
		if r.N == 0 || !(r.BoardS.Median > 0) {
			t.Errorf("%+v", r)
		}
		if r.Method == "oracle" && (r.Gap.Worst != 0 || r.OverPct != 0 || r.Modes.Median != 1) {
			t.Errorf("the oracle: %+v", r)
		}
	}
	o.Methods, o.Second, o.Levels, o.Goal = []string{"tune"}, true, []float64{-15}, ForPower
	if report, err = Evaluate(context.Background(), o); err != nil || report.Rows[0].OverPct > 0 {
		t.Errorf("limits that no mode keeps: %v, %+v", err, report)
	}
}

package record

import (
	"slices"
	"strings"
	"testing"

	"jtune/profiles/record/csvlines"
	"jtune/tegra"
)

// A file of nothing but bad lines is left after ten thousand of them, and their notes are as many.
func TestParseRowsLeavesAFileOfBadLines(t *testing.T) {
	t.Parallel()
	text := csvlines.Line(Columns) + strings.Repeat("bad\n", csvlines.MostBad+500)
	rows, bad := parseRows([]byte(text))
	if len(rows) != 0 || len(bad) != csvlines.MostBad+1 {
		t.Fatalf("%d rows and %d notes, want %d", len(rows), len(bad), csvlines.MostBad+1)
	}
	got, want := bad[csvlines.MostBad], "modes.csv: line 10002 is unreadable and left out: 10,000 lines before it "+
		"are too, and what follows is not read"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	runs, bad := parseRuns([]byte(csvlines.Line(runColumns) + strings.Repeat("bad\n", csvlines.MostBad+500)))
	if len(runs) != 0 || len(bad) != csvlines.MostBad+1 {
		t.Errorf("%d runs and %d notes, want %d", len(runs), len(bad), csvlines.MostBad+1)
	}
}

// A line without its newline counts where its last column is whole. Any other is being written now.
func TestParseRowsTakesALastLineThatLacksItsNewlineAlone(t *testing.T) {
	t.Parallel()
	line := func(mark string) string { return csvlines.Line(append(exampleRows()[0].Fields(), mark)) }
	text := csvlines.Line(append(slices.Clone(Columns), "virtual")) + line("false")
	for last, want := range map[string]int{"": 1, strings.TrimSuffix(line("false"), "\n"): 2,
		strings.TrimSuffix(line("fal"), "\n"): 1, "4,72": 1} {
		if rows, notes := parseRows([]byte(text + last)); len(rows) != want || len(notes) > 0 {
			t.Errorf("%q: %d rows, want %d; notes %q", last, len(rows), want, notes)
		}
	}
}

// A file keeps the columns that it has, where jtune knows them and a line can do with them.
func TestColumnsInKeepsTheColumnsOfAnOlderJtune(t *testing.T) {
	t.Parallel()
	known := append(slices.Clone(sampleColumns), SizeColumn)
	later := []string{"meter_w", "why"}
	older := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return slices.Contains(later, name) })
	for name, c := range map[string]struct{ header, want []string }{
		"none": {nil, known}, "all": {known, known}, "older": {older, older},
		"another": {append(slices.Clone(known), "x"), known}, "torn": {known[:3], known},
	} {
		if got := columnsIn[sampleLine](c.header, known); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A run's lines name its setting, and its repeat from the first on.
func TestRunLinesNameTheirRepeat(t *testing.T) {
	t.Parallel()
	for repeat, want := range map[int]string{0: "", 1: "1", 2: "2"} {
		line := Run{Setting: "b=8", Repeat: repeat, Status: OK, Character: aCharacter()}.printed()[0]
		if line[4] != "b=8" || line[5] != want {
			t.Errorf("repeat %d: %q", repeat, line[4:6])
		}
	}
}

func TestRunOfARowHasItsSettingInAnExperimentAlone(t *testing.T) {
	t.Parallel()
	c := aCharacter()
	for _, kind := range []string{ExperimentKind, "grid"} {
		for _, extra := range [][]string{{"b=8", "2"}, {"b=8"}, nil} {
			r := &Record{header: Header{Plan: PlanHeader{Kind: kind}}}
			run, ok := r.run(Row{Character: &c, Extra: extra})
			if named := kind == ExperimentKind && len(extra) == 2; !ok || (run.Setting == "b=8") != named ||
				(run.Repeat == 2) != named {
				t.Errorf("%s, %v: %+v, %v", kind, extra, run.Setting, ok)
			}
		}
	}
	if _, ok := (&Record{}).run(Row{}); ok {
		t.Error("a mode that never ran has a run")
	}
}

// Later epochs represent long training, unless few of their minibatches ran or all epochs count.
func TestSteadyIsLaterWhereEnoughRan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		first, later int
		all, there   bool
		want         bool
	}{
		{100, enoughLater, false, true, true}, {100, enoughLater - 1, false, true, false}, {20, 20, false, true, true},
		{20, 19, false, true, false}, {20, 100, true, true, false}, {20, 100, false, false, false},
	} {
		of := Character{AllEpochs: c.all, First: tegra.Some(Part{Minibatches: c.first}),
			Later: tegra.Val[Part]{V: Part{Minibatches: c.later}, OK: c.there}}
		if got := of.SteadyIsLater(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

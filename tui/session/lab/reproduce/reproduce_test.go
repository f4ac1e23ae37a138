package reproduce

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/tui/session/lab/fidelity"
)

// run runs studies in their short form.
func run(t *testing.T, o Options) []Report {
	t.Helper()
	o.Quick = true
	reports, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return reports
}

func TestFiguresBelongToStudiesAndTheirTermsAreKnown(t *testing.T) {
	if n := len(Figures()); n != 158 {
		t.Errorf("%d published results, the papers have 158", n)
	}
	seen := map[string]bool{}
	for _, f := range Figures() {
		if _, ok := Find(f.Group); !ok {
			t.Errorf("%s: no study %q", f.ID, f.Group)
		}
		if seen[f.ID] {
			t.Errorf("%s stands twice", f.ID)
		}
		seen[f.ID] = true
		if (f.of == "") != (f.Kind != fidelity.Simulated) {
			t.Errorf("%s: kind %s with terms %q", f.ID, f.Kind, f.of)
		}
		if f.of == "" && f.Note == "" {
			t.Errorf("%s: neither terms nor a reason", f.ID)
		}
		for word := range strings.SplitSeq(strings.TrimPrefix(f.of, "mean-of "), " , ") {
			for part := range strings.SplitSeq(strings.TrimPrefix(word, "size-of "), " - ") {
				for term := range strings.SplitSeq(part, " / ") {
					if name, _, _ := strings.Cut(term, " "); name != "" && operations[name] == nil {
						t.Errorf("%s: no operation %q", f.ID, name)
					}
				}
			}
		}
	}
	for _, s := range Studies {
		if tables[s.Name] == nil && !slices.ContainsFunc(Figures(), func(f Figure) bool { return f.Group == s.Name }) {
			t.Errorf("study %s has neither figures nor a table", s.Name)
		}
	}
}

func TestClaimsCiteFiguresThatExist(t *testing.T) {
	known := func(prefix string) bool {
		return slices.ContainsFunc(fidelity.Figures(), func(f fidelity.Figure) bool {
			return strings.HasPrefix(f.ID, prefix)
		}) || slices.ContainsFunc(Figures(), func(f Figure) bool { return strings.HasPrefix(f.ID, prefix) })
	}
	for _, c := range Claims() {
		if fidelity.Studies[c.Study] == "" || len(c.evidence) == 0 {
			t.Errorf("%s: study %q, %d figures", c.ID, c.Study, len(c.evidence))
		}
		for _, prefix := range c.evidence {
			if !known(prefix) {
				t.Errorf("%s: no figure begins with %q", c.ID, prefix)
			}
		}
	}
}

func TestRunCountsSpacesAsThePapersDo(t *testing.T) {
	r := run(t, Options{Studies: []string{"spaces"}})[0]
	for _, f := range r.Results {
		missed := f.Verdict == fidelity.Outside
		if missed != (f.ID == "s3-combos-nano") { // the slides do not say which pairs were left out
			t.Errorf("%s: own %v, published %g: %s", f.ID, f.Own, f.Value, f.Verdict)
		}
	}
}

func TestRunOfFourModesChoosesFourOfTen(t *testing.T) {
	r := run(t, Options{Studies: []string{"four-modes"}})[0]
	chosen := 0
	for _, row := range r.Tables[0].Rows {
		if row.Item == checkedJob && row.Cells[1] == "yes" {
			chosen++
		}
		if !row.Simulated {
			t.Errorf("%v is not marked as simulated", row)
		}
	}
	if len(r.Tables[0].Rows) != 4*10 || chosen != 4 {
		t.Errorf("%d rows, %d chosen modes", len(r.Tables[0].Rows), chosen)
	}
	for _, f := range r.Results {
		if len(f.Own) == 0 || !f.Simulated {
			t.Errorf("%s: own %v, simulated %v", f.ID, f.Own, f.Simulated)
		}
	}
	if len(r.Drawn) == 0 || !r.Drawn[0].Virtual {
		t.Errorf("drawn: %v", r.Drawn)
	}
}

// A sweep in the folder takes the place of the virtual board, and the result is no simulation any more.
func TestLabTakesMeasuredSweepsFirst(t *testing.T) {
	dir := t.TempDir()
	place := "agx-orin/lstm"
	text := "cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n" +
		"12,2201600,1300500000,3199000000,10,30\n8,2201600,1300500000,3199000000,12,28\n"
	if err := os.WriteFile(filepath.Join(dir, SweepFile(place)), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	l := newLab(context.Background(), Options{Sweeps: dir})
	s, err := l.sweepOf(place)
	if err != nil {
		t.Fatal(err)
	}
	if s.simulated || l.simulated || len(s.measured) != 2 || s.measured[0].TimeMS != 10 {
		t.Errorf("%+v", s)
	}
	if s, err = l.sweepOf(resnet); err != nil || !s.simulated || !l.simulated || len(s.measured) != 4368 {
		t.Errorf("%d modes, simulated %v, %v", len(s.measured), s.simulated, err)
	}
	if notes := strings.Join(l.notes(), "\n"); !strings.Contains(notes, "agx-orin_resnet18.csv") ||
		!strings.Contains(notes, filepath.Join(dir, "agx-orin_lstm.csv")) {
		t.Errorf("the notes do not name both files: %s", notes)
	}
}

func TestResultWorstIsTheValueFarthestOff(t *testing.T) {
	f := Figure{Figure: fidelity.Figure{Value: 10, Most: 10, Relation: "eq", Tolerance: 1}}
	r := Result{Figure: f, Own: []float64{10.5, 8, 11}}
	if r.Worst() != 8 {
		t.Errorf("worst of 10.5, 8, 11 beside 10: %g", r.Worst())
	}
	if w := (Result{Figure: f}).Worst(); !math.IsNaN(w) {
		t.Errorf("worst of none: %g", w)
	}
}

func TestRunOfEveryStudyHasAValueForEachResultThatItCanWorkOut(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("trains some dozens of networks: JTUNE_LONG=1")
	}
	for _, r := range run(t, Options{}) {
		for _, f := range r.Results {
			if (len(f.Own) > 0) != (f.of != "") || slices.ContainsFunc(f.Own, math.IsNaN) {
				t.Errorf("%s: own %v", f.ID, f.Own)
			}
		}
	}
}

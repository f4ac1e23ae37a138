package reproduce

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/fourmodes"
)

// run runs studies in their short form.
func run(t *testing.T, o Options) []Report {
	t.Helper()
	o.Quick = true
	reports := must.Get(Run(context.Background(), o))(t)
	return reports
}

// An energy below zero is no prediction, and the table says so.
func TestFourModesSaysWhichEnergiesAreNone(t *testing.T) {
	t.Parallel()
	table := run(t, Options{Studies: []string{"four-modes"}})[0].Tables[0]
	below := 0
	for _, r := range table.Rows {
		if strings.HasPrefix(r.Cells[6], "-") {
			below++
		}
	}
	want := fmt.Sprintf("%d of the %d predicted energies are below zero", below, len(table.Rows))
	must.Equal(t, below > 0, strings.Contains(table.Title, want))
}

func TestFiguresBelongToStudiesAndTheirTermsAreKnown(t *testing.T) {
	must.Equal(t, len(Figures()), 158)
	seen := map[string]bool{}
	for _, f := range Figures() {
		if _, ok := Find(f.Group); !ok {
			t.Errorf("%s: no study %q", f.ID, f.Group)
		}
		if seen[f.ID] {
			t.Errorf("%s stands twice", f.ID)
		}
		seen[f.ID] = true
		must.Equal(t, f.Terms == "", f.Kind != evidence.Simulated, f.ID)
		if f.Terms == "" && f.Note == "" {
			t.Errorf("%s: neither terms nor a reason", f.ID)
		}
	}
	for _, s := range Studies {
		ofStudy := func(f evidence.Figure) bool { return f.Group == s.Name }
		if tables[s.Name] == nil && !slices.ContainsFunc(Figures(), ofStudy) {
			t.Errorf("study %s has neither figures nor a table", s.Name)
		}
	}
}

func TestRunCountsSpacesAsThePapersDo(t *testing.T) {
	r := run(t, Options{Studies: []string{"spaces"}})[0]
	for _, f := range r.Results {
		missed := f.Verdict == evidence.Outside
		if missed != (f.ID == "s3-combos-nano") { // the slides do not say which pairs were left out
			t.Errorf("%s: own %v, published %g: %s", f.ID, f.Values, f.Value, f.Verdict)
		}
	}
}

func TestRunOfFourModesChoosesFourOfTen(t *testing.T) {
	r := run(t, Options{Studies: []string{"four-modes"}})[0]
	chosen := 0
	for _, row := range r.Tables[0].Rows {
		if row.Item == fourmodes.Checked && row.Cells[1] == "yes" {
			chosen++
		}
		if !row.Simulated {
			t.Errorf("%v is not marked as simulated", row)
		}
	}
	must.Equal(t, len(r.Tables[0].Rows), 4*10)
	must.Equal(t, chosen, 4)
	for _, f := range r.Results {
		if len(f.Values) == 0 || !f.Simulated {
			t.Errorf("%s: own %v, simulated %v", f.ID, f.Values, f.Simulated)
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
	must.NoError(t, os.WriteFile(filepath.Join(dir, SweepFile(place)), []byte(text), 0o644))
	l := newLab(context.Background(), Options{Sweeps: dir})
	s, err := l.sweepOf(place)
	must.NoError(t, err)
	if s.simulated || l.simulated || len(s.measured) != 2 || s.measured[0].TimeMS != 10 {
		t.Errorf("%+v", s)
	}
	if s, err = l.sweepOf(resnet); err != nil || !s.simulated || !l.simulated || len(s.measured) != 4368 {
		t.Errorf("%d modes, simulated %v, %v", len(s.measured), s.simulated, err)
	}
	must.Contain(t, strings.Join(l.notes(), "\n"), "agx-orin_resnet18.csv", filepath.Join(dir, "agx-orin_lstm.csv"))
}

func TestRunOfEveryStudyHasAValueForEachResultThatItCanWorkOut(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("trains some dozens of networks: JTUNE_LONG=1")
	}
	for _, r := range run(t, Options{}) {
		for _, f := range r.Results {
			if (len(f.Values) > 0) != (f.Terms != "") || slices.ContainsFunc(f.Values, math.IsNaN) {
				t.Errorf("%s: own %v", f.ID, f.Values)
			}
		}
	}
}

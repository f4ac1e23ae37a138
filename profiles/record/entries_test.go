package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/telemetry"
)

// Clean minibatches count, and the valid readings from the beginning of the first to the end of the last.
func TestReadEntriesAreTheCleanMinibatchesAndTheReadingsDuringThem(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	rec := must.Get(Create(dir, testHeader(t)))(t)
	a := tegra.Mode{Cores: 2, CPU: 1651200 * tegra.KHz, GPU: 624750000, EMC: 3199 * tegra.MHz}
	b := a
	b.Cores = 4
	for i, ms := range []float64{900, 100, 110, 120} {
		must.NoError(t, rec.Minibatch(tegra.Setting{Mode: a}, harness.Event{Kind: harness.Minibatch,
			T: time.Duration(i+2) * time.Second, TimeMS: ms}, []string{WhyFirst, ""}[min(i, 1)]))
	}
	must.NoError(t, rec.Minibatch(tegra.Setting{Mode: b}, harness.Event{Kind: harness.Minibatch, T: 20 * time.Second,
		TimeMS: 50}, ""))
	for _, s := range []struct {
		mode  tegra.Mode
		at    time.Duration
		watts float64
		valid bool
	}{
		{a, 2500, 1, true},
		{a, 2950, 21, true},
		{a, 4000, 22, false},
		{a, 4500, 23, true},
		{a, 5001, 2, true},
		{b, 3000, 3, true},
	} {
		of := telemetry.Sample{T: s.at * time.Millisecond, Valid: s.valid}
		of.Reading.TotalW = tegra.Some(s.watts)
		must.NoError(t, rec.Sample(tegra.Setting{Mode: s.mode}, of))
	}
	must.NoError(t, rec.Close())
	check := func(wantNotes int) {
		t.Helper()
		got, notes, err := ReadEntries(dir, 0)
		if err != nil || len(got) != 2 || len(notes) != wantNotes {
			t.Fatalf("%v, %q, %v; want two modes and %d notes", got, notes, err, wantNotes)
		}
		if e := got[a]; !slices.Equal(e.TimesMS, []float64{100, 110, 120}) ||
			!slices.Equal(e.PowersW, []float64{21, 23}) {
			t.Errorf("mode a: %+v", e)
		}
		if e := got[b]; !slices.Equal(e.TimesMS, []float64{50}) || e.PowersW != nil {
			t.Errorf("mode b: %+v", e)
		}
	}
	check(0)
	raw := filepath.Join(dir, minibatchesName)
	text := must.Read(t, raw)
	torn := string(text) + strings.Replace(string(text[strings.LastIndex(string(text[:len(text)-1]), "\n")+1:]),
		"20.000", "soon", 1) + "21.000,4,16"
	must.NoError(t, os.WriteFile(raw, []byte(torn), 0o644))
	check(1)
	if got, notes, err := ReadEntries(t.TempDir(), 0); err != nil || len(got) != 0 || notes != nil {
		t.Errorf("without raw files: %v, %q, %v", got, notes, err)
	}
}

// The networks learn from the measurement of the row, and from no earlier one that was throttled or interrupted. All
// measurements of a mode that has several rows count.
func TestReadEntriesLeavesOutWhatHasNoRow(t *testing.T) {
	t.Parallel()
	set := tegra.Setting{Mode: tegra.Mode{Cores: 2, CPU: 1651200 * tegra.KHz, GPU: 624750000, EMC: 3199 * tegra.MHz}}
	type run struct {
		from      time.Duration
		ms, watts float64
		row       Status // "" for none
		resumed   bool
	}
	for name, c := range map[string]struct {
		runs          []run
		times, powers []float64
	}{
		"throttled and tried again": {[]run{{from: 20, ms: 1500, watts: 12}, {from: 60, ms: 1000, watts: 20, row: OK}},
			[]float64{1000, 1000}, []float64{20, 20}},
		"interrupted and resumed": {[]run{{from: 300, ms: 1000, watts: 12},
			{from: 20, ms: 1000, watts: 20, row: OK, resumed: true}}, []float64{1000, 1000}, []float64{20, 20}},
		"failed and redone": {[]run{{from: 20, ms: 1500, watts: 12, row: Throttled},
			{from: 10, ms: 1000, watts: 20, row: Unstable, resumed: true}}, []float64{1000, 1000}, []float64{20, 20}},
		"repeated across a resume": {[]run{{from: 300, ms: 1500, watts: 12, row: OK},
			{from: 20, ms: 1000, watts: 20, row: OK, resumed: true}}, []float64{1500, 1500, 1000, 1000},
			[]float64{12, 12, 20, 20}},
		"interrupted alone": {[]run{{from: 20, ms: 1500, watts: 12}}, []float64{1500, 1500}, []float64{12, 12}},
	} {
		dir := filepath.Join(t.TempDir(), "c")
		r, err := Create(dir, testHeader(t))
		must.NoError(t, err)
		for _, run := range c.runs {
			if run.resumed {
				if err = errors.Join(err, r.Close()); err != nil {
					t.Fatal(name, err)
				}
				if r, err = OpenOrCreate(dir, testHeader(t), true); err != nil {
					t.Fatal(name, err)
				}
			}
			for i, why := range []string{WhyFirst, "", ""} {
				at := run.from*time.Second + time.Duration(float64(i)*run.ms*1e6)
				of := telemetry.Sample{T: at, Valid: why == ""}
				of.Reading.TotalW = tegra.Some(run.watts)
				err = errors.Join(err, r.Sample(set, of), r.Minibatch(set,
					harness.Event{Kind: harness.Minibatch, T: at, TimeMS: run.ms}, why))
			}
			if run.row != "" {
				row := exampleRows()[0]
				row.Setting, row.Status = set, run.row
				err = errors.Join(err, r.Append(row))
			}
		}
		if err = errors.Join(err, r.Close()); err != nil {
			t.Fatal(name, err)
		}
		got, notes, err := ReadEntries(dir, 0)
		e := got[set.Mode]
		if err != nil || len(notes) > 0 || !slices.Equal(e.TimesMS, c.times) || !slices.Equal(e.PowersW, c.powers) {
			t.Errorf("%s: %+v, notes %q, %v, want %v ms and %v W", name, e, notes, err, c.times, c.powers)
		}
	}
}

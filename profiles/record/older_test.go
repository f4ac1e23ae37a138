package record

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
	"jtune/telemetry"
)

// older writes a folder as versions before the mean did: without the last columns, with medians.
func older(t *testing.T, raw bool) (dir string, h Header, at tegra.Mode) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "campaign")
	h = testHeader(t)
	r := must.Get(Create(dir, h))(t)
	row := exampleRows()[0]
	at = row.Mode
	for i := range 40 {
		took, now := 5.0, time.Duration(i/4)*210*time.Millisecond+time.Duration(i%4+1)*5*time.Millisecond
		if i%4 == 3 {
			took, now = 195, now+190*time.Millisecond
		}
		e := harness.Event{T: time.Minute + now, TimeMS: took}
		if raw {
			must.NoError(t, r.Minibatch(row.Setting, e, ""))
		}
	}
	for i := range 20 {
		s := telemetry.Sample{T: time.Minute + time.Duration(i+1)*100*time.Millisecond, Valid: true}
		s.Reading.TotalW = tegra.Some(10 + 20*float64(i%4/3))
		must.NoError(t, r.Sample(row.Setting, s))
	}
	row.TimeMS, row.TimeIQRMS, row.PowerW, row.PowerIQRW, row.Minibatches, row.PowerSamples = 5, 47.5, 10, 5, 40, 20
	row.TimeMedianMS = tegra.Val[float64]{}
	must.NoError(t, r.Append(row))
	must.NoError(t, r.Close())
	path := filepath.Join(dir, modesName)
	text := must.Read(t, path)
	old := strings.Replace(string(text), ","+strings.Join(laterModes, ","), "", 1)
	old = strings.Replace(old, "Z,,,", "Z", 1)
	if old == string(text) || strings.Contains(old, laterModes[0]) {
		t.Fatalf("not the form of an older version:\n%s", old)
	}
	must.NoError(t, os.WriteFile(path, []byte(old), 0o600))
	return dir, h, at
}

func TestReadOlderRowsGetMeansFromTheirMinibatchesAndSamples(t *testing.T) {
	t.Parallel()
	dir, _, _ := older(t, true)
	_, rows, notes, err := ReadNoted(dir)
	if err != nil || len(rows) != 1 || len(notes) != 0 {
		t.Fatalf("%d rows, %v, %v", len(rows), notes, err)
	}
	r := rows[0]
	if r.Medians() || math.Abs(r.TimeMS-52.5) > 1e-6 || r.TimeMedianMS != tegra.Some(5.0) ||
		math.Abs(r.PowerW-15) > 1 ||
		!r.Errors.Time.OK ||
		!r.Errors.Power.OK {
		t.Errorf("%+v, want the means 52.5 ms and 15 W with their errors", r)
	}
}

func TestReadOlderRowsWithoutMinibatchesStayMedians(t *testing.T) {
	t.Parallel()
	dir, _, _ := older(t, false)
	_, rows, err := Read(dir)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	r := rows[0]
	if !r.Medians() || r.TimeMS != 5 || r.PowerW != 10 || !(r.Errors.Time.V > 1) || !(r.Errors.Power.V > 0.05) {
		t.Errorf("%+v, want the medians 5 ms and 10 W with errors from the quartiles", r)
	}
}

func TestOpenAddsTheLaterColumnsToAnOlderRecord(t *testing.T) {
	t.Parallel()
	dir, h, _ := older(t, false)
	path := filepath.Join(dir, modesName)
	text, _ := os.ReadFile(path)
	for name, tail := range map[string]string{
		"": "", "an unreadable line": "a,\"b,c\",d\n", "a torn line": "12,2201600,13",
	} {
		must.NoError(t, os.WriteFile(path, append(slices.Clone(text), tail...), 0o600))
		r, err := OpenOrCreate(dir, h, true)
		if err != nil {
			t.Fatal(name, err)
		}
		row := exampleRows()[0]
		row.TimeMS, row.TimeMedianMS = 60, tegra.Some(58.0)
		row.Errors = tegra.Errors{Time: tegra.Some(0.004), Power: tegra.Some(0.01)}
		if err := r.Append(row); err != nil {
			t.Fatal(name, err)
		}
		r.Close()
		_, rows, notes, err := ReadNoted(dir)
		if err != nil || len(rows) != 2 || !rows[0].Medians() || rows[1].Medians() || rows[1].Errors != row.Errors {
			t.Errorf("%s: %v, %v, rows %+v", name, err, notes, rows)
		}
		if now, _ := os.ReadFile(path); name == "an unreadable line" && !strings.Contains(string(now), tail) {
			t.Error("the unreadable line was changed")
		}
	}
}

func TestParseRowsFindsTheLaterColumnsByName(t *testing.T) {
	t.Parallel()
	row := exampleRows()[0]
	row.TimeMedianMS, row.Errors.Power = tegra.Some(58.0), tegra.Some(0.01)
	names, fields := slices.Clone(Columns), row.Fields()
	first := len(Columns) - len(laterModes)
	names, fields = append(names, "note"), append(fields, "x") // their order changes, and they stand elsewhere
	slices.Reverse(names[first:])
	slices.Reverse(fields[first:])
	rows, bad := parseRows([]byte(csvlines.Line(names) + csvlines.Line(fields)))
	if len(bad) != 0 || len(rows) != 1 || rows[0].TimeMedianMS != row.TimeMedianMS || rows[0].Errors != row.Errors ||
		fmt.Sprint(rows[0].Extra) != "[x]" {
		t.Errorf("%v, %+v", bad, rows)
	}
}

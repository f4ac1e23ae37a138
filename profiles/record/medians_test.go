package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
)

// A file of medians lacks the last columns: its rows have errors from the quartiles, and it goes on without them.
func TestReadMediansHaveErrorsFromTheirQuartiles(t *testing.T) {
	t.Parallel()
	dir, h := filepath.Join(t.TempDir(), "campaign"), testHeader(t)
	r := must.Get(Create(dir, h))(t)
	row := exampleRows()[0]
	row.TimeMS, row.TimeIQRMS, row.PowerW, row.PowerIQRW, row.Minibatches, row.PowerSamples = 5, 47.5, 10, 5, 40, 20
	row.TimeMedianMS = tegra.Val[float64]{}
	must.NoError(t, r.Append(row))
	must.NoError(t, r.Close())
	path := filepath.Join(dir, modesName)
	text := must.Read(t, path)
	medians := strings.Replace(string(text), ","+strings.Join(laterModes, ","), "", 1)
	medians = strings.Replace(medians, "Z,,,", "Z", 1)
	if medians == string(text) || strings.Contains(medians, laterModes[0]) {
		t.Fatalf("not a file of medians:\n%s", medians)
	}
	must.NoError(t, os.WriteFile(path, []byte(medians), 0o600))
	_, rows, err := Read(dir)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	got := rows[0]
	if !got.Medians() || got.TimeMS != 5 || got.PowerW != 10 || !(got.Errors.Time.V > 1) ||
		!(got.Errors.Power.V > 0.05) {
		t.Errorf("%+v, want the medians 5 ms and 10 W with errors from the quartiles", got)
	}
	r = must.Get(OpenOrCreate(dir, h, true))(t)
	must.NoError(t, r.Append(row))
	must.NoError(t, r.Close())
	if _, rows, err = Read(dir); err != nil || len(rows) != 2 || !rows[1].Medians() {
		t.Errorf("resumed: %+v, %v", rows, err)
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

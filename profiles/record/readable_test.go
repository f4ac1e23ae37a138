package record

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
)

// Foreign counters brought about values without a number, and the modes were lost when the campaign was read.
func TestRecordTakesNoRowThatItCannotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := must.Get(Create(dir, testHeader(t)))(t)
	good := exampleRows()[0]
	for name, bad := range map[string]func(*Row){
		"an infinite time":     func(r *Row) { r.TimeMS = math.Inf(1) },
		"no time":              func(r *Row) { r.TimeMS = math.NaN() },
		"an infinite power":    func(r *Row) { r.PowerW = math.Inf(1) },
		"an infinite spread":   func(r *Row) { r.TimeIQRMS = math.Inf(1) },
		"an infinite energy":   func(r *Row) { r.EnergyJ = math.Inf(1) },
		"a stall of no number": func(r *Row) { r.StallMS = tegra.Some(math.NaN()) },
		"another status":       func(r *Row) { r.Status = "x" },
	} {
		row := good
		bad(&row)
		if err := r.Append(row); err == nil || !strings.Contains(err.Error(), "could not be read again") {
			t.Errorf("%s: %v", name, err)
		}
	}
	must.NoError(t, r.Append(good))
	must.NoError(t, r.Close())
	if _, rows, err := Read(dir); err != nil || len(rows) != 1 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// A header that is too long would hide its campaign from all lists.
func TestRecordWritesNoHeaderThatItCannotRead(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	h := testHeader(t)
	h.Plan.Source = strings.Repeat("x", 3<<20)
	if _, err := Create(dir, h); err == nil || !strings.Contains(err.Error(), "larger than 1048576 bytes") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, headerName)); err == nil {
		t.Error("it is there")
	}
}

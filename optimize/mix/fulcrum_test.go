package mix

import (
	"compress/gzip"
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/sweep/sweeptest"
)

// fulcrumRows returns the numbers of a file of Fulcrum's results, by column, without empty cells.
func fulcrumRows(t *testing.T, name string) []map[string]float64 {
	t.Helper()
	f := must.Get(os.Open(sweeptest.Shared(t, "data/sweeps/powertrain-agx-orin/fulcrum_baselines/"+name)))(t)
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(t)
	all := must.Get(csv.NewReader(z).ReadAll())(t)
	var out []map[string]float64
	for _, line := range all[1:] {
		row := map[string]float64{}
		for i, cell := range line {
			if v, err := strconv.ParseFloat(cell, 64); err == nil {
				row[all[0][i]] = v
			}
		}
		out = append(out, row)
	}
	return out
}

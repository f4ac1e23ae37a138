package record

import (
	"jtune/internal/stats"
	"jtune/tegra"
)

// ImportKind is the kind of plan of a campaign that was measured elsewhere.
const ImportKind = "import"

// withErrors returns rows in which medians of time and power, as an import keeps them, have errors from their
// quartiles.
func withErrors(rows []Row) []Row {
	for i := range rows {
		if r := &rows[i]; r.Medians() {
			r.Errors = tegra.Errors{Time: quartileError(r.TimeIQRMS, r.TimeMS, r.Minibatches),
				Power: quartileError(r.PowerIQRW, r.PowerW, r.PowerSamples)}
		}
	}
	return rows
}

// quartileError returns the relative standard error of a median; absent if it is unknown.
func quartileError(iqr, median float64, n int) tegra.Val[float64] {
	return tegra.Finite(stats.ErrorOfMedian(iqr, median, n))
}

package record

import (
	"math"
	"os"
	"path/filepath"
	"time"

	"jtune/internal/stats"
	"jtune/tegra"
	"jtune/telemetry"
)

// Older versions of jtune recorded medians of time and power, without errors:
//
//	row of medians ──► its minibatches and samples, by their times ──► means with errors
//	               └─► none, or others ──► the medians, with errors from the quartiles
//
// An import keeps the medians of the tables that it comes from.

// ImportKind is the kind of plan of a campaign that was measured elsewhere.
const ImportKind = "import"

// mostOlder is the largest minibatches.csv that is read for this: hundreds of modes, in a second.
const mostOlder = 32 << 20

// measuredAgain returns rows in which those of medians have means or errors.
func measuredAgain(dir string, h Header, rows []Row) []Row {
	bySize := map[int]map[tegra.Mode]*attempts{}
	nth := map[tegra.Setting]int{} // usable rows of a setting so far
	count := map[tegra.Setting]int{}
	for _, r := range rows {
		if r.Status.Usable() {
			count[r.Setting]++
		}
	}
	for i := range rows {
		r := &rows[i]
		if !r.Status.Usable() {
			continue
		}
		k := nth[r.Setting]
		nth[r.Setting]++
		if !r.Medians() {
			continue
		}
		r.Errors = tegra.Errors{Time: quartileError(r.TimeIQRMS, r.TimeMS, r.Minibatches),
			Power: quartileError(r.PowerIQRW, r.PowerW, r.PowerSamples)}
		if h.Plan.Kind == ImportKind {
			continue
		}
		of, read := bySize[r.Batch]
		if st, err := os.Stat(filepath.Join(dir, minibatchesName)); !read && err == nil && st.Size() <= mostOlder {
			of, _, _ = readMeasured(dir, r.Batch) // without samples there are none
			bySize[r.Batch] = of
		}
		a := of[r.Mode]
		if a == nil {
			continue
		}
		if a.Keep(count[r.Setting]); len(a.Singles()) == count[r.Setting] {
			r.fromSingle(a.Singles()[k])
		}
	}
	return rows
}

// quartileError returns the relative standard error of a median; absent if it is unknown.
func quartileError(iqr, median float64, n int) tegra.Val[float64] {
	return tegra.Finite(stats.ErrorOfMedian(iqr, median, n))
}

// fromSingle sets the means of a measurement if it is the row's: its medians are the row's.
func (r *Row) fromSingle(s single) {
	same := func(list []float64, median float64) bool { return math.Abs(stats.Median(list)/median-1) < 1e-5 }
	if !same(s.TimesMS, r.TimeMS) || !same(s.PowersW, r.PowerW) {
		return
	}
	units := make([]float64, len(s.TimesMS))
	for i := range units {
		units[i] = 1
	}
	took := stats.MeanOf(s.TimesMS, units)
	var energy telemetry.Energy
	energy.Begin(0)
	for i, w := range s.PowersW {
		energy.Add(time.Duration(s.At[i]*float64(time.Second)), w)
	}
	if energy.Span() == 0 {
		return
	}
	r.TimeMedianMS = tegra.Some(r.TimeMS)
	r.TimeMS, r.PowerW = took.Mean, RoundW(energy.MeanW())
	r.EnergyJ = r.Measured.EnergyJ()
	r.Errors = tegra.Errors{Time: tegra.Finite(took.Relative()), Power: energy.Error()}
}

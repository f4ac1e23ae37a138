package bench

import (
	"fmt"
	"math"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/tegra"
)

// sameWorkload is the largest median relative difference of times of one workload: the published training sweeps differ
// from each other by a third and more, the shipped networks from their own by 2 %.
const sameWorkload = 0.10

// reference returns the reference to score with, and a note on it.
func (f *truth) reference(r *learn.Reference) (ref *learn.Reference, note string) {
	if r == nil {
		return nil, "left out, no reference given"
	}
	return r, f.ownWorkload(r)
}

// ownWorkload returns a note if a reference is the sweep's own workload: its times, or its networks' times, match the
// sweep's. A method that uses it is then not tested on a new workload. "" if
// they differ.
func (f *truth) ownWorkload(r *learn.Reference) string {
	if off := f.distance(r); off < sameWorkload {
		return fmt.Sprintf("reference %s seems to be this sweep's own workload "+
			"(the times differ by %.1f %% in the median): errors for a new one are larger", r.Name, 100*off)
	}
	return ""
}

// distance returns the median relative difference of a reference's times from the sweep's; +Inf if they share no mode.
func (f *truth) distance(r *learn.Reference) float64 {
	var off []float64
	switch {
	case len(r.Samples) > 0:
		at := make(map[tegra.Mode]float64, len(r.Samples))
		for _, m := range r.Samples {
			at[m.Mode] = m.TimeMS
		}
		for _, i := range f.rows {
			if ms, ok := at[f.all[i].Mode]; ok {
				off = append(off, math.Abs(ms/f.truth[i].TimeMS-1))
			}
		}
	case r.Networks != nil:
		times, _ := r.Networks.Predict(f.modes())
		for k, i := range f.rows {
			off = append(off, math.Abs(times[k]/f.truth[i].TimeMS-1))
		}
	}
	if len(off) == 0 {
		return math.Inf(1)
	}
	return stats.Median(off)
}

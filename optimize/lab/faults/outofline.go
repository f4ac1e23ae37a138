package faults

import (
	"cmp"
	"math"
	"slices"

	"jtune/internal/stats"
	"jtune/tegra"
)

// Single rows of a sweep may have been measured at another clock than they say. In the published
// training sweeps of an AGX Orin some modes of 2 cores take half or a third of the time that the next
// clocks of the GPU take. No model is needed to see that: along the GPU's clock, all else equal, time
// falls, and by no more than the clock rises. Rows that take too little time are found first,
// since they make their neighbours look slow.

const (
	lineBeside  = 4    // readings on each side that a row is compared with
	lineLeast   = 3    // fewer of a side say nothing
	fastForNext = 0.20 // of ln time: more below the readings at higher clocks is too fast
	fastForLast = 0.15 // more below what those at lower clocks are worth at this one
	slowForLast = 0.20 // more above the readings at lower clocks is too slow
	slowForNext = 0.25 // more above what those at higher clocks are worth at this one
)

// OutOfLine lists the rows, by index and ascending, that took less or more time than those at the GPU's
// neighbouring clocks allow.
func OutOfLine(rows []tegra.Measured) (fast, slow []int) {
	runs := map[tegra.Setting][]int{} // rows that differ in the GPU's clock alone
	for i, r := range rows {
		at := r.Setting
		at.Mode.GPU = 0
		if stats.Positive(r.TimeMS) {
			runs[at] = append(runs[at], i)
		}
	}
	for _, run := range runs {
		slices.SortFunc(run, func(a, b int) int { return cmp.Compare(rows[a].Mode.GPU, rows[b].Mode.GPU) })
		low := tooFast(rows, run)
		fast = append(fast, low...)
		run = slices.DeleteFunc(run, func(i int) bool { return slices.Contains(low, i) })
		slow = append(slow, tooSlow(rows, run)...)
	}
	slices.Sort(fast)
	slices.Sort(slow)
	return fast, slow
}

func tooFast(rows []tegra.Measured, run []int) []int {
	return offLine(rows, run, func(t float64, n neighbours) bool {
		return t < n.higher-fastForNext || t < n.fromLower-fastForLast
	})
}

func tooSlow(rows []tegra.Measured, run []int) []int {
	return offLine(rows, run, func(t float64, n neighbours) bool {
		return t > n.lower+slowForLast || t > n.fromHigher+slowForNext
	})
}

// neighbours are medians of ln time at the GPU's next clocks on both sides, as read and scaled to this
// clock as if time were its inverse; NaN where too few were measured.
type neighbours struct{ lower, fromLower, higher, fromHigher float64 }

// offLine lists the rows of a run that odd finds, given ln time.
func offLine(rows []tegra.Measured, run []int, odd func(t float64, n neighbours) bool) []int {
	var out []int
	for k, i := range run {
		before, after := run[max(0, k-lineBeside):k], run[k+1:min(len(run), k+1+lineBeside)]
		var n neighbours
		n.lower, n.fromLower = lineOf(rows, before, rows[i].Mode.GPU)
		n.higher, n.fromHigher = lineOf(rows, after, rows[i].Mode.GPU)
		if odd(math.Log(rows[i].TimeMS), n) {
			out = append(out, i)
		}
	}
	return out
}

// lineOf is the median of ln time of some rows, as read and scaled to a clock of the GPU.
func lineOf(rows []tegra.Measured, index []int, gpu tegra.Freq) (read, scaled float64) {
	if len(index) < lineLeast {
		return math.NaN(), math.NaN()
	}
	var as, at []float64
	for _, i := range index {
		t := math.Log(rows[i].TimeMS)
		as, at = append(as, t), append(at, t+math.Log(rows[i].Mode.GPU.GHz()/gpu.GHz()))
	}
	return stats.Median(as), stats.Median(at)
}

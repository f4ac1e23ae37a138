package bench

import (
	"cmp"
	"math"
	"slices"

	"jtune/internal/stats"
	"jtune/tegra"
)

// Single rows of a sweep may have been measured at other clocks than stated. In the published training sweeps of an AGX
// Orin some modes of 2 cores take half or a third of the time at the next GPU clocks. This is visible without a model:
// along the GPU clock, all else equal, time falls, and at most in proportion to the clock. Rows that are too fast are
// found first, since they make their neighbours look slow.

const (
	lineBeside  = 4    // readings on each side for comparison
	lineLeast   = 3    // with fewer on a side, no comparison
	fastForNext = 0.20 // of ln time: further below the readings at higher clocks is too fast
	fastForLast = 0.15 // likewise below those at lower clocks, scaled to this one
	slowForLast = 0.20 // further above the readings at lower clocks is too slow
	slowForNext = 0.25 // likewise above those at higher clocks, scaled to this one
)

// outOfLine lists the rows, by ascending index, that are too fast or too slow for the neighbouring GPU clocks.
func outOfLine(rows []tegra.Measured) (fast, slow []int) {
	runs := map[tegra.Setting][]int{} // rows that differ only in the GPU clock
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

// neighbours are medians of ln time at the next GPU clocks on both sides, as read and scaled to this clock as if time
// were its inverse; NaN if too few were measured.
type neighbours struct{ lower, fromLower, higher, fromHigher float64 }

// offLine lists the rows of a run for which odd is true, given ln time.
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

// lineOf returns the median of ln time of some rows, as read and scaled to a GPU clock.
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

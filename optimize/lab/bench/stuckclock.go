package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/internal/sorted"
	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/tegra"
)

// A sweep may hold rows whose clock was requested but never set. The published inference sweeps of an AGX Orin contain
// such a block at 4 cores with memory at 2.13 GHz (ResNet with batch sizes 4, 32 and 64, MobileNet with all): from the
// second-lowest GPU clock on, time and power equal those of other core counts at the highest clock, while they double
// elsewhere. No method can predict such rows, and a search prefers them or exceeds a limit there. So they are reported
// and can be removed.

const (
	stuckShare     = 0.4 // share of the clock's effect elsewhere, below which it may have been stuck
	stuckTime      = 0.1 // largest change of ln time
	movingPower    = 0.1 // least change of ln power elsewhere
	leastStuckRuns = 3   // runs over the clock, at different CPU clocks
	leastClocks    = 4   // in such a run
	leastBlocks    = 4   // of one batch size, to know the usual effect
)

// block is the settings of a sweep that differ only in CPU and GPU clock.
type block struct {
	cores int
	emc   tegra.Freq
	batch int
}

// stuck finds the settings, by index, whose GPU clock seems not to have been set, and describes each block in words.
func stuck(rows []tegra.Measured) (index []int, words []string) {
	runs := map[block]map[tegra.Freq][]int{} // by CPU clock
	for i, r := range rows {
		at := block{r.Mode.Cores, r.Mode.EMC, r.Batch}
		if runs[at] == nil {
			runs[at] = map[tegra.Freq][]int{}
		}
		if stats.Positive(r.TimeMS, r.PowerW) {
			runs[at][r.Mode.CPU] = append(runs[at][r.Mode.CPU], i)
		}
	}
	type effect struct {
		block
		time, power float64 // medians of ln over the clock's range without its lowest value
	}
	usual := map[int][]float64{} // effects on power by batch size
	var all []effect
	for at, byCPU := range runs {
		var time, power []float64
		for _, run := range byCPU {
			sorted.By(run, func(a, b int) int { return cmp.Compare(rows[a].Mode.GPU, rows[b].Mode.GPU) })
			if n := len(run); n >= leastClocks {
				lo, hi := rows[run[1]], rows[run[n-1]]
				time, power = append(time, math.Log(hi.TimeMS/lo.TimeMS)), append(power, math.Log(hi.PowerW/lo.PowerW))
			}
		}
		if len(power) >= leastStuckRuns {
			e := effect{at, stats.Median(time), stats.Median(power)}
			all, usual[at.batch] = append(all, e), append(usual[at.batch], e.power)
		}
	}
	sorted.By(all, func(a, b effect) int {
		return cmp.Or(cmp.Compare(a.batch, b.batch), cmp.Compare(a.cores, b.cores), cmp.Compare(a.emc, b.emc))
	})
	for _, e := range all {
		most := stats.Median(usual[e.batch])
		if len(usual[e.batch]) < leastBlocks || most < movingPower || math.Abs(e.power) >= stuckShare*most ||
			math.Abs(e.time) >= stuckTime {
			continue
		}
		from := len(index)
		for _, run := range runs[e.block] {
			if len(run) >= leastClocks {
				index = append(index, run[1:]...)
			}
		}
		words = append(
			words,
			fmt.Sprintf("%d cores, memory at %s%s (%d settings)",
				e.cores, strings.TrimSpace(e.emc.String()), text.IfAny(", batch size %d", e.batch),
				len(index)-from),
		)
	}
	slices.Sort(index)
	return index, words
}

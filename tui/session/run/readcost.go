package run

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"jtune/internal/conclusion"
	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session/measure"
)

const (
	readPairs     = 8           // pairs of blocks, one of each kind, unless the request has fewer minibatches
	leastOfBlock  = 5           // minibatches
	readsPerBlock = 3           // least length of a block in intervals
	blockLasts    = time.Second // least duration of a block
)

// readTurns reads sensors in some blocks of a run and not in the others, in the order off, on, on, off, so that a
// steady drift cancels.
type readTurns struct {
	sampler *telemetry.Sampler
	clock   tegra.Clock
	every   time.Duration
	each    int // minibatches of each kind; 0: as many as fit in the blocks

	on      func() // ends the reading of this block; nil: a block without reading
	since   time.Duration
	block   []float64    // times of this block
	times   [2][]float64 // of all finished blocks: without, with reading
	means   [2][]float64 // mean time of each block
	started bool
}

// counts adds a minibatch and reports whether it counts as undisturbed by reading.
func (t *readTurns) counts(e harness.Event) bool {
	if !t.started {
		t.started, t.since = true, e.Earliest()
	}
	if e.Earliest() < t.since { // it began in the previous block
		return false
	}
	t.block = append(t.block, e.TimeMS)
	unread := t.on == nil
	if t.full() {
		t.turn()
	}
	return unread
}

// full reports whether this block has enough minibatches and time.
func (t *readTurns) full() bool {
	if t.each > 0 {
		most := max(1, (t.each+readPairs-1)/readPairs)
		return len(t.block) >= min(most, t.each-len(t.times[t.kind()]))
	}
	return len(t.block) >= leastOfBlock && t.clock.Now()-t.since >= max(blockLasts, readsPerBlock*t.every)
}

// kind returns 1 while sensors are read, else 0.
func (t *readTurns) kind() int {
	if t.on != nil {
		return 1
	}
	return 0
}

// turn ends a block and begins the next.
func (t *readTurns) turn() {
	k := t.kind()
	t.times[k] = append(t.times[k], t.block...)
	t.means[k] = append(t.means[k], stats.Mean(t.block))
	t.block = nil
	t.end()
	if n := len(t.means[0]) + len(t.means[1]); !t.done() && (n%4 == 1 || n%4 == 2) {
		t.on = t.sampler.Subscribe(t.every, func(telemetry.Sample) {})
	}
	t.since = t.clock.Now()
}

// end stops reading.
func (t *readTurns) end() {
	if t.on != nil {
		t.on()
		t.on = nil
	}
}

// done reports whether both kinds have everything that was requested.
func (t *readTurns) done() bool {
	if t.each > 0 {
		return len(t.times[0]) >= t.each && len(t.times[1]) >= t.each
	}
	return len(t.means[0]) >= readPairs && len(t.means[1]) >= readPairs
}

// cost compares the blocks.
func (t *readTurns) cost() *measure.ReadCost {
	out := &measure.ReadCost{Minibatches: len(t.times[1]), TimeMS: stats.OrZero(stats.Median(t.times[1])),
		ReadBlocks: measure.ReadBlocks{IntervalS: t.every.Seconds(), MeanMS: stats.OrZero(stats.Mean(t.times[1])),
			UnreadMS: stats.OrZero(stats.Mean(t.times[0])), Blocks: min(len(t.means[0]), len(t.means[1]))}}
	var pct []float64
	for i := range out.Blocks {
		pct = append(pct, 100*(t.means[1][i]/t.means[0][i]-1))
	}
	if len(pct) == 0 {
		return out
	}
	out.CostMS = tegra.Finite(out.MeanMS - out.UnreadMS)
	out.CostPct = tegra.Finite(stats.Mean(pct))
	if n := float64(len(pct)); n > 1 {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
		half := t * stat.StdDev(pct, nil) / math.Sqrt(n)
		out.LowPct, out.HighPct = tegra.Finite(out.CostPct.V-half), tegra.Finite(out.CostPct.V+half)
	}
	return out
}

var readCosts = conclusion.New("run: what reading costs", 4, func(c measure.ReadBlocks) string {
	every := time.Duration(c.IntervalS * float64(time.Second)).String()
	if !c.CostPct.OK {
		return "The workload ended before sensors had been read every " + every + " for long enough to compare: " +
			"let it run longer."
	}
	s := fmt.Sprintf("Reading sensors every %s: %s ms per minibatch with, %s ms without, %+.2f %% of the time", every,
		text.Of(c.MeanMS), text.Of(c.UnreadMS), c.CostPct.V)
	if !c.LowPct.OK || !c.HighPct.OK {
		return s + "; with one block of each kind the scatter is unknown."
	}
	s += fmt.Sprintf(" (95 %%: %+.2f to %+.2f; means of %d blocks of each kind by turns)", c.LowPct.V, c.HighPct.V,
		c.Blocks)
	if c.LowPct.V <= 0 && c.HighPct.V >= 0 {
		s += ": within the scatter of the times"
	}
	return s + "."
})

// sayCost describes what reading costs; "" unless the run measured it.
func sayCost(c *measure.ReadCost) string {
	if c == nil {
		return ""
	}
	return readCosts.Say(c.ReadBlocks)
}

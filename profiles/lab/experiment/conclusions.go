package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/internal/conclusion"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/tegra"
)

// tookPlace is the share by which two settings must differ, as measured, in what was set for their numbers to be
// compared.
const tookPlace = 0.05

// treatment is what tells two settings apart, as measured: not what was requested.
type treatment struct {
	What  string             // "the disk's MB/s"
	Share tegra.Val[float64] `turn:"0 0.2"` // by which it differs
}

// missing returns why two settings are not compared; "" when they are.
func (t treatment) missing() string {
	switch {
	case !t.Share.OK:
		return fmt.Sprintf("%s: whether %s differ is not known", conclusion.NotCompared, t.What)
	case t.Share.V < tookPlace:
		return fmt.Sprintf("%s: %s are the same in both", conclusion.NotCompared, t.What)
	}
	return ""
}

// change is a number of two settings.
type change struct {
	From  tegra.Val[float64] `shown:"0.5 400"`
	To    tegra.Val[float64] `shown:"0.5 400"`
	Noise float64            `shown:"0 100"` // a smaller difference is none
	Least float64            `shown:"0 10"`  // a smaller value is next to nothing
}

func (c change) known() bool { return c.From.OK && c.To.OK }

// moved reports whether the number differs beyond noise.
func (c change) moved() bool {
	return c.known() && c.From.V != c.To.V && max(c.From.V, c.To.V) >= c.Least && math.Abs(c.To.V-c.From.V) >= c.Noise
}

// within is the share within which both count as the same.
func (c change) within() string { return percent(c.Noise / c.From.V) }

func (c change) says(what string) string {
	switch {
	case !c.moved():
		return ""
	case min(c.From.V, c.To.V) < c.Least: // a percentage of almost nothing means nothing
		return fmt.Sprintf("%s %s to %s ms", what, text.Of(rounded(c.From.V)), text.Of(rounded(c.To.V)))
	}
	return what + " " + changed(c.From.V, c.To.V)
}

// comparison is how two settings differ.
type comparison struct {
	Treatment                           treatment
	Time, Stall, Compute, Power, Energy change
}

var comparing = conclusion.New("experiment: two settings", 5, func(c comparison) string {
	why := c.Treatment.missing()
	moved := list(c.Time.says("time"), c.Stall.says("stall"), c.Compute.says("compute"), c.Power.says("power"),
		c.Energy.says("energy"))
	switch {
	case !c.Time.known():
		return ""
	case why != "":
		return why
	case moved != "":
		return moved
	}
	return fmt.Sprintf("no difference beyond noise (%s)", c.Time.within())
})

// choice is which of several settings, in their order, is the first as good as the best.
type choice struct {
	MS       []float64 `turn:"90 120"`
	Noise    []float64 `turn:"0.03 0.2"` // share by which each may differ from the fastest
	Distinct int       `turn:"0 5"`      // how many different settings the job got
}

func (c choice) fastest() (at int) {
	for i, ms := range c.MS {
		if ms < c.MS[at] {
			at = i
		}
	}
	return at
}

// enough returns the first setting that is as fast as the fastest within noise.
func (c choice) enough() int {
	best := c.MS[c.fastest()]
	for i, ms := range c.MS {
		if ms-best < c.Noise[i]*best {
			return i
		}
	}
	return c.fastest()
}

var enoughWorkers = conclusion.New("experiment: workers", 4, func(c choice) string {
	at := c.enough()
	switch {
	case c.Distinct < 2:
		return "Loader processes are " + conclusion.NotCompared + ": the job ran with one number of them."
	case at == 0:
		return fmt.Sprintf("Loader processes change little: with {0} a minibatch takes %s ms, at best ({1}) %s ms.",
			short(c.MS[0]), short(c.MS[c.fastest()]))
	case at == len(c.MS)-1:
		return fmt.Sprintf("{2} is not one too many: of those that ran it is the fastest by more than %s.",
			percent(c.Noise[at]))
	}
	return fmt.Sprintf("{2} is enough: more bring less than %s.", percent(c.Noise[at]))
})

// paging is a training with the page cache kept and with it dropped before each epoch.
type paging struct {
	Reads         treatment
	MS            change // from dropped to kept
	Dropped, Kept string // what the disk read
}

var worthOfCache = conclusion.New("experiment: cache", 5, func(p paging) string {
	why := p.Reads.missing()
	from, to := short(p.MS.From.V), short(p.MS.To.V)
	switch {
	case !p.MS.known():
		return ""
	case why != "":
		return fmt.Sprintf("Disk and memory are %s (%s with the cache kept, %s with it dropped).", why, p.Kept,
			p.Dropped)
	case !p.MS.moved():
		return fmt.Sprintf("Whether the data come from the disk or from memory makes no difference beyond noise here: "+
			"%s and %s ms, less than %s apart.", from, to, p.MS.within())
	case p.MS.From.V > p.MS.To.V:
		return fmt.Sprintf("The page cache is worth %.0f %%: without it a minibatch takes %s ms, with it %s ms.",
			100*(1-p.MS.To.V/p.MS.From.V), from, to)
	}
	return fmt.Sprintf("With the cache dropped a minibatch took %s ms, with it %s ms: something else changed; repeat "+
		"it (%s 3).", from, to, usage.Repeat)
})

// inMemory is the share of the data in the page cache, in percent, above which no epoch reads them again.
const inMemory = 95

// preloading is a training that begins cold, and one with its data in memory.
type preloading struct {
	Reads treatment
	Pct   tegra.Val[float64] `turn:"0 100"` // in memory after whole epochs of the first
	MS    change
}

// preload advises to preload the data when a cold run does not bring them into memory and a run with the data in memory
// is faster.
var preload = conclusion.New("experiment: preload", 2, func(p preloading) string {
	if !p.Pct.OK || p.Pct.V >= inMemory || p.Reads.missing() != "" || !p.MS.moved() || p.MS.To.V > p.MS.From.V {
		return ""
	}
	return fmt.Sprintf("Preload the data (cache = \"preload\"): a run that begins cold has %s %% of them in memory "+
		"after whole epochs and takes %s ms a minibatch, preloaded it takes %s ms (%s).", short(p.Pct.V),
		short(p.MS.From.V), short(p.MS.To.V), changed(p.MS.From.V, p.MS.To.V))
})

// media are the storage media: cold without workers, and warm with four.
type media struct {
	Cold  []float64          `turn:"95 120"`
	Warm  []float64          `turn:"99 103"`
	Reads tegra.Val[float64] `turn:"0 1"` // least MB/s of the cold runs
}

// mostOverLeast returns 1 for less than two values.
func mostOverLeast(ms []float64) float64 {
	if len(ms) == 0 {
		return 1
	}
	return slices.Max(ms) / slices.Min(ms)
}

var mediaCompared = conclusion.New("experiment: storage", 3, func(m media) string {
	cold, warm := mostOverLeast(m.Cold), mostOverLeast(m.Warm)
	switch {
	case len(m.Cold) < 2:
		return ""
	case m.Reads.Or(0) < 0.1:
		return "The media are " + conclusion.NotCompared + ": a cold run read nothing, or what it read is unknown."
	}
	says := fmt.Sprintf("The slowest medium takes %.2f times as long as the fastest when cold without workers", cold)
	if len(m.Warm) > 1 {
		says += fmt.Sprintf(", %.2f times when warm with four", warm)
	}
	if len(m.Warm) > 1 && cold > 1+alike && warm <= 1+alike {
		says += ": a faster medium helps only where neither cache nor workers hide it"
	}
	return says + "."
})

// saturated is the share of the time per sample that doubling the batch must save for the GPU not to be full.
const saturated = 0.15

// Saturation returns the index of the batch size from which doubling it saves less than 15 % of the time per sample;
// found is false if even the largest one still does. Sizes double from one to the next.
func Saturation(msPerSample []float64) (at int, found bool) {
	for i := 1; i < len(msPerSample); i++ {
		if msPerSample[i] > (1-saturated)*msPerSample[i-1] {
			return i - 1, true
		}
	}
	return max(0, len(msPerSample)-1), false
}

// batches are batch sizes that double.
type batches struct {
	Sizes     []float64          `shown:"1 128"`
	PerSample []float64          `turn:"1 100"` // ms
	GPUPct    tegra.Val[float64] `shown:"50 100"`
	Distinct  int                `turn:"0 5"` // how many different sizes the job got
}

var saturation = conclusion.New("experiment: batch", 4, func(b batches) string {
	gpu := "."
	if b.GPUPct.OK {
		gpu = fmt.Sprintf("; the GPU is busy %.0f %% of the time.", b.GPUPct.V)
	}
	at, found := Saturation(b.PerSample)
	switch {
	case b.Distinct < 2:
		return "Batch sizes are " + conclusion.NotCompared + ": the job ran with one of them."
	case found:
		return fmt.Sprintf("From batch %.0f on doubling it shortens an epoch by less than %s: %s ms per sample, with "+
			"the next %s%s", b.Sizes[at], percent(saturated), short(b.PerSample[at]), short(b.PerSample[at+1]), gpu)
	}
	return fmt.Sprintf("An epoch still gets shorter at batch %.0f, the largest that ran: %s ms per sample%s",
		b.Sizes[at], short(b.PerSample[at]), gpu)
})

// cost is what a treatment costs in energy or power.
type cost struct {
	Treatment treatment
	Of        change
}

var energyOfClocks = conclusion.New("experiment: energy of free clocks", 2, func(c cost) string {
	if c.Treatment.missing() != "" || !c.Of.known() || c.Of.moved() || math.IsInf(c.Of.Noise, 1) {
		return ""
	}
	return fmt.Sprintf("It neither saves nor costs energy beyond noise: less than %s.", c.Of.within())
})

var costOfIdle = conclusion.New("experiment: base load", 5, func(c cost) string {
	why := c.Treatment.missing()
	switch {
	case !c.Of.known():
		return ""
	case why != "":
		return why + "."
	case !c.Of.moved():
		return fmt.Sprintf("no difference beyond noise (%.2f and %.2f W).", c.Of.From.V, c.Of.To.V)
	}
	return fmt.Sprintf("%+.2f W (%s).", c.Of.To.V-c.Of.From.V, changed(c.Of.From.V, c.Of.To.V))
})

// clockFall is a clock, locked and then free.
type clockFall struct {
	Clock   string
	Off, On tegra.Val[float64] `turn:"0.3 2.3"` // GHz
}

var clockFalls = conclusion.New("experiment: a clock falls", 2, func(c clockFall) string {
	if !c.Off.OK || !c.On.OK || c.On.V >= (1-tookPlace)*c.Off.V {
		return ""
	}
	return fmt.Sprintf("The %s clock falls from %.2f to %.2f GHz in the mean.", c.Clock, c.Off.V, c.On.V)
})

// powerStep is a drop of power from one epoch to the next that does not occur in steady training. The papers saw one
// after 16 h; it came from the sensor's logger, not from the board.
const powerStep = 0.12

// epochs are two epochs of one training.
type epochs struct {
	FromW, ToW   tegra.Val[float64] `turn:"10 40"`
	FromMS, ToMS float64            `turn:"95 105"`
}

var sensorFell = conclusion.New("experiment: power falls while the time stays", 2, func(e epochs) string {
	if !e.FromW.OK || !e.ToW.OK || e.ToW.V >= (1-powerStep)*e.FromW.V || math.Abs(e.ToMS/e.FromMS-1) >= alike {
		return ""
	}
	return fmt.Sprintf("the power reads %s while the time stays: doubt the sensor, not the board.",
		changed(e.FromW.V, e.ToW.V))
})

// extremes are the fastest setting of several, and those of least and most energy.
type extremes struct {
	FastMS float64 `shown:"50 400"`
	J      change  // from the least to the most
}

var bestMode = conclusion.New("experiment: modes", 3, func(e extremes) string {
	switch {
	case !e.J.known():
		return ""
	case !e.J.moved():
		return fmt.Sprintf("Fastest is {0} with %s ms; the energies do not differ beyond noise.", short(e.FastMS))
	}
	return fmt.Sprintf("Fastest is {0} with %s ms; least energy takes {1} with %s J, most {2} with %s J (%s).",
		short(e.FastMS), short(e.J.From.V), short(e.J.To.V), changed(e.J.From.V, e.J.To.V))
})

// withNames puts names into a sentence.
func withNames(sentence string, names ...string) string {
	for i, n := range names {
		sentence = strings.ReplaceAll(sentence, fmt.Sprintf("{%d}", i), n)
	}
	return sentence
}

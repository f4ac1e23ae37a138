// Package remarks says in sentences what the numbers of a run mean.
package remarks

import (
	"fmt"
	"math"

	"jtune/internal/conclusion"
	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/profiles/record"
	"jtune/tegra"
)

// Bound is what limits the time of a minibatch.
type Bound string

// Possible bounds.
const (
	BoundUnknown Bound = ""
	BoundLoader  Bound = "loader" // fetching and preprocessing the data
	BoundCPU     Bound = "CPU"    // launching kernels: the GPU idles although the data are ready
	BoundGPU     Bound = "GPU"
)

// LongWait is the share of the time from which a wait for data is worth a remark, whatever limits the rest.
const LongWait = 0.10

// Limits between the bounds: large networks keep a GPU 99 % busy where small ones reach 25 % (the 2022 study, batch
// size experiments).
const (
	busyGPUPct = 70
	busyCPUPct = 85
	coldPct    = 95   // of the dataset in the page cache, below which it is read from the disk
	slower     = 1.05 // times as long as the later ones, from which a first epoch is worth a remark
	mostlyBase = 50   // per cent of the energy that the idle device draws
)

// pace is what a run shows of a minibatch that represents long training.
type pace struct {
	Serving   bool
	MS        float64            `turn:"0 200"`
	StallMS   tegra.Val[float64] `turn:"0 200"` // the GPU waits for data
	ComputeMS tegra.Val[float64] `turn:"0 200"`
	GPUPct    tegra.Val[float64] `turn:"0 100"`
}

func paceOf(c *record.Character) pace {
	p := c.Steady()
	return pace{c.Serving != nil, p.TimeMS, p.StallMS, p.ComputeMS, p.GPUPct}
}

// stallPct is the share of the time in which the GPU waits for data.
func (p pace) stallPct() float64 {
	if !p.StallMS.OK || p.MS <= 0 {
		return 0
	}
	return 100 * p.StallMS.V / p.MS
}

// bound is the loader when the GPU waits for data longer than it works; otherwise it depends on how busy the GPU is
// while it has data.
func (p pace) bound() Bound {
	stall := p.StallMS.OK && p.MS > 0
	switch {
	case stall && p.StallMS.V > p.ComputeMS.Or(p.MS-p.StallMS.V):
		return BoundLoader
	case !p.GPUPct.OK:
		return BoundUnknown
	case p.GPUPct.V >= busyGPUPct*(1-p.stallPct()/100):
		return BoundGPU
	case stall:
		return BoundCPU
	}
	return BoundUnknown
}

// BoundOf returns what limits the time; BoundUnknown when the job or the device reports too little.
func BoundOf(c *record.Character) Bound {
	if c.Steady().Minibatches == 0 {
		return BoundUnknown
	}
	return paceOf(c).bound()
}

// limits says what limits the time of a minibatch.
var limits = conclusion.New("run: what limits the time", 8, func(p pace) string {
	stall := p.stallPct()
	switch b := p.bound(); {
	case b == BoundLoader && p.Serving:
		return fmt.Sprintf("Input-bound: the job waits for its input %.0f %% of the time: prepare inputs with less "+
			"work, or with more or faster cores.", stall)
	case b == BoundLoader:
		return fmt.Sprintf("Loader-bound: the job waits for data %.0f %% of the time.", stall)
	case b == BoundGPU:
		return fmt.Sprintf("GPU-bound: GPU busy %.0f %%%s.", p.GPUPct.V, p.waits())
	case b == BoundCPU && p.Serving:
		return fmt.Sprintf("CPU-bound: the GPU is busy %.0f %% of the time, yet the job waits for input only %.0f "+
			"%%. Larger batches, or more requests at a time, use it better.", p.GPUPct.V, stall)
	case b == BoundCPU:
		return fmt.Sprintf("CPU-bound: the GPU is busy %.0f %% of the time, yet the job waits for data only %.0f "+
			"%%. jtune lab experiment batch measures the gain from a larger batch.", p.GPUPct.V, stall)
	}
	return ""
})

// waits ends a sentence about the GPU's busy share with the share of the time, in percent, in which the job waits for
// data, if it reports that. The GPU works on queued kernels while the job waits, so the sum may exceed 100 %.
func (p pace) waits() string {
	switch {
	case !p.StallMS.OK:
		return " of the time"
	case math.Round(p.GPUPct.V)+math.Round(p.stallPct()) > 100:
		return fmt.Sprintf(", job waiting for data %.0f %% of the time (overlapping)", p.stallPct())
	}
	return fmt.Sprintf(", job waiting for data %.0f %% of the time", p.stallPct())
}

// loading is how a training's data come.
type loading struct {
	Pace    pace
	Workers int                `turn:"0 4"`
	Fault   string             `turn:"absent"` // why loader processes break the job
	CPUPct  tegra.Val[float64] `turn:"0 100"`
	// ReadMBs and CachedPct count only if whole epochs were to bring the data into memory: Whole. Reads in epoch 0
	// alone do not.
	Whole     bool
	ReadMBs   tegra.Val[float64] `turn:"0 2"`
	CachedPct tegra.Val[float64] `turn:"0 100"`
}

func loadingOf(c *record.Character) loading {
	p := c.Steady()
	l := loading{paceOf(c), c.Workers, c.LoaderFault, p.CPUPct, c.SteadyIsLater(), p.ReadBytesPerS,
		percent(c.CacheAfter)}
	l.ReadMBs.V /= 1e6
	return l
}

func percent(share tegra.Val[float64]) tegra.Val[float64] {
	return tegra.Val[float64]{V: 100 * share.V, OK: share.OK}
}

// faster says what could make loading faster, if a training waits long for its data.
var faster = conclusion.New("run: loading", 7, func(l loading) string {
	b, stall := l.Pace.bound(), l.Pace.stallPct()
	switch {
	case l.Pace.Serving || b == BoundUnknown || b != BoundLoader && stall < 100*LongWait:
		return ""
	case l.Workers == 0 && l.Fault != "":
		return fmt.Sprintf("It loads in the training process (workers = 0): %s.", l.Fault)
	case l.Workers == 0:
		return "It loads in the training process (workers = 0): jtune lab experiment workers measures the gain from " +
			"loader processes."
	case l.Whole && l.ReadMBs.Or(0) > 1 && l.CachedPct.Or(100) < coldPct:
		return fmt.Sprintf("The data come from the disk in every epoch, at %.0f MB/s; %.0f %% of them are in memory: "+
			"jtune lab experiment cache measures what that costs.", l.ReadMBs.V, l.CachedPct.V)
	case l.CPUPct.OK && l.CPUPct.V >= busyCPUPct:
		return fmt.Sprintf("The cores are %.0f %% busy with workers = %d: more workers find no free core.", l.CPUPct.V,
			l.Workers)
	case l.CPUPct.OK:
		return fmt.Sprintf("The cores are %.0f %% busy with workers = %d: jtune lab experiment workers measures the "+
			"gain from more.", l.CPUPct.V, l.Workers)
	}
	return fmt.Sprintf("It has workers = %d: jtune lab experiment workers measures the gain from more.", l.Workers)
})

// kept is how much of the dataset is in memory after epochs beyond the first.
type kept struct {
	Later     bool
	CachedPct tegra.Val[float64] `turn:"0 100"`
}

var notKept = conclusion.New("run: data do not stay in memory", 2, func(k kept) string {
	if !k.Later || !k.CachedPct.OK || k.CachedPct.V >= coldPct {
		return ""
	}
	return fmt.Sprintf("After whole epochs %.0f %% of the dataset are in memory: it does not stay there, each epoch "+
		"reads it again.", k.CachedPct.V)
})

// epochs are the times of a minibatch in epoch 0 and in the later ones.
type epochs struct {
	FirstMS tegra.Val[float64] `turn:"50 200"`
	LaterMS tegra.Val[float64] `turn:"50 200"`
}

var firstSlower = conclusion.New("run: the first epoch", 2, func(e epochs) string {
	if !e.FirstMS.OK || !e.LaterMS.OK || e.FirstMS.V <= slower*e.LaterMS.V {
		return ""
	}
	return fmt.Sprintf("The first epoch is %.0f %% slower than the later ones.", 100*(e.FirstMS.V/e.LaterMS.V-1))
})

// based is the share of the energy that the idle device draws.
type based struct {
	Pct tegra.Val[float64] `turn:"0 100"`
}

var idleDraws = conclusion.New("run: base load", 2, func(b based) string {
	if b.Pct.Or(0) < mostlyBase {
		return ""
	}
	return fmt.Sprintf("%.0f %% of the energy is what the idle device draws: whatever makes an epoch shorter saves "+
		"energy.", b.Pct.V)
})

// fallen is a sudden drop of the measured power while the work went on at the same pace.
type fallen struct {
	Minutes tegra.Val[float64] `turn:"1 1000"` // before it; absent: there was none
	FromW   float64            `shown:"10 40"`
	ToW     float64            `shown:"10 40"`
}

var sensorFell = conclusion.New("run: power falls at the same pace", 2, func(f fallen) string {
	if !f.Minutes.OK {
		return ""
	}
	at := units.SpanOf(60 * f.Minutes.V)
	return fmt.Sprintf("After %s the measured power fell from %.1f to %.1f W at the same pace: the sensor or what "+
		"reads it is in doubt, and power and energy of all after it.", at, f.FromW, f.ToW)
})

// About explains what the numbers of a run mean for its workload, most important first. Every text follows from a
// measured value.
func About(c *record.Character) []string {
	var out text.Lines
	fell := fallen{tegra.Val[float64]{V: c.Drop.V.At.Minutes(), OK: c.Drop.OK}, c.Drop.V.FromW, c.Drop.V.ToW}
	out = append(out, sensorFell.Say(fell))
	if c.Steady().Minibatches > 0 {
		out = append(out, limits.Say(paceOf(c)), faster.Say(loadingOf(c)))
	}
	ms := func(p tegra.Val[record.Part]) tegra.Val[float64] { return tegra.Val[float64]{V: p.V.TimeMS, OK: p.OK} }
	return text.Said(append(out, notKept.Say(kept{c.Later.OK, percent(c.CacheAfter)}),
		firstSlower.Say(epochs{ms(c.First), ms(c.Later)}), idleDraws.Say(based{percent(c.BaseShare())}))...)
}

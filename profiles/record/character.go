package record

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"jtune/internal/text"
	"jtune/tegra"
	"jtune/telemetry"
)

// Character sums up a run in one power mode without its first minibatch: the parts of a minibatch's time, its energy,
// the loads of the device and the source of the data (the 2022 study, docs/method.md). profiles.Monitor computes it.
type Character struct {
	Workers  int `json:"workers"` // loader processes that the job got
	Batch    int `json:"batch"`   // samples per minibatch
	PerEpoch int `json:"-"`       // minibatches per epoch; 0 when unknown
	// LoaderFault is why the job has no loader processes; "" when its settings say so.
	LoaderFault string `json:"-"`

	All   Part            `json:"all"`          // the whole run
	First tegra.Val[Part] `json:"first_epoch"`  // its epoch 0, which reads the data for the first time
	Later tegra.Val[Part] `json:"later_epochs"` // epochs 1 and on; absent when the run ended in epoch 0
	// Epochs are the single epochs of the run; of a long run the newest.
	Epochs []Part `json:"-"`

	// Latency describes an inference job's requests, batches or forward passes; absent for a training job.
	Latency tegra.Val[Latency] `json:"latency_ms"`
	// Serving is what an inference job answered; nil for a training job and in data read from a file.
	Serving *Served `json:"-"`
	// Drop is a sudden drop of power while the work continued at the same speed; its time counts from the start.
	Drop tegra.Val[telemetry.PowerDrop] `json:"-"`
	// BaseW is the module's power before the job began, idle in the same mode.
	BaseW   tegra.Val[float64] `json:"base_w"`
	BaseWhy string             `json:"-"` // why BaseW is absent; "" when it was not requested

	CPU telemetry.Residency `json:"cpu_residency"` // shares of time at each clock
	GPU telemetry.Residency `json:"gpu_residency"`
	EMC telemetry.Residency `json:"mem_residency"`
	// CacheBefore and CacheAfter are the shares, 0 to 1, of the dataset's bytes in the page cache when the run began
	// and ended; CacheWhy is why they are absent.
	CacheBefore tegra.Val[float64] `json:"-"`
	// CacheReady is the same share before the first minibatch that counts, when the data are preloaded (cache =
	// "preload").
	CacheReady tegra.Val[float64] `json:"-"`
	CacheAfter tegra.Val[float64] `json:"-"`
	CacheWhy   string             `json:"-"`
	Disk       string             `json:"-"` // disk whose reads All counts: "nvme0n1", "all disks"; "" for none

	// AllEpochs: epoch 0 also counts, on request, although it reads the data for the first time.
	AllEpochs bool `json:"-"`

	Uptime   tegra.Val[time.Duration] `json:"-"` // of the system, when the run ended
	Versions []string                 `json:"-"` // what the results depend on: "L4T 35.1", "torch 2.0.0 on cuda"
}

// Latency is how long a request, or one batch of inference, takes: quantiles in ms by nearest rank.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	N   int     `json:"n"` // of how many
}

// Part is a part of a run: one epoch or several. Times are means per minibatch, so that they add up.
type Part struct {
	Epoch       int           `json:"-"`      // the first, from 0
	Epochs      int           `json:"epochs"` // number, including unfinished ones
	Minibatches int           `json:"minibatches"`
	Span        time.Duration `json:"-"` // from the beginning of the first minibatch to the end of the last
	End         time.Duration `json:"-"` // device clock; zero in data read from a file

	TimeMS     float64            `json:"time_ms"`
	StallMS    tegra.Val[float64] `json:"stall_ms"` // this and the next two: absent unless every minibatch has it
	ComputeMS  tegra.Val[float64] `json:"compute_ms"`
	OverheadMS tegra.Val[float64] `json:"overhead_ms"`

	PowerW  tegra.Val[float64] `json:"power_w"`  // mean of the module, by the samples' true times
	EnergyJ tegra.Val[float64] `json:"energy_j"` // per minibatch
	// PowerError is the relative standard error of PowerW; absent in data read from a file.
	PowerError tegra.Val[float64] `json:"-"`

	CPUPct   tegra.Val[float64] `json:"cpu_pct"` // mean load of the online cores
	GPUPct   tegra.Val[float64] `json:"gpu_pct"`
	RAMBytes tegra.Val[float64] `json:"ram_bytes"` // mean in use

	// Medians of the same; in data read from a file, present only for the run as a whole.
	CPUMedianPct   tegra.Val[float64] `json:"cpu_median_pct"`
	GPUMedianPct   tegra.Val[float64] `json:"gpu_median_pct"`
	RAMMedianBytes tegra.Val[float64] `json:"ram_median_bytes"`

	MeterW tegra.Val[float64] `json:"meter_w"` // mean of a power meter in the supply

	ReadsPerS     tegra.Val[float64] `json:"reads_per_s"` // by the data's disk
	ReadBytesPerS tegra.Val[float64] `json:"read_bytes_per_s"`
}

// MarshalJSON also prints the span in seconds. A part without minibatches is null.
func (p Part) MarshalJSON() ([]byte, error) {
	if p.Minibatches == 0 {
		return []byte("null"), nil
	}
	type plain Part
	return json.Marshal(struct {
		plain
		SpanS float64 `json:"span_s"`
	}{plain(p), p.Span.Seconds()})
}

// StallShare returns the share of the time, 0 to 1, in which the GPU waits for data.
func (p *Part) StallShare() tegra.Val[float64] {
	if !p.StallMS.OK || p.TimeMS <= 0 {
		return tegra.Val[float64]{}
	}
	return tegra.Some(p.StallMS.V / p.TimeMS)
}

// enoughLater minibatches of later epochs represent long training better than a longer epoch 0.
const enoughLater = defaultMinibatches

// SteadyIsLater reports whether the epochs after the first represent long training: they do unless the run ended soon
// after they began, or all epochs count.
func (c *Character) SteadyIsLater() bool {
	n := c.Later.V.Minibatches
	return c.Later.OK && !c.AllEpochs && (n >= enoughLater || n >= c.First.V.Minibatches)
}

// Steady returns the part of the run that represents long training.
func (c *Character) Steady() Part {
	if c.SteadyIsLater() {
		return c.Later.V
	}
	return c.All
}

// EpochS returns the time of a whole epoch in seconds at the pace of p; absent when the number of minibatches is
// unknown.
func (c *Character) EpochS(p Part) tegra.Val[float64] {
	if c.PerEpoch <= 0 || p.Minibatches == 0 {
		return tegra.Val[float64]{}
	}
	return tegra.Some(p.TimeMS * float64(c.PerEpoch) / 1000)
}

// BaseShare returns the share, 0 to 1, of the energy that the idle device would have drawn in the same time.
func (c *Character) BaseShare() tegra.Val[float64] {
	if p := c.Steady().PowerW; c.BaseW.OK && p.OK && p.V > 0 {
		return tegra.Some(min(1, c.BaseW.V/p.V))
	}
	return tegra.Val[float64]{}
}

// Bound is what limits the time of a minibatch.
type Bound string

// Possible bounds.
const (
	BoundUnknown Bound = ""
	BoundLoader  Bound = "loader" // fetching and preprocessing the data
	BoundCPU     Bound = "CPU"    // launching kernels: the GPU idles although the data are ready
	BoundGPU     Bound = "GPU"
)

// RemarkShare is the share of the time from which a wait for data is worth a remark, whatever limits the rest.
const RemarkShare = 0.10

// Limits between the bounds: large networks keep a GPU 99 % busy where small ones reach 25 % (the 2022 study, batch
// size experiments).
const (
	busyGPUPct = 70
	busyCPUPct = 85
	coldShare  = 0.95 // of the dataset in the page cache, below which it is read from the disk
)

// Bound returns what limits the time; BoundUnknown when the job or the device reports too little. It is the loader when
// the GPU waits for data longer than it works; otherwise it depends on how busy the GPU is while it has data.
func (c *Character) Bound() Bound {
	p := c.Steady()
	stall := p.StallShare()
	switch {
	case p.Minibatches == 0:
		return BoundUnknown
	case stall.OK && p.StallMS.V > p.ComputeMS.Or(p.TimeMS-p.StallMS.V):
		return BoundLoader
	case !p.GPUPct.OK:
		return BoundUnknown
	case p.GPUPct.V >= busyGPUPct*(1-stall.Or(0)):
		return BoundGPU
	case stall.OK:
		return BoundCPU
	}
	return BoundUnknown
}

// Advice explains what the numbers mean for this workload, most important first; nil when there is nothing to say.
// Every text follows from a measured value.
func (c *Character) Advice() []string {
	var out text.Lines
	if d := c.Drop; d.OK {
		out.Add("After %s the measured power fell from %.1f to %.1f W at the same pace: the sensor or what reads it "+
			"is in doubt, and power and energy of all after it.", d.V.At.Round(time.Minute), d.V.FromW, d.V.ToW)
	}
	p := c.Steady()
	stall := 100 * p.StallShare().Or(0)
	switch c.Bound() {
	case BoundLoader:
		if c.Serving != nil {
			out.Add("Input-bound: the job waits for its input %.0f %% of the time: prepare inputs with less "+
				"work, or with more or faster cores.", stall)
			break
		}
		out.Add("Loader-bound: the job waits for data %.0f %% of the time.", stall)
		c.adviseLoader(&out, p)
	case BoundGPU:
		out.Add("GPU-bound: GPU busy %.0f %%%s.", p.GPUPct.V, p.waits(stall))
		c.remarkLoader(&out, p)
	case BoundCPU:
		if c.Serving != nil {
			out.Add("CPU-bound: the GPU is busy %.0f %% of the time, yet the job waits for input only %.0f %%. "+
				"Larger batches, or more requests at a time, use it better.", p.GPUPct.V, stall)
			break
		}
		out.Add("CPU-bound: the GPU is busy %.0f %% of the time, yet the job waits for data only %.0f %%. "+
			"jtune lab experiment batch measures the gain from a larger batch.", p.GPUPct.V, stall)
		c.remarkLoader(&out, p)
	}
	if c.Later.OK && c.CacheAfter.OK && c.CacheAfter.V < coldShare {
		out.Add("After whole epochs %.0f %% of the dataset are in memory: it does not stay there, each epoch reads it "+
			"again.", 100*c.CacheAfter.V)
	}
	if c.First.OK && c.Later.OK && c.First.V.TimeMS > 1.05*c.Later.V.TimeMS {
		out.Add("The first epoch is %.0f %% slower than the later ones.", 100*(c.First.V.TimeMS/c.Later.V.TimeMS-1))
	}
	if share := c.BaseShare().Or(0); share >= 0.5 {
		out.Add("%.0f %% of the energy is what the idle device draws: whatever makes an epoch shorter saves energy.",
			100*share)
	}
	return out
}

// rereads reports whether the data come from the disk in every epoch, because whole epochs did not bring them into
// memory. Reads in epoch 0 alone do not count.
func (c *Character) rereads(p Part) bool {
	return c.SteadyIsLater() && p.ReadBytesPerS.Or(0) > 1e6 && c.CacheAfter.Or(1) < coldShare
}

// waits ends a sentence about the GPU's busy share with the share of the time, in percent, in which the job waits for
// data, if it reports that. The GPU works on queued kernels while the job waits, so the sum may exceed 100 %.
func (p *Part) waits(stall float64) string {
	switch {
	case !p.StallMS.OK:
		return " of the time"
	case math.Round(p.GPUPct.V)+math.Round(stall) > 100:
		return fmt.Sprintf(", job waiting for data %.0f %% of the time (overlapping)", stall)
	}
	return fmt.Sprintf(", job waiting for data %.0f %% of the time", stall)
}

// remarkLoader notes a long wait for data in training that is not bound by its loader.
func (c *Character) remarkLoader(out *text.Lines, p Part) {
	if c.Serving == nil && p.StallShare().Or(0) >= RemarkShare {
		c.adviseLoader(out, p)
	}
}

// adviseLoader suggests how to make loading faster.
func (c *Character) adviseLoader(out *text.Lines, p Part) {
	switch {
	case c.Workers == 0 && c.LoaderFault != "":
		out.Add("It loads in the training process (workers = 0): %s.", c.LoaderFault)
	case c.Workers == 0:
		out.Add("It loads in the training process (workers = 0): jtune lab experiment workers measures " +
			"the gain from loader processes.")
	case c.rereads(p):
		out.Add("The data come from the disk in every epoch, at %.0f MB/s; %.0f %% of them are in memory: jtune "+
			"lab experiment cache measures what that costs.", p.ReadBytesPerS.V/1e6, 100*c.CacheAfter.V)
	case p.CPUPct.OK && p.CPUPct.V >= busyCPUPct:
		out.Add("The cores are %.0f %% busy with workers = %d: more workers find no free core.", p.CPUPct.V, c.Workers)
	case p.CPUPct.OK:
		out.Add("The cores are %.0f %% busy with workers = %d: jtune lab experiment workers measures the "+
			"gain from more.", p.CPUPct.V, c.Workers)
	default:
		out.Add("It has workers = %d: jtune lab experiment workers measures the gain from more.", c.Workers)
	}
}

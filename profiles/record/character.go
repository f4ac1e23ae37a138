package record

import (
	"encoding/json"
	"time"

	"jtune/tegra"
	"jtune/telemetry"
)

// Character sums up a run in one power mode without its first minibatch: the parts of a minibatch's time, its energy,
// the loads of the device and the source of the data (the 2022 study, docs/method.md). profiles.Monitor computes it.
type Character struct {
	Workers  int `json:"workers" csv:"workers"` // loader processes that the job got
	Batch    int `json:"batch" csv:"batch"`     // samples per minibatch
	PerEpoch int `json:"-" csv:"per_epoch"`     // minibatches per epoch; 0 when unknown
	// LoaderFault is why the job has no loader processes; "" when its settings say so.
	LoaderFault string `json:"-"`

	All   Part            `json:"all"`          // the whole run
	First tegra.Val[Part] `json:"first_epoch"`  // its epoch 0, which reads the data for the first time
	Later tegra.Val[Part] `json:"later_epochs"` // epochs 1 and on; absent when the run ended in epoch 0
	// Epochs are the single epochs of the run; of a long run the newest.
	Epochs []Part `json:"-"`

	// Latency describes an inference job's requests, batches or forward passes; absent for a training job.
	Latency tegra.Val[Latency] `json:"latency_ms" csv:"latency_"`
	// Serving is what an inference job answered; nil for a training job and in data read from a file.
	Serving *Served `json:"-"`
	// Drop is a sudden drop of power while the work continued at the same speed; its time counts from the start.
	Drop tegra.Val[telemetry.PowerDrop] `json:"-" csv:"power_drop_"`
	// BaseW is the module's power before the job began, idle in the same mode.
	BaseW   tegra.Val[float64] `json:"base_w" csv:"base_w"`
	BaseWhy string             `json:"-"` // why BaseW is absent; "" when it was not requested

	CPU telemetry.Residency `json:"cpu_residency"` // shares of time at each clock
	GPU telemetry.Residency `json:"gpu_residency"`
	EMC telemetry.Residency `json:"mem_residency"`
	// CacheBefore and CacheAfter are the shares, 0 to 1, of the dataset's bytes in the page cache when the run began
	// and ended; CacheWhy is why they are absent.
	CacheBefore tegra.Val[float64] `json:"-" csv:"cache_before_share"`
	// CacheReady is the same share before the first minibatch that counts, when the data are preloaded (cache =
	// "preload").
	CacheReady tegra.Val[float64] `json:"-" csv:"cache_ready_share"`
	CacheAfter tegra.Val[float64] `json:"-" csv:"cache_after_share"`
	CacheWhy   string             `json:"-" csv:"cache_why"`
	// Disk is the disk whose reads All counts: "nvme0n1", "all disks"; "" for none.
	Disk string `json:"-" csv:"disk"`

	// AllEpochs: epoch 0 also counts, on request, although it reads the data for the first time.
	AllEpochs bool `json:"-"`

	Uptime tegra.Val[time.Duration] `json:"-" csv:"uptime_s"` // of the system, when the run ended
	// Versions are what the results depend on: "L4T 35.1", "torch 2.0.0 on cuda".
	Versions []string `json:"-" csv:"versions"`
}

// Latency is how long a request, or one batch of inference, takes: quantiles in ms by nearest rank.
type Latency struct {
	P50 float64 `json:"p50" csv:"p50_ms"`
	P95 float64 `json:"p95" csv:"p95_ms"`
	P99 float64 `json:"p99" csv:"p99_ms"`
	N   int     `json:"n"` // of how many
}

// Part is a part of a run: one epoch or several. Times are means per minibatch, so that they add up.
type Part struct {
	Epoch       int `json:"-" csv:"epoch"`       // the first, from 0
	Epochs      int `json:"epochs" csv:"epochs"` // number, including unfinished ones
	Minibatches int `json:"minibatches" csv:"minibatches"`
	// Span is the time from the beginning of the first minibatch to the end of the last.
	Span time.Duration `json:"-" csv:"span_s"`
	End  time.Duration `json:"-"` // device clock; zero in data read from a file

	TimeMS float64 `json:"time_ms" csv:"time_ms"`
	// StallMS and the next two are absent unless every minibatch has them.
	StallMS    tegra.Val[float64] `json:"stall_ms" csv:"stall_ms"`
	ComputeMS  tegra.Val[float64] `json:"compute_ms" csv:"compute_ms"`
	OverheadMS tegra.Val[float64] `json:"overhead_ms" csv:"overhead_ms"`

	PowerW  tegra.Val[float64] `json:"power_w" csv:"power_w"`   // mean of the module, by the samples' true times
	EnergyJ tegra.Val[float64] `json:"energy_j" csv:"energy_j"` // per minibatch
	// PowerError is the relative standard error of PowerW; absent in data read from a file.
	PowerError tegra.Val[float64] `json:"-"`

	CPUPct   tegra.Val[float64] `json:"cpu_pct" csv:"cpu_pct"` // mean load of the online cores
	GPUPct   tegra.Val[float64] `json:"gpu_pct" csv:"gpu_pct"`
	RAMBytes tegra.Val[float64] `json:"ram_bytes" csv:"ram_bytes"` // mean in use

	// Medians of the same; in data read from a file, present only for the run as a whole.
	CPUMedianPct   tegra.Val[float64] `json:"cpu_median_pct" csv:"cpu_median_pct"`
	GPUMedianPct   tegra.Val[float64] `json:"gpu_median_pct" csv:"gpu_median_pct"`
	RAMMedianBytes tegra.Val[float64] `json:"ram_median_bytes" csv:"ram_median_bytes"`

	MeterW tegra.Val[float64] `json:"meter_w" csv:"meter_w"` // mean of a power meter in the supply

	ReadsPerS     tegra.Val[float64] `json:"reads_per_s" csv:"reads_per_s"` // by the data's disk
	ReadBytesPerS tegra.Val[float64] `json:"read_bytes_per_s" csv:"read_bytes_per_s"`
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

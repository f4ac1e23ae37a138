// Package physics models the time of a training minibatch on a chip and its power: a pipeline of loader processes and
// one computing process, and power by domain.
//
//	Workload constants, Conditions ──► Steps: fetch ┐
//	                                   launch, GPU  ┴─► time, load, power
//
// It imitates published measurements (constants.toml names them; package fidelity holds the figures) and is no
// measurement. Its form deliberately differs from that of jtune's predictor: contention, the pipeline and the voltage
// curves have kinks.
package physics

import (
	"math"

	"jtune/tegra"
)

// Conditions are the actual hardware clocks in GHz, and the online cores.
type Conditions struct {
	Cores         int
	CPU, GPU, EMC float64
}

// At returns the conditions of a mode with locked clocks.
func At(m tegra.Mode) Conditions {
	return Conditions{Cores: m.Cores, CPU: m.CPU.GHz(), GPU: m.GPU.GHz(), EMC: m.EMC.GHz()}
}

// Workload holds the constants of one training job per minibatch of its default Batch. Work is in ms·GHz: divided by a
// clock it is a time.
type Workload struct {
	Name      string
	Boards    []string // with measurements or published figures behind the constants
	Samples   int      // per epoch
	Batch     int
	Workers   int     // loader processes; 0: the computing process loads
	DatasetMB float64 // on disk
	InMemory  bool    // the data are read into memory before the first minibatch
	InputMB   float64 // size of a minibatch passed to the GPU
	MemoryMB  float64 // of its processes

	Kernel     float64 // GPU execution, by GPU clock
	SmallShare float64 // of Kernel: too small to fill any GPU, 0 to 1
	Traffic    float64 // the GPU's memory traffic, by EMC clock
	Roofline   float64 // how strictly the slower of the two dominates (≥ 1)
	Fixed      float64 // ms independent of clocks
	Launch     float64 // kernel launch by the main thread, CPU clock
	LaunchMem  float64 // its cache misses, EMC clock
	Overlap    float64 // how well launch hides behind execution (≥ 1)
	Serial     float64 // framework work between minibatches, CPU clock
	Fetch      float64 // core-ms of fetching and preprocessing, CPU clock
	FetchMem   float64 // its cache misses, EMC clock
	Jitter     float64 // sharpness of the pipeline's slower side (≥ 1)
	Contention float64 // slowdown of the main thread without a core of its own
	Crowding   float64 // slowdown of passing data, per missing core
	Thrash     float64 // slowdown of loaders that share cores

	FillLow  float64 // share of a minibatch's GPU work that half-empty minibatches keep
	FillHigh float64 // GPU work per sample beyond the default Batch

	network *Network // of an inference job

	// Older holds the differences with PyTorch 1.8, the stack of the boards before Orin.
	Older *Adjusted

	Switching float64 // GPU, W per GHz while kernels execute, at full voltage
	CPUActive float64 // W per GHz of a busy core, at full voltage
	TransferJ float64 // mJ per minibatch of memory traffic
}

// Adjusted holds the constants of a workload that depend on the software stack.
type Adjusted struct{ SmallShare, Contention, Crowding, MemoryMB float64 }

// On returns the workload with the constants of a chip's software stack.
func (w Workload) On(chip Chip) Workload {
	if a := w.Older; a != nil && chip.Older {
		w.SmallShare, w.Contention, w.Crowding, w.MemoryMB = a.SmallShare, a.Contention, a.Crowding, a.MemoryMB
	}
	return w
}

// Reading is the reading cost of each minibatch that is not in memory.
type Reading struct {
	MS      float64 // for one reader, per minibatch
	Queue   float64 // n readers at once need MS/n^Queue for each minibatch
	Reclaim bool    // the page cache holds less than half of the data: pages are freed all the time
}

// Steps is one steady minibatch with its load and power.
type Steps struct {
	FetchMS    float64 // fetch of a minibatch in a loader process
	StallMS    float64 // part not hidden by compute, and HandMS
	HandMS     float64 // receiving a ready minibatch and copying it to the GPU
	PrepareMS  float64 // part of FetchMS: work on the data, not the read
	CopyMS     float64 // part of HandMS: the copy to the GPU
	LaunchMS   float64 // launch of the kernels, most of it hidden by their execution
	ComputeMS  float64 // launch and execution
	OverheadMS float64 // framework
	TimeMS     float64 // stall + compute + overhead
	ExecuteMS  float64 // GPU execution within compute
	KernelMS   float64 // arithmetic within execution, not waiting for memory
	GPUBusy    float64 // 0 to 1
	CPUBusy    float64 // in cores
	MainBusy   float64 // part of CPUBusy: the computing process, 0 to 1
	WorkBusy   float64 // part of MainBusy: not waiting for the GPU
	EMCBusy    float64 // 0 to 1
	Power      Power
}

// seenBusy is the execution share at which a GPU's load counter shows full load.
const seenBusy = 0.94

// GPULoad returns the GPU's load as its counter shows it, 0 to 1.
func (s Steps) GPULoad() float64 { return min(1, s.GPUBusy/seenBusy) }

// Infers reports whether the job answers requests; it has no epochs.
func (w *Workload) Infers() bool { return w.network != nil }

// Minibatches returns the number of minibatches per epoch at a batch size.
func (w Workload) Minibatches(batch int) int { return (w.Samples + batch - 1) / batch }

// Sized returns the workload at another batch size, 0 being its own: smaller sizes fill the GPU poorly, a larger one
// saves a little (slopes from MobileNet on an AGX Xavier, 125, 175, 195 and 361 ms at 1, 8, 16 and 32).
func (w Workload) Sized(batch int) Workload {
	switch {
	case batch == 0:
		return w
	case w.network != nil:
		return w.network.Infer(batch)
	case batch == w.Batch:
		return w
	}
	ratio := float64(batch) / float64(w.Batch)
	filled := w.FillLow + (1-w.FillLow)*math.Sqrt(ratio)
	if ratio > 1 {
		filled = 1 + w.FillHigh*(ratio-1)
	}
	for _, gpu := range []*float64{&w.Kernel, &w.Traffic, &w.Fixed, &w.TransferJ} {
		*gpu *= filled
	}
	for _, cpu := range []*float64{&w.Fetch, &w.FetchMem, &w.InputMB} {
		*cpu *= ratio
	}
	w.Batch = batch
	return w
}

// sum is the p-norm: for large p the larger part dominates, for 1 they add.
func sum(p, a, b float64) float64 {
	m := max(a, b)
	if m == 0 {
		return 0
	}
	return m * math.Pow(math.Pow(a/m, p)+math.Pow(b/m, p), 1/p)
}

// Cost of a ready minibatch for the computing process on an AGX Orin: receiving it, copying its InputMB to the GPU, and
// the share of both that a job without loader processes pays.
const (
	receive, receiveMem     = 1.497, 0.993
	copyPerMB, copyMemPerMB = 0.7805, 0.411
	unpipelined             = 0.659
	// queueing is how well several loader processes even out their differences.
	queueing = 2.08
)

// Steady returns the workload under constant conditions with its data cached.
func (w Workload) Steady(chip Chip, c Conditions) Steps { return w.Run(chip, c, Reading{}) }

// Run is Steady with data from a drive.
func (w Workload) Run(chip Chip, c Conditions, read Reading) Steps {
	if w.Name == Envelope {
		return w.burn(chip, c)
	}
	w = w.On(chip)
	var s Steps
	n, workers := float64(c.Cores), float64(w.Workers)
	clock := chip.CPUSpeed * c.CPU * (1 - min(0.6, chip.Background/(n*c.CPU))) // what the rest of the system leaves
	mem := chip.Latency / c.EMC * (1 - chip.Coupled + chip.Coupled*chip.TopCPU/c.CPU)
	cpu := func(work, misses float64) float64 { return work/clock + misses*mem }
	short := math.Pow(max(0, workers+chip.Threads-n)/(workers+chip.Threads), chip.Sharing)
	contention := chip.Launch * (1 + w.Contention*short)

	s.KernelMS = w.Kernel * (w.SmallShare + (1-w.SmallShare)*chip.GPUScale) / c.GPU
	traffic := w.Traffic * chip.MemScale / c.EMC
	s.ExecuteMS = sum(w.Roofline, s.KernelMS, traffic) + w.Fixed
	launch := cpu(w.Launch, w.LaunchMem) * contention
	if w.Workers > 0 {
		launch *= 1 + chip.Disturbed
	}
	s.LaunchMS, s.ComputeMS = launch, sum(w.Overlap, s.ExecuteMS, launch)
	s.OverheadMS = cpu(w.Serial, 0) * contention
	crowded := 1 + w.Crowding*short
	s.CopyMS = cpu(copyPerMB, copyMemPerMB) * w.InputMB * crowded
	s.HandMS = (cpu(receive, receiveMem)*chip.Launch + cpu(copyPerMB, copyMemPerMB)*w.InputMB) * crowded
	work := cpu(w.Fetch, w.FetchMem) * (1 + w.Thrash*max(0, workers+1-n)/n)
	if read.Reclaim {
		work *= 1 + chip.Reclaim
	}
	s.PrepareMS, s.FetchMS = work, work+read.MS
	if w.Workers == 0 {
		s.HandMS, s.CopyMS = s.HandMS*unpipelined, s.CopyMS*unpipelined
		s.StallMS = s.FetchMS + s.HandMS
	} else {
		busy := s.ComputeMS + s.OverheadMS + s.HandMS
		disk := read.MS / math.Pow(workers, read.Queue)
		step := func(loaders, jitter float64) float64 {
			period := (work + disk) / min(loaders, n*loaders/(loaders+1))
			if disk > 0 {
				period = sum(6, period, disk)
			}
			return sum(jitter, busy, period)
		}
		pipelined := step(1, w.Jitter)
		if w.Workers > 1 { // never slower than with one loader process
			pipelined = min(pipelined, step(workers, max(1, w.Jitter*math.Pow(workers/4, queueing))))
		}
		s.StallMS = s.HandMS + pipelined - busy
	}
	s.TimeMS = s.StallMS + s.ComputeMS + s.OverheadMS
	s.GPUBusy = min(1, s.ExecuteMS/s.TimeMS)
	waiting := chip.Spin * s.GPUBusy // main and CUDA threads poll the GPU
	s.WorkBusy = min(1, (launch+s.OverheadMS+s.HandMS)/s.TimeMS)
	s.MainBusy = min(1, s.WorkBusy+s.GPUBusy)
	s.CPUBusy = min(n, (work+launch+s.OverheadMS+s.HandMS)/s.TimeMS+waiting)
	s.EMCBusy = min(1, 0.02+0.7*traffic/s.TimeMS)
	s.Power = chip.power(w, c, s)
	return s
}

// Governed is Run with clocks chosen by governors: the computing process launches kernels at the CPU clock full, wakes
// at low to receive the next minibatch, and power follows from the mean clocks.
func (w *Workload) Governed(chip Chip, full, low, mean Conditions, read Reading) Steps {
	s := w.Run(chip, full, read)
	wake := w.Run(chip, low, read).HandMS - s.HandMS
	share := s.TimeMS / (s.TimeMS + wake)
	s.HandMS, s.StallMS, s.TimeMS = s.HandMS+wake, s.StallMS+wake, s.TimeMS+wake
	for _, busy := range []*float64{&s.GPUBusy, &s.CPUBusy, &s.MainBusy, &s.WorkBusy, &s.EMCBusy} {
		*busy *= share
	}
	same := s // cycles
	same.CPUBusy = min(float64(full.Cores), s.CPUBusy*full.CPU/mean.CPU)
	s.Power = chip.power(w.On(chip), mean, same)
	return s
}

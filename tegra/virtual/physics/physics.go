// Package physics models how long a minibatch of training takes on a chip and
// which power it draws: a pipeline of loader processes and one computing
// process, and power by domain.
//
//	Workload constants, Conditions ──► Steps: fetch ┐
//	                                   launch, GPU  ┴─► time, load, power
//
// It imitates published measurements (orin.toml and published.go name them) and is no
// measurement. The form is deliberately not the one that jtune's predictor
// assumes: contention, the pipeline and the voltage curves have kinks.
package physics

import "math"

// Conditions are what the hardware really does, in GHz.
type Conditions struct {
	Cores         int
	CPU, GPU, EMC float64
}

// Workload holds the constants of one training job per minibatch of its own
// Batch. Work is in ms·GHz: divided by a clock it is a time.
type Workload struct {
	Name      string
	Estimated bool // the constants rest on no measurement of this board
	Samples   int  // per epoch
	Batch     int
	Workers   int     // loader processes; 0: the computing process loads
	DatasetMB float64 // on disk
	MemoryMB  float64 // of the processes

	Kernel     float64 // GPU execution, by GPU clock
	Traffic    float64 // the GPU's memory traffic, by EMC clock
	Roofline   float64 // how sharply the slower of the two rules (≥ 1)
	Fixed      float64 // ms that no clock changes
	Launch     float64 // kernel launch by the main thread, CPU clock
	LaunchMem  float64 // its cache misses, EMC clock
	Overlap    float64 // how well launch hides behind execution (≥ 1)
	Serial     float64 // framework work between minibatches, CPU clock
	Fetch      float64 // core-ms of fetching and preprocessing, CPU clock
	FetchMem   float64 // its cache misses, EMC clock
	Jitter     float64 // sharpness of the pipeline's slower side (≥ 1)
	Contention float64 // slowdown of the main thread that lacks a core
	Thrash     float64 // slowdown of loaders that share cores

	Switching float64 // GPU, W per GHz while kernels execute, at full voltage
	CPUActive float64 // W per GHz of a busy core, at full voltage
	TransferJ float64 // mJ per minibatch of memory traffic
}

// Steps is one steady minibatch and the load and power that go with it.
type Steps struct {
	FetchMS    float64 // one minibatch's fetch in a loader process
	StallMS    float64 // what of it compute does not hide
	ComputeMS  float64 // launch and execution
	OverheadMS float64 // framework
	TimeMS     float64 // stall + compute + overhead
	ExecuteMS  float64 // of compute: the GPU executes
	KernelMS   float64 // of execution: arithmetic, not waiting for memory
	GPUBusy    float64 // 0 to 1
	CPUBusy    float64 // cores' worth
	MainBusy   float64 // of CPUBusy: the computing process, 0 to 1
	EMCBusy    float64 // 0 to 1
	Power      Power
}

// Minibatches per epoch at a batch size.
func (w Workload) Minibatches(batch int) int { return (w.Samples + batch - 1) / batch }

// Sized returns the workload at another batch size: kernels fill the GPU
// badly below the workload's own size (slopes from
// MobileNet on an AGX Xavier, 125, 175, 195 and 361 ms at 1, 8, 16 and 32).
func (w Workload) Sized(batch int) Workload {
	if batch == w.Batch {
		return w
	}
	ratio := float64(batch) / float64(w.Batch)
	filled := 0.62 + 0.38*ratio
	if ratio > 1 {
		filled = 0.15 + 0.85*ratio
	}
	w.Kernel, w.Traffic, w.TransferJ = w.Kernel*filled, w.Traffic*filled, w.TransferJ*filled
	w.Fetch, w.FetchMem = w.Fetch*ratio, w.FetchMem*ratio
	w.Batch = batch
	return w
}

// sum is the p-norm: for great p the larger part rules, for 1 they add up.
func sum(p, a, b float64) float64 {
	m := max(a, b)
	if m == 0 {
		return 0
	}
	return m * math.Pow(math.Pow(a/m, p)+math.Pow(b/m, p), 1/p)
}

// Steady is the workload under unchanging conditions with its data cached.
func (w Workload) Steady(chip Chip, c Conditions) Steps { return w.Run(chip, c, 0) }

// Run is Steady with diskMS of reading per minibatch in a loader process.
func (w Workload) Run(chip Chip, c Conditions, diskMS float64) Steps {
	var s Steps
	n, procs := float64(c.Cores), float64(w.Workers+1)
	cpu := c.CPU * (1 - min(0.6, chip.Background/(n*c.CPU))) // what the rest of the system leaves
	short := max(0, procs-n)
	contention := 1 + w.Contention*short/procs
	s.KernelMS = w.Kernel / c.GPU
	s.ExecuteMS = sum(w.Roofline, s.KernelMS, w.Traffic/c.EMC) + w.Fixed
	launch := (w.Launch/cpu + w.LaunchMem/c.EMC) * contention
	s.ComputeMS = sum(w.Overlap, s.ExecuteMS, launch)
	s.OverheadMS = w.Serial / cpu * contention
	work := (w.Fetch/cpu + w.FetchMem/c.EMC) * (1 + w.Thrash*short/n)
	s.FetchMS = work + diskMS
	if w.Workers == 0 {
		s.StallMS = s.FetchMS
	} else {
		lanes := min(float64(w.Workers), n*float64(w.Workers)/procs)
		busy := s.ComputeMS + s.OverheadMS
		s.StallMS = sum(w.Jitter, busy, s.FetchMS/lanes) - busy
	}
	s.TimeMS = s.StallMS + s.ComputeMS + s.OverheadMS
	s.GPUBusy = min(1, s.ExecuteMS/s.TimeMS)
	waiting := chip.Spin * s.GPUBusy // main and CUDA threads poll for the GPU
	s.MainBusy = min(1, (launch+s.OverheadMS)/s.TimeMS+s.GPUBusy)
	s.CPUBusy = min(n, (work+launch+s.OverheadMS)/s.TimeMS+waiting)
	s.EMCBusy = min(1, 0.02+0.7*w.Traffic/c.EMC/s.TimeMS)
	s.Power = chip.power(w, c, s)
	return s
}

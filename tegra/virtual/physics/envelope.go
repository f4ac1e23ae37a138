package physics

// Envelope is the name of the job with the highest power: a thread on each core, and half-precision matrix products on
// the GPU without pause. It is no training, so Workloads omits it.
const Envelope = "envelope"

// envelope draws more than every training job, since a matrix product keeps all GPU units busy; a board maker reports
// less than half for its own single-precision kernel.
var envelope = Workload{Name: Envelope, Samples: 1 << 20, Batch: 1, InMemory: true, MemoryMB: 1500, Kernel: 20,
	Switching: 26, CPUActive: 0.36, TransferJ: 40}

// burn is a matrix product with all cores busy.
func (w Workload) burn(chip Chip, c Conditions) Steps {
	s := Steps{GPUBusy: 1, CPUBusy: float64(c.Cores), MainBusy: 1, WorkBusy: 1, EMCBusy: 0.5}
	s.KernelMS = w.Kernel * chip.GPUScale / c.GPU
	s.ExecuteMS, s.ComputeMS, s.TimeMS = s.KernelMS, s.KernelMS, s.KernelMS
	s.Power = chip.power(w, c, s)
	return s
}

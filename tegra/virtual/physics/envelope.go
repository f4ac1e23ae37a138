package physics

// Envelope is the name of the job that asks the most of a module: a thread on each core, and matrix products of half
// precision on the GPU without a pause. It is no training, so Workloads does not list it.
const Envelope = "envelope"

// envelope draws more than every training job, as a matrix product keeps all units of the GPU at work: by a board
// maker's report a kernel of its own in single precision draws less than half of it.
var envelope = Workload{Name: Envelope, Samples: 1 << 20, Batch: 1, InMemory: true, MemoryMB: 1500, Kernel: 20,
	Switching: 26, CPUActive: 0.36, TransferJ: 40}

// burn is a product of matrices with all cores busy beside it.
func (w Workload) burn(chip Chip, c Conditions) Steps {
	s := Steps{GPUBusy: 1, CPUBusy: float64(c.Cores), MainBusy: 1, WorkBusy: 1, EMCBusy: 0.5}
	s.KernelMS = w.Kernel * chip.GPUScale / c.GPU
	s.ExecuteMS, s.ComputeMS, s.TimeMS = s.KernelMS, s.KernelMS, s.KernelMS
	s.Power = chip.power(w, c, s)
	return s
}

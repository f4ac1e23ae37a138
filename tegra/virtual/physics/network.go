package physics

import "slices"

// Network is a network that answers requests: it receives batches like a job without loader processes, and the CPU
// launches its kernels one by one.
type Network struct {
	Name          string
	Boards        []string // with published figures behind its simulation
	GFLOP         float64  // per sample
	WeightsMB     float64
	ActivationsMB float64 // per sample
	Kernels       float64
	Efficiency    float64 // of its kernels relative to large ones, 0 to 1
	Stack         float64 // CPU time per kernel relative to PyTorch's
}

// InferenceJobs lists the names of the inference jobs that can be simulated.
func InferenceJobs() (names []string) {
	for _, n := range load().Network {
		names = append(names, n.job())
	}
	return names
}

// inferSuffix marks the name of a network's inference job.
const inferSuffix = "-infer"

// Networks returns the networks of the study of inference.
func Networks() []Network {
	return slices.DeleteFunc(slices.Clone(load().Network), func(n Network) bool { return len(n.Boards) == 0 })
}

// job returns the name of the network's inference job.
func (n *Network) job() string {
	if n.Name == llama {
		return n.Name
	}
	return n.Name + inferSuffix
}

// llama is a network without training: its inference job has its name.
const llama = "llama"

// findNetwork returns the network of an inference job by name.
func findNetwork(job string) (Network, bool) {
	list := load().Network
	i := slices.IndexFunc(list, func(n Network) bool { return n.job() == job })
	if i < 0 {
		return Network{}, false
	}
	return list[i], true
}

// Constants of all networks on an AGX Orin, chosen to match published energy savings overall.
const (
	teraflops  = 4.096 // at 1 GHz
	reached    = 0.5   // share of it that large kernels reach
	memoryMB   = 44.8  // per ms at 1 GHz
	rereading  = 1.7   // traffic over weights and activations
	perKernel  = 0.035 // ms·GHz of launching
	frameworks = 0.3   // launch time between batches, relative
	perMB      = 0.18  // mJ
	runtimeMB  = 900   // memory of a process with its framework
	resident   = 0.15  // share of a sample's activations resident at once: the largest neighbouring layers
)

// Infer returns the job of answering in batches of a size.
func (n Network) Infer(batch int) Workload {
	b := float64(batch)
	moved := n.WeightsMB + n.ActivationsMB*b
	launch := n.Kernels * perKernel * n.Stack
	return Workload{Name: n.job(), Boards: n.Boards, network: &n, Samples: batch, Batch: batch,
		InMemory: true, MemoryMB: runtimeMB + n.WeightsMB + resident*n.ActivationsMB*b,
		Kernel: n.GFLOP * b / (teraflops * reached * n.Efficiency), Traffic: rereading * moved / memoryMB,
		Roofline: 2.5, Launch: launch, Overlap: 5, Serial: frameworks * launch,
		Switching: 25, CPUActive: 0.36, TransferJ: perMB * moved}
}

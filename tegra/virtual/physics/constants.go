package physics

// Orin is the AGX Orin module, fitted together with ResNet18, MobileNet and
// LSTM below by `go run ./tegra/virtual/calibrate -fit`.
var Orin = Chip{
	Base: 4.263, GPULeak: 9.486, GPUClock: 0.03122, GPUOn: 2.238, GPU: Curve{Floor: 0.8783, Knee: 0.4913, Bend: 2.187, Top: 1.3005},
	CoreIdle: 0.09683, CoreTick: 0.009575, CPU: Curve{Floor: 0.5141, Knee: 0.7373, Bend: 2.091, Top: 2.2016},
	EMCClock: 0.1934, Spin: 0.8074, Background: 0.3, Heat: 0.0003558,
}

// Workloads are the training jobs that can be simulated. ResNet18, MobileNet
// and LSTM are fitted to measured sweeps of an AGX Orin (PowerTrain's, not
// part of this project); YOLOv8n and BERT to the ranges and MAXN figures that
// are published. LeNet-5 (from ratios between boards) and VGG-11 (from its
// size) are estimates. Samples and workers are method note b.2 and b.3.
var Workloads = []Workload{
	{Name: "resnet18", Samples: 50000, Batch: 16, Workers: 4, DatasetMB: 6700, MemoryMB: 3900,
		Kernel: 51.95, Traffic: 123.1, Roofline: 2.461, Fixed: 4.171, Launch: 40.64, LaunchMem: 20.43, Overlap: 5.394, Serial: 5.571,
		Fetch: 182.9, FetchMem: 62.43, Jitter: 120.8, Contention: 3.838, Thrash: 0.56, Switching: 29.88, CPUActive: 0.3595, TransferJ: 42.14},
	{Name: "mobilenet", Samples: 23080, Batch: 16, Workers: 4, DatasetMB: 2827, MemoryMB: 4100,
		Kernel: 86.78, Traffic: 167.9, Roofline: 1.956, Fixed: 5.916, Launch: 109.4, LaunchMem: 3.436, Overlap: 3.149, Serial: 2.073,
		Fetch: 331.5, FetchMem: 112.1, Jitter: 9.779, Contention: 1.067, Thrash: 0.3899, Switching: 16.92, CPUActive: 0.3888, TransferJ: 438.1},
	{Name: "lstm", Samples: 36000, Batch: 16, Workers: 4, DatasetMB: 17.8, MemoryMB: 2600,
		Kernel: 8.491, Traffic: 26.81, Roofline: 3.66, Fixed: 0.4365, Launch: 8.508, LaunchMem: 9.652, Overlap: 25.91, Serial: 2.186,
		Fetch: 8.599, FetchMem: 4.3, Jitter: 8, Contention: 0.2041, Thrash: 0.22, Switching: 13.26, CPUActive: 0.3203, TransferJ: 95.96},
	{Name: "yolov8n", Samples: 25000, Batch: 16, Workers: 0, DatasetMB: 3900, MemoryMB: 4500,
		Kernel: 99.84, Traffic: 221.4, Roofline: 2.457, Fixed: 2.855, Launch: 78.58, LaunchMem: 9.909, Overlap: 5.343, Serial: 11.48,
		Fetch: 104.3, FetchMem: 109, Jitter: 8, Contention: 0.5, Thrash: 0.3, Switching: 7.939, CPUActive: 0.3818, TransferJ: 72.51},
	{Name: "bert", Samples: 70000, Batch: 16, Workers: 4, DatasetMB: 40, MemoryMB: 6200,
		Kernel: 833.5, Traffic: 2269, Roofline: 2.156, Fixed: 5.006, Launch: 47.7, LaunchMem: 9.989, Overlap: 8, Serial: 7.244,
		Fetch: 11.98, FetchMem: 5.996, Jitter: 8, Contention: 0.5001, Thrash: 0.3001, Switching: 27.95, CPUActive: 0.329, TransferJ: 9819},
	{Name: "lenet5", Estimated: true, Samples: 60000, Batch: 16, Workers: 4, DatasetMB: 46, MemoryMB: 1900,
		Kernel: 0.22, Traffic: 0.35, Roofline: 1.7, Fixed: 0.05, Launch: 3, LaunchMem: 0.1, Overlap: 6, Serial: 2,
		Fetch: 20, FetchMem: 4, Jitter: 8, Contention: 1, Thrash: 0.22, Switching: 14, CPUActive: 0.4, TransferJ: 1},
	{Name: "vgg11", Estimated: true, Samples: 50000, Batch: 16, Workers: 4, DatasetMB: 150, MemoryMB: 4800,
		Kernel: 200, Traffic: 480, Roofline: 2.2, Fixed: 3, Launch: 20, LaunchMem: 10, Overlap: 8, Serial: 8,
		Fetch: 40, FetchMem: 6, Jitter: 8, Contention: 0.5, Thrash: 0.3, Switching: 32, CPUActive: 0.4, TransferJ: 250},
}

// Find gives the workload of that name.
func Find(name string) (Workload, bool) {
	for _, w := range Workloads {
		if w.Name == name {
			return w, true
		}
	}
	return Workload{}, false
}

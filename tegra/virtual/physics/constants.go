package physics

// Orin is the AGX Orin module, fitted together with ResNet18, MobileNet and
// LSTM below by `go run ./tegra/virtual/calibrate -fit`.
var Orin = Chip{
	Base: 3.982, GPULeak: 9.77, GPUClock: 0.04088, GPUOn: 2.164, GPU: Curve{Floor: 0.8794, Knee: 0.4929, Bend: 2.154, Top: 1.3005},
	CoreIdle: 0.09144, CoreTick: 0.01121, CPU: Curve{Floor: 0.5747, Knee: 1.059, Bend: 1.667, Top: 2.2016},
	EMCClock: 0.1957, Spin: 0.6777, Background: 0.22, Heat: 0.0004364,
}

// Workloads are the training jobs that can be simulated. ResNet18, MobileNet
// and LSTM are fitted to measured sweeps of an AGX Orin (PowerTrain's, not
// part of this project); YOLOv8n and BERT to the ranges and MAXN figures that
// are published; LeNet-5 to ratios between boards; VGG-11 is an estimate from
// its size. Samples and workers are method note b.2 and b.3.
var Workloads = []Workload{
	{Name: "resnet18", Samples: 50000, Batch: 16, Workers: 4, DatasetMB: 6700, MemoryMB: 3900,
		Kernel: 51.79, Traffic: 123, Roofline: 2.459, Fixed: 4.023, Launch: 41.75, LaunchMem: 21.1, Overlap: 6.877, Serial: 6.435,
		Fetch: 188, FetchMem: 47.77, Jitter: 78.18, Contention: 4.115, Thrash: 0.694, Switching: 29.57, CPUActive: 0.4186, TransferJ: 43.44},
	{Name: "mobilenet", Samples: 23080, Batch: 16, Workers: 4, DatasetMB: 2827, MemoryMB: 4100,
		Kernel: 86.72, Traffic: 168, Roofline: 1.96, Fixed: 5.985, Launch: 105.8, LaunchMem: 1.867, Overlap: 3.142, Serial: 2.816,
		Fetch: 405.8, FetchMem: 99.65, Jitter: 7.403, Contention: 0.7957, Thrash: 0.3001, Switching: 17.45, CPUActive: 0.4461, TransferJ: 358.6},
	{Name: "lstm", Samples: 36000, Batch: 16, Workers: 4, DatasetMB: 17.8, MemoryMB: 2600,
		Kernel: 8.482, Traffic: 26.8, Roofline: 3.68, Fixed: 0.394, Launch: 8.976, LaunchMem: 7.613, Overlap: 27.53, Serial: 2.3,
		Fetch: 8.601, FetchMem: 4.3, Jitter: 7.999, Contention: 0.3424, Thrash: 0.22, Switching: 13.16, CPUActive: 0.395, TransferJ: 94.46},
	{Name: "yolov8n", Samples: 25000, Batch: 16, Workers: 0, DatasetMB: 3900, MemoryMB: 4500,
		Kernel: 51.42, Traffic: 313.1, Roofline: 2.751, Fixed: 2.496, Launch: 87.98, LaunchMem: 9.987, Overlap: 5.1, Serial: 11.6,
		Fetch: 114.6, FetchMem: 90.25, Jitter: 8, Contention: 0.5, Thrash: 0.3, Switching: 15.04, CPUActive: 0.4168, TransferJ: 78.37},
	{Name: "bert", Samples: 70000, Batch: 16, Workers: 4, DatasetMB: 40, MemoryMB: 6200,
		Kernel: 833.6, Traffic: 2269, Roofline: 2.156, Fixed: 5.006, Launch: 47.7, LaunchMem: 9.989, Overlap: 8, Serial: 7.244,
		Fetch: 11.98, FetchMem: 5.996, Jitter: 8, Contention: 0.5001, Thrash: 0.3001, Switching: 27.93, CPUActive: 0.3291, TransferJ: 9775},
	{Name: "lenet5", Samples: 60000, Batch: 16, Workers: 4, DatasetMB: 46, MemoryMB: 1900,
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

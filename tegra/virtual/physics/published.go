package physics

import "jtune/tegra"

// Figure is a published value that the simulation must come near.
type Figure struct {
	Workload  string
	Mode      tegra.Mode
	Metric    Metric
	Value     float64
	Tolerance float64 // fraction of Value
	Source    string
}

// Metric is what a Figure speaks of.
type Metric int

// Metrics.
const (
	TimeMS Metric = iota // per minibatch
	PowerW
)

func (m Metric) String() string { return [...]string{"time_ms", "power_w"}[m] }

// Of returns the metric's value of s.
func (m Metric) Of(s Steps) float64 {
	if m == TimeMS {
		return s.TimeMS
	}
	return s.Power.Total()
}

// At returns the conditions of a mode whose clocks are locked.
func At(m tegra.Mode) Conditions {
	return Conditions{Cores: m.Cores, CPU: m.CPU.GHz(), GPU: m.GPU.GHz(), EMC: m.EMC.GHz()}
}

var (
	maxn   = tegra.Mode{Cores: 12, CPU: 2201600 * tegra.KHz, GPU: 1300500000, EMC: 3199000000}
	low    = tegra.Mode{Cores: 2, CPU: 268800 * tegra.KHz, GPU: 114750000, EMC: 204000000} // of the 4,368
	low441 = tegra.Mode{Cores: 4, CPU: 422400 * tegra.KHz, GPU: 114750000, EMC: 665600000} // of BERT's 441
)

// perEpoch turns minutes per epoch into ms per minibatch.
func perEpoch(minutes, minibatches float64) float64 { return minutes * 60000 / minibatches }

// Published lists figures for an AGX Orin with minibatches of 16: S1 is the
// PowerTrain paper, range the least and most of its published sweeps. The lowest powers come out 5 to 7 %
// high: the floor is fitted to the sweeps as a whole.
var Published = []Figure{
	{"resnet18", maxn, TimeMS, perEpoch(3.1, 3125), 0.05, "S1 sec. 1.1"},
	{"resnet18", maxn, PowerW, 51.1, 0.05, "S1 sec. 1.1"},
	{"resnet18", low, TimeMS, perEpoch(112, 3125), 0.05, "S1 sec. 1.1"},
	{"resnet18", low, PowerW, 11.8, 0.08, "S1 sec. 1.1"},
	{"mobilenet", maxn, TimeMS, perEpoch(2.3, 1443), 0.06, "S1 table 3"},
	{"lstm", maxn, TimeMS, perEpoch(0.4, 2250), 0.13, "S1 table 3"},
	{"yolov8n", maxn, TimeMS, perEpoch(4.9, 1563), 0.05, "S1 table 3"},
	{"yolov8n", low, TimeMS, 2816, 0.1, "range"},
	{"yolov8n", maxn, PowerW, 24.5, 0.05, "range"},
	{"yolov8n", low, PowerW, 11.4, 0.08, "range"},
	{"bert", maxn, TimeMS, perEpoch(68.6, 4375), 0.05, "S1 table 3"},
	{"bert", maxn, PowerW, 57.0, 0.05, "S1 sec. 1.1"},
	{"bert", low441, TimeMS, 7920, 0.1, "range"},
	{"bert", low441, PowerW, 15.6, 0.05, "range"},
}

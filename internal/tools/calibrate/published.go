package main

import (
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
	"jtune/tui/session/lab/fidelity"
)

// metric is a measured quantity of a mode.
type metric int

const (
	timeMS metric = iota // per minibatch
	powerW
)

func (m metric) String() string { return [...]string{"ms", "W"}[m] }

func (m metric) of(s physics.Steps) float64 {
	if m == timeMS {
		return s.TimeMS
	}
	return s.Power.Total()
}

// Modes of PowerTrain's sweeps: the highest, and the lowest for most networks and for BERT.
var (
	maxn   = tegra.Mode{Cores: 12, CPU: 2201600 * tegra.KHz, GPU: 1300500000, EMC: 3199000000}
	low    = tegra.Mode{Cores: 2, CPU: 268800 * tegra.KHz, GPU: 114750000, EMC: 204000000}
	low441 = tegra.Mode{Cores: 4, CPU: 422400 * tegra.KHz, GPU: 114750000, EMC: 665600000}
)

// ranges are the minimum and maximum of published sweeps of networks whose rows are not available, unless a figure of
// the paper says the same. The lowest powers are 5 to 7 % too high: the floor is fitted to all sweeps together.
var ranges = []struct {
	workload  string
	mode      tegra.Mode
	metric    metric
	value     float64
	tolerance float64 // fraction of value
}{
	{"yolov8n", low, timeMS, 2816, 0.1},
	{"yolov8n", maxn, powerW, 24.5, 0.05},
	{"yolov8n", low, powerW, 11.4, 0.08},
	{"bert", low441, timeMS, 7920, 0.1},
	{"bert", low441, powerW, 15.6, 0.05},
}

// published is a published value with ours.
type published struct {
	at, unit, source string
	value, ours      float64
}

// published returns the values of a workload on an AGX Orin: the papers' figures, and the ranges of their sweeps.
func (m *model) published(workload string) (out []published) {
	trial, ok := m.trials[workload]
	if !ok {
		if m.trials == nil {
			m.trials = map[string]fidelity.Trial{}
		}
		trial = fidelity.NewTrial(virtual.AGXOrin, workload)
		m.trials[workload] = trial
	}
	w := *m.workload(workload)
	if len(trial.Figures) > 0 {
		values, err := trial.Values(m.chip, w)
		if err != nil {
			panic("calibrate: " + err.Error())
		}
		for i, f := range trial.Figures {
			out = append(out, published{f.ID, f.Unit, f.Study + " " + f.Where, f.Value, values[i]})
		}
	}
	for _, r := range ranges {
		if r.workload == workload {
			ours := r.metric.of(w.Steady(m.chip, physics.At(r.mode)))
			out = append(out, published{r.mode.String(), r.metric.String(), "range of the sweep", r.value, ours})
		}
	}
	return out
}

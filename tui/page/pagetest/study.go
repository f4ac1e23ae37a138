package pagetest

import (
	"strconv"

	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/task"
)

// Study returns an energy study by Law whose minimum is inside the range of GPU clocks.
func Study(f *Board, name string) task.Listed {
	w := workload.Workload{Name: name, Model: "ResNet-18", Dataset: "ImageNet", Kind: workload.Inference, Batch: 1}
	h := record.Header{Created: Start, Device: record.NewDeviceHeader(f), Workload: w,
		Plan: record.PlanHeader{Kind: record.ExperimentKind, Source: "energy",
			Digest: "energy full=false repeat=1 every=0s"}}
	var rows []record.Row
	space := f.Space()
	top := space.Max()
	add := func(m tegra.Mode, setting string, run int) {
		ms, watts := Law(m)
		rows = append(rows, record.Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms,
			PowerW: watts}, Status: record.OK, EnergyJ: ms * watts / 1000, Extra: []string{setting, strconv.Itoa(run)}})
	}
	for k := range 3 {
		add(top, "default governors", k+1)
	}
	for i, cpu := range space.Values(tegra.KnobCPU) {
		for k, gpu := range space.Values(tegra.KnobGPU) {
			m := top
			m.CPU, m.GPU = tegra.Freq(cpu), tegra.Freq(gpu)
			if (i+k)%3 == 0 {
				add(m, space.Format(m), 1)
			}
		}
	}
	return task.Listed{State: campaigns.CampaignFinished, Campaign: campaigns.Of("study", "/data/study", h, rows)}
}

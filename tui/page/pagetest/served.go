package pagetest

import (
	"testing"

	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/page"
)

// ServedBatches are the batch sizes that the model of inference knows.
var ServedBatches = []int{1, 4, 16}

// Serves makes the driver's board one of 32 modes, and a workload of inference known there.
func (d *Driver) Serves() workload.Workload { return d.Board.Serve(d.t, d.State) }

// Serve makes the board one of 32 modes, and a workload of inference known there.
func (f *Board) Serve(t testing.TB, state *page.State) workload.Workload {
	t.Helper()
	gpu := []tegra.Freq{300 * tegra.MHz, 600 * tegra.MHz, 900 * tegra.MHz, 1200 * tegra.MHz}
	space, err := tegra.NewSpace([]int{4, 8}, []tegra.Freq{tegra.GHz, 2 * tegra.GHz}, gpu,
		[]tegra.Freq{1600 * tegra.MHz, 3200 * tegra.MHz})
	if err != nil {
		t.Fatal(err)
	}
	w := workload.Workload{Name: "detect", Model: "YOLO", Dataset: "camera", Task: "detection",
		Kind: workload.Inference, Batch: 1}
	state.Device.Space, f.space = space, space
	state.Device.Presets = nil
	state.Work.List = append(state.Work.List, w)
	return w
}

// Served is a model of the workload that Serves makes known, fitted to half of the settings: a batch takes a fifth of
// the law's time, and a third of that more for each doubling.
func Served(t testing.TB, w workload.Workload, space *tegra.Space) *learn.Model {
	t.Helper()
	var samples []tegra.Measured
	for i, m := range space.Modes() {
		for k, n := range ServedBatches {
			if (i+k)%2 > 0 {
				continue
			}
			ms, watts := Law(m)
			samples = append(samples, tegra.Measured{Setting: tegra.Setting{Mode: m, Batch: n},
				TimeMS: ms * 0.2 * (0.6 + 0.4*float64(n)), PowerW: watts * (0.8 + 0.1*float64(k))})
		}
	}
	m, err := learn.Fit(t.Context(), samples, learn.Options{Space: space, Reference: nil, SkipCV: true,
		Provenance: learn.Provenance{Device: "AGX Orin", Workload: w.Name, Virtual: true}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Outlooks of it begin with the largest batch size, as the shell shows them.
func ServedOutlook(t testing.TB, w workload.Workload, space *tegra.Space) *outlook.Outlook {
	t.Helper()
	return outlook.New(w.Name, Served(t, w, space), space)
}

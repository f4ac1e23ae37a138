package pagetest

import (
	"testing"

	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/page"
)

// ServedBatches are the batch sizes of the inference model.
var ServedBatches = []int{1, 4, 16}

// Serves limits the driver's board to 32 modes and adds an inference workload.
func (d *Driver) Serves() workload.Workload { return d.Board.Serve(d.t, d.State) }

// Serve limits the board to 32 modes and adds an inference workload.
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
	state.Device.Presets, f.presets = nil, nil
	state.Work.List = append(state.Work.List, w)
	return w
}

// Served returns a model of Serves' workload, fitted to half of the settings: a batch takes a fifth of Law's time, plus
// a third of that for each doubling.
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

// ServedOutlook returns its outlook at the largest batch size, which the shell shows first.
func ServedOutlook(t testing.TB, w workload.Workload, space *tegra.Space) *outlook.Outlook {
	t.Helper()
	return outlook.New(w.Name, Served(t, w, space), space)
}

package models

import (
	"path/filepath"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

// A model is called by its workload and board, so that those of several boards stand side by side.
func TestModelIsNamedByItsBoard(t *testing.T) {
	t.Parallel()
	w := workload.Workload{Name: "lstm"}
	for want, d := range map[string]record.DeviceHeader{
		"lstm@agx-orin":           {Name: "AGX Orin", Which: "ubuntu"},
		"lstm@orin-nano-super":    {Name: "Orin Nano (Super)", Which: "ubuntu"},
		"lstm@virtual-xavier-nx":  {Name: "Xavier NX", Virtual: true, Which: "xavier-nx"},
		"lstm@replay-0123ab":      {Name: "AGX Orin", Replay: "x.csv", Which: "sha256:0123abcd"},
		"lstm@replay":             {Name: "AGX Orin", Replay: "x.csv"},
		"lstm@board":              {Name: "…"},
		"lstm@nvidia-jetson-n-no": {Name: "NVIDIA/Jetson\tNäno"},
	} {
		must.Equal(t, NameFor(w, d), want, d)
	}
}

// A model that an earlier version kept, without the board in its name, opens by that name, and goes on under it where
// it was learned from the same readings.
func TestModelOfAnOlderNameOpens(t *testing.T) {
	t.Parallel()
	space := must.Get(tegra.NewSpace([]int{2, 4}, []tegra.Freq{tegra.GHz, 2 * tegra.GHz}, []tegra.Freq{tegra.GHz},
		[]tegra.Freq{tegra.GHz}))(t)
	w := workload.Workload{Name: "lstm", Batch: 16}
	measured := func(ms float64) (part PoolPart) {
		for _, m := range space.Modes() {
			row := tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms / float64(m.Cores), PowerW: 10}
			part.Rows = append(part.Rows, record.Row{Measured: row, Status: record.OK})
		}
		return part
	}
	pool, others := poolAmong(nil, w, "", "board", w.Batch), poolAmong(nil, w, "", "board", w.Batch)
	pool.Parts = []PoolPart{measured(100)}
	others.Parts = []PoolPart{measured(300)}
	m, err := learn.Fit(t.Context(), pool.Rows(), learn.Options{Method: learn.Linear, Space: space, SkipCV: true})
	must.NoError(t, err)
	for name, d := range map[string]record.DeviceHeader{
		"lstm":         {Name: "AGX Orin"},
		"lstm-virtual": {Name: "AGX Orin", Virtual: true},
		"lstm-replay":  {Name: "AGX Orin", Replay: "x.csv"},
	} {
		o := config.Paths{DataDir: t.TempDir()}
		_, err := keepAs(o, name)
		must.NoError(t, err)
		for _, name := range []string{name, name + "-bs16-2"} {
			must.NoError(t, m.Save(filepath.Join(o.ModelsDir(), name+modelSuffix)))
			if got, err := Load(session.Options{Paths: o}, name); err != nil || len(got.Samples) != space.Len() {
				t.Errorf("%s does not open: %v", name, err)
			}
		}
		if path, err := poolModel(o, pool, w, d); err != nil || filepath.Base(path) != name+modelSuffix {
			t.Errorf("%s goes on as %s, %v", name, path, err)
		}
		if path, err := poolModel(o, others, w, d); err != nil || filepath.Base(path) != NameFor(w, d)+modelSuffix {
			t.Errorf("other readings than %s has are learned in %s, %v", name, path, err)
		}
	}
}

// A workload's name that lists cannot show is no name for its model.
func TestModelOfAWorkloadWhoseNameIsNoneIsAnError(t *testing.T) {
	t.Parallel()
	o := config.Paths{DataDir: t.TempDir()}
	w := workload.Workload{Name: "a\nb", Batch: 16}
	pool := poolAmong(nil, w, "", "board", w.Batch)
	if path, err := poolModel(o, pool, w, record.DeviceHeader{Name: "AGX Orin"}); err == nil || path != "" {
		t.Errorf("kept as %q", path)
	}
}

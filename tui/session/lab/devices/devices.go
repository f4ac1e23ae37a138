// Package devices compares an epoch of a workload on all virtual boards and the machines of the user's own runs.
//
//	workloads ──► Compare ──┐
//	folders of runs ──► Own ──► []Row ──► Figure
package devices

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"

	"jtune/internal/figure"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
	"jtune/tui/session/campaigns"
)

// Row is a simulated workload on a virtual board with every knob at its maximum and locked clocks, in epochs
// after the first.
type Row struct {
	Workload  string             `json:"workload"`
	Board     string             `json:"board"`
	Mode      string             `json:"mode"`
	TimeMS    tegra.Val[float64] `json:"time_ms"` // of a minibatch
	EpochS    tegra.Val[float64] `json:"epoch_s"`
	PowerW    tegra.Val[float64] `json:"power_w"`
	EpochJ    tegra.Val[float64] `json:"epoch_j"`
	Why       string             `json:"dnr"`       // why it does not run there, or ""
	Estimated bool               `json:"estimated"` // without measured or published data for that board
	Virtual   bool               `json:"virtual"`   // false: measured in a user's run
}

// Own returns the user's own runs on any machine as such rows. dirs are folders of jtune run, or folders that
// contain them. The newest run of a workload on a machine counts.
func Own(dirs []string) (rows []Row, err error) {
	for _, dir := range dirs {
		list := []string{dir}
		if _, err := os.Stat(filepath.Join(dir, "campaign.toml")); err != nil {
			if list, err = filepath.Glob(filepath.Join(dir, "*", "campaign.toml")); err != nil || len(list) == 0 {
				return nil, usage.Runs.Errorf("%s %s holds no folder of a run", usage.Runs, dir)
			}
			for i, file := range list {
				list[i] = filepath.Dir(file)
			}
		}
		for _, one := range list {
			row, ok, err := ownRun(one)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			rows = slices.DeleteFunc(rows, func(r Row) bool {
				return r.Workload == row.Workload && r.Board == row.Board
			})
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// ownRun reads the folder of a run; ok is false for another kind of campaign.
func ownRun(dir string) (row Row, ok bool, err error) {
	h, _, err := record.Read(dir)
	if err != nil || h.Plan.Kind != campaigns.RunKind {
		return row, false, err
	}
	runs, _, err := record.ReadRuns(dir)
	if err != nil || len(runs) == 0 {
		return row, false, err
	}
	run := runs[len(runs)-1]
	c := run.Character
	c.PerEpoch = cmp.Or(c.PerEpoch, h.Workload.MinibatchesPerEpoch())
	row = Row{Workload: h.Workload.Name, Board: text.Clip(cmp.Or(h.Device.Name, h.Device.Model)), Mode: "",
		Virtual: h.Device.Virtual}
	if run.Mode.Cores > 0 {
		row.Mode = run.Mode.String()
	}
	if !run.Status.Usable() && c.All.Minibatches == 0 {
		row.Why = run.Why
		return row, true, nil
	}
	part := c.Steady()
	row.TimeMS, row.EpochS, row.PowerW = tegra.Some(part.TimeMS), c.EpochS(part), part.PowerW
	row.EpochJ = tegra.Val[float64]{V: row.EpochS.V * row.PowerW.V, OK: row.EpochS.OK && row.PowerW.OK}
	return row, true, nil
}

// Stated is what the sources of the comparison say about machines that are not simulated (PowerTrain, appendix on other
// devices).
var Stated = []string{
	"RTX 3090: shorter epochs than an RTX A5000, that shorter ones than an AGX Orin (stated, without values)",
	"Raspberry Pi 5: epochs about 100 times as long as an AGX Orin's (stated); bert DNR: 8 GB of memory are too few",
	"Edge TPU: DNR, it does not train",
}

// Compare simulates workloads on every virtual board; nil: all simulated workloads.
func Compare(workloads []string) (rows []Row, err error) {
	if workloads == nil {
		workloads = virtual.Workloads()
	}
	for _, w := range workloads {
		for _, name := range virtual.Names() {
			b, err := virtual.New(virtual.Options{Name: name, Speed: math.Inf(1), Noise: new(float64)})
			if err != nil {
				return nil, err
			}
			row, err := deviceRow(b, name, w)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func deviceRow(b *virtual.Board, name, workload string) (row Row, err error) {
	d, err := b.Open()
	if err != nil {
		return row, err
	}
	defer d.Close()
	top := d.Space().Max()
	row = Row{Virtual: true, Workload: workload, Board: name, Mode: d.Space().Format(top),
		Estimated: b.Estimated(workload)}
	if why := b.Fits(workload, 0); why != nil {
		row.Why = why.Error()
		return row, nil
	}
	ms, watt, err := b.Truth(workload, top)
	if err != nil {
		return row, err
	}
	w, _ := physics.Find(workload)
	seconds := ms * float64(w.Minibatches(w.Batch)) / 1000
	row.TimeMS, row.EpochS = tegra.Some(ms), tegra.Some(seconds)
	row.PowerW, row.EpochJ = tegra.Some(watt), tegra.Some(seconds*watt)
	return row, nil
}

// Figure draws a workload's epochs over the boards, on logarithmic scales.
func Figure(rows []Row, workload string) figure.Figure {
	f := figure.Figure{Kind: "devices", Title: workload + ": an epoch in the highest mode of each board " +
		tegra.VirtualMark(tegra.Origin(true, "")), Virtual: true, RowKey: "board"}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Workload != workload })
	if !slices.ContainsFunc(rows, func(r Row) bool { return r.Virtual }) {
		f.Title, f.Virtual = workload+": an epoch on your own machines", false
	}
	panel := func(axis figure.Axis, of func(Row) tegra.Val[float64]) {
		bars, least := figure.Series{Name: "epoch", Shape: figure.Bars}, math.Inf(1)
		for i, r := range rows {
			v := of(r)
			bars.Points = append(bars.Points, figure.In(i, v.Or(math.NaN())/max(1, axis.Per)))
			least = min(least, v.Or(least)/max(1, axis.Per))
		}
		axis.Log, axis.From = true, math.Pow(10, math.Floor(math.Log10(least)))
		f.Panels = append(f.Panels, figure.Panel{Axis: axis, Series: []figure.Series{bars}})
	}
	panel(figure.Axis{Key: "epoch_s", Name: "time", Unit: "s"},
		func(r Row) tegra.Val[float64] { return r.EpochS })
	panel(figure.Axis{Key: "epoch_j", Name: "energy", Unit: "kJ", Per: 1e3},
		func(r Row) tegra.Val[float64] { return r.EpochJ })
	for _, r := range rows {
		name := r.Board
		if r.Estimated {
			name += "*"
		}
		if !r.Virtual {
			name += " measured"
		}
		if r.Why != "" {
			name += " DNR"
		}
		f.Rows = append(f.Rows, name)
	}
	return f
}

package experiment

import (
	"math"

	"jtune/internal/figure"
)

// Figures draws an experiment's settings side by side: bars of a whole epoch where its length is known, and of a
// minibatch.
func (r *Report) Figures() []figure.Figure {
	lines := r.main()
	epoch := barsOf(r, "experiment-"+r.Experiment.Name+"-epoch", "per epoch", lines, []barPanel{
		{"epoch_s", "time", "s", "epoch_s", 1},
		{"epoch_stall_s", "stall", "s", "stall_ms", 0},
		{"epoch_compute_s", "compute", "s", "compute_ms", 0},
		{"epoch_j", "energy", "kJ", "epoch_j", 1000},
	})
	minibatch := barsOf(r, "experiment-"+r.Experiment.Name, "per minibatch", lines, []barPanel{
		{"time_ms", "time", "ms", "time_ms", 1},
		{"stall_ms", "stall", "ms", "stall_ms", 1},
		{"compute_ms", "compute", "ms", "compute_ms", 1},
		{"energy_j", "energy", "J", "energy_j", 1},
		{"overhead_ms", "other", "ms", "overhead_ms", 1},
		{"power_w", "power", "W", "power_w", 1},
	})
	var out []figure.Figure
	for _, f := range []figure.Figure{epoch, minibatch} {
		if len(f.Panels) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// barPanel is one quantity: its key in files, its name, the report's column, and how many of the column's units make
// one unit of the drawing. per 0: the column is per minibatch and the panel per epoch.
type barPanel struct {
	key, name, unit, column string
	per                     float64
}

func barsOf(r *Report, kind, per string, lines []Line, panels []barPanel) figure.Figure {
	title := "experiment " + r.Experiment.Name + ", " + r.Workload.Name + " on " + r.Board + ", " + per
	f := figure.Figure{Kind: kind, Title: title, Virtual: r.Virtual, RowKey: "setting"}
	for _, l := range lines {
		f.Rows = append(f.Rows, l.Setting)
	}
	for _, p := range panels {
		bars := figure.Series{Name: "median", Shape: figure.Bars}
		known := false
		for row, l := range lines {
			s, ok := l.Stats[p.column]
			by := 1.0
			switch {
			case p.per == 0 && ok: // times the minibatches of an epoch
				epoch, whole := l.Stats["epoch_s"]
				ok, by = whole, epoch.Median/l.Stats["time_ms"].Median
			case p.per > 0:
				by = 1 / p.per
			}
			v := math.NaN()
			if ok {
				v, known = s.Median*by, true
			}
			bars.Points = append(bars.Points, figure.In(row, v))
		}
		if known {
			axis := figure.Axis{Key: p.key, Name: p.name, Unit: p.unit, Zero: true}
			if p.per > 1 {
				axis.Per = p.per
			}
			f.Panels = append(f.Panels, figure.Panel{Axis: axis, Series: []figure.Series{bars}})
		}
	}
	return f
}

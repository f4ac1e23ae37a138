package cli

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tui/session/answers"
	"jtune/tui/session/workloads"
)

// training describes a whole training, from flags.
type training struct{ epochs, perEpoch int }

func (t *training) flags(f *pflag.FlagSet) {
	bind(f, "training", places{"epochs": &t.epochs, "per-epoch": &t.perEpoch})
}

// minibatches returns the number of minibatches per epoch.
func (t training) minibatches(a *app, m *learn.Model) (int, error) {
	return workloads.EpochMinibatches(m, workloadList(a), t.perEpoch)
}

// printProjection prints whole trainings, and marks modes that exceed the limit.
func printProjection(w io.Writer, p *outlook.Projection, space *tegra.Space) error {
	fmt.Fprintf(w, "\nwhole trainings, %s (%s minibatches):\n", text.Count(p.Epochs, "epoch"),
		text.Thousands(p.Minibatches))
	rows := [][]string{{"strategy", "mode", "hours", "kWh", "hours saved", "kWh saved", "", ""}}
	for i, r := range p.Rows {
		how, over := "predicted", ""
		if r.Measured {
			how = "measured"
		}
		if !r.Met {
			over = "exceeds the limit"
		}
		row := []string{answers.Said(r.Strategy, answers.Today), space.Format(r.Mode), text.Of(r.Hours()),
			text.Of(r.KWh), "", "", how, over}
		if i > 0 {
			row[4], row[5] = text.Of(r.Saved.Time.Hours()), text.Of(r.Saved.KWh)
		}
		rows = append(rows, row)
	}
	return report.Grid(w, rows...)
}

package cli

import (
	"fmt"

	"jtune/internal/document"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tui/session/answers"
	"jtune/tui/session/workloads"
)

// training describes a whole training, from flags.
type training struct{ Epochs, PerEpoch int }

// minibatches returns the number of minibatches per epoch.
func (t training) minibatches(a *app, m *learn.Model) (int, error) {
	return workloads.EpochMinibatches(m, workloadList(a), t.PerEpoch)
}

// projectionParts shows whole trainings, and marks modes that exceed the limit.
func projectionParts(p *outlook.Projection, space *tegra.Space) []document.Part {
	t := document.Table{Head: []string{"strategy", "mode", "hours", "kWh", "hours saved", "kWh saved", "", ""}}
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
		t.Rows = append(t.Rows, row)
	}
	return []document.Part{document.Break{}, document.Line(fmt.Sprintf("whole trainings, %s (%s minibatches):",
		text.Count(p.Epochs, "epoch"), text.Thousands(p.Minibatches))), t}
}

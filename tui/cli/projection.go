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

// projectionParts shows whole trainings.
func projectionParts(p *outlook.Projection, space *tegra.Space) []document.Part {
	return []document.Part{document.Break{}, document.Line(fmt.Sprintf("whole trainings, %s (%s minibatches):",
		text.Count(p.Epochs, "epoch"), text.Thousands(p.Minibatches))),
		p.Columns(space.Format, func(name string) string { return answers.Said(name, answers.Today) }).Document(p.Rows)}
}

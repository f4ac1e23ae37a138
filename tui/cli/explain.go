package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/optimize/advice"
	"jtune/tegra"
	"jtune/tui/session/workloads"
)

// explainCmd is `jtune ask explain`.
type explainCmd struct {
	onModels
	Model, Mode string
	Minibatches int
	whole       training
	scenario    advice.Scenario
}

func newExplain(a *app) *cobra.Command {
	c := &explainCmd{onModels: onModels{a}}
	return a.command("explain", nil, c.run, c, places{"often": among(&c.scenario.Often, advice.Often...),
		"changes": among(&c.scenario.Changes, advice.Changing...)}, &c.scenario, the("training", &c.whole))
}

func (c *explainCmd) run(context.Context) error {
	list := advice.Approaches()
	switch {
	case c.scenario != (advice.Scenario{}):
		list = []advice.Approach{advice.ApproachOf(c.scenario)}
		fallthrough
	case c.Model == "":
		return c.show(list, approachParts(list)...)
	}
	m, err := c.loadModel(c.Model)
	if err != nil {
		return err
	}
	s := workloads.Situation(m, workloadList(c.app), m.Space.Max())
	if c.Mode != "" {
		if s.Mode, err = tegra.FindMode(c.Mode, m.Space, s.Presets); err != nil {
			return fmt.Errorf("%w (--mode)", err)
		}
	}
	switch {
	case c.Minibatches > 0:
		s.Minibatches = c.Minibatches
	case c.whole.Epochs > 0:
		n, err := c.whole.minibatches(c.app, m)
		if err != nil {
			return err
		}
		s.Minibatches = c.whole.Epochs * n
	}
	found := advice.Of(m, s)
	err = c.show(report.Object{{"device", m.Provenance.Device}, {"virtual", m.Provenance.Virtual},
		{"replay", report.IfAny(m.Provenance.Replay)}, {"workload", m.Provenance.Workload},
		{"mode", m.Space.Format(s.Mode)}, {"advice", listOf(found)}}, linesOf(append(found, presentMode(m)...)...)...)
	return errors.Join(err, c.printOrigin(m.Provenance.Origin()))
}

// approachParts says which way of measuring suits which training.
func approachParts(list []advice.Approach) (parts []document.Part) {
	for i, p := range list {
		if i > 0 {
			parts = append(parts, document.Break{})
		}
		parts = append(parts, linesOf(fmt.Sprintf("%s (trainings: %s; the workload changes: %s)", p.Scenario,
			p.Training, p.Changes), "  the paper:  "+p.Paper, "  with jtune: "+p.Jtune)...)
	}
	return parts
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/report"
	"jtune/optimize/advice"
	"jtune/tegra"
	"jtune/tui/session/workloads"
)

// explainCmd is `jtune ask explain`.
type explainCmd struct {
	onModels
	model, mode string
	minibatches int
	whole       training
	scenario    advice.Scenario
}

func newExplain(a *app) *cobra.Command {
	return command(&explainCmd{onModels: onModels{a}}, "explain", nil)
}

func (c *explainCmd) flags(f *pflag.FlagSet) {
	c.jsonFlag(f, asDocument)
	bind(f, "explain", places{"model": &c.model, "mode": &c.mode, "minibatches": &c.minibatches,
		"often": among(&c.scenario.Often, advice.Often...), "length": &c.scenario.Length,
		"changes": among(&c.scenario.Changes, advice.Changing...)})
	c.whole.flags(f)
}

func (c *explainCmd) run(context.Context) error {
	list := advice.Approaches()
	switch {
	case c.scenario != (advice.Scenario{}):
		list = []advice.Approach{advice.ApproachOf(c.scenario)}
		fallthrough
	case c.model == "":
		if c.asJSON {
			return printJSON(c.out, list)
		}
		return printApproaches(c.out, list)
	}
	m, err := c.loadModel(c.model)
	if err != nil {
		return err
	}
	s := workloads.Situation(m, workloadList(c.base()), m.Space.Max())
	if c.mode != "" {
		if s.Mode, err = tegra.FindMode(c.mode, m.Space, s.Presets); err != nil {
			return fmt.Errorf("%w (--mode)", err)
		}
	}
	switch {
	case c.minibatches > 0:
		s.Minibatches = c.minibatches
	case c.whole.epochs > 0:
		n, err := c.whole.minibatches(c.app, m)
		if err != nil {
			return err
		}
		s.Minibatches = c.whole.epochs * n
	}
	if c.asJSON {
		return printJSON(c.out, report.Object{{"device", m.Provenance.Device}, {"virtual", m.Provenance.Virtual},
			{"replay", report.IfAny(m.Provenance.Replay)}, {"workload", m.Provenance.Workload},
			{"mode", m.Space.Format(s.Mode)}, {"advice", listOf(advice.Of(m, s))}})
	}
	lines := append(advice.Of(m, s), presentMode(m)...)
	return errors.Join(printLines(c.out, lines), c.printOrigin(m.Provenance.Origin()))
}

func printApproach(w io.Writer, p advice.Approach) error {
	_, err := fmt.Fprintf(w, "%s (trainings: %s; the workload changes: %s)\n  the paper:  %s\n  with jtune: %s\n",
		p.Scenario, p.Training, p.Changes, p.Paper, p.Jtune)
	return err
}

// printApproaches prints which way of measuring suits which training.
func printApproaches(w io.Writer, list []advice.Approach) error {
	for i, p := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := printApproach(w, p); err != nil {
			return err
		}
	}
	return nil
}

func printLines(w io.Writer, lines []string) error {
	for _, l := range lines {
		if _, err := fmt.Fprintln(w, l); err != nil {
			return err
		}
	}
	return nil
}

package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"jtune/internal/units"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/advice"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/fit"
	"jtune/tui/session/savedanswers"
	"jtune/tui/session/soak"
	"jtune/tui/session/workloads"
)

// chooseCmd is `jtune ask choose`.
type chooseCmd struct {
	onModels
	Model            string
	goal             metric.Question
	whole            training
	MaxError, Margin float64
	Risk             float64
}

func newChoose(a *app) *cobra.Command {
	c := &chooseCmd{onModels: onModels{a}}
	l := &c.goal.Limit
	c.Margin = l.Margin.Z()
	return a.command("choose", nil, c.run, places{"power-limit": boundOf(&l.Limits, metric.Power),
		"energy-limit": boundOf(&l.Limits, metric.Energy),
		"max-slowdown": &quantity{unit: units.Percent, limit: true, set: func(v float64) { l.SlowerPct = v }},
		"throughput":   aim{l, metric.Time}, "limit": oneGoal(&c.goal), "risk": riskOf(&c.Risk)},
		c, l, otherGoals(l), theLoad(&c.goal.Load), the("training", &c.whole))
}

func (c *chooseCmd) check() error {
	if c.goal.Limit.Margin = metric.MarginOf(c.Margin); c.Risk != metric.DefaultRisk {
		c.goal.Limit.Risk = c.Risk
	}
	return nil
}

func (c *chooseCmd) run(context.Context) error {
	m, err := c.loadPowered("choose", c.Model)
	if err != nil {
		return err
	}
	w := listedWorkload(c.app, m.Provenance.Workload)
	if c.goal.Limit.Knee || c.goal.Limit.SlowerPct > 0 { // they are of no load
		w = workload.Workload{}
	}
	c.goal.Load = loadOf(c.goal.Load, w, c.given)
	served := c.goal.Load.Any()
	if err := checkGoal(c.goal); err != nil {
		return err
	}
	if err := fit.CheckError(m, c.MaxError); err != nil {
		return err
	}
	switch {
	case served && c.whole.Epochs > 0:
		return usagef("choose --epochs is about training, not about a load")
	case served:
		return c.underLoad(m)
	}
	return c.best(m)
}

// workloadList lists the built-in workloads and those of the user's file, as known without a device; none if the file
// has an error. It reads them once.
func workloadList(a *app) []workload.Workload {
	if a.workloads == nil {
		a.workloads, _ = workloads.Configured(a.options.Paths)
	}
	return a.workloads
}

// listedWorkload returns a workload by name; the zero value if unknown.
func listedWorkload(a *app, name string) workload.Workload {
	w, _ := workload.Find(workloadList(a), name)
	return w
}

// onModels is app for commands on models.
type onModels struct{ *app }

// outlook returns what a model and the searches of its workload know of settings.
func (a onModels) outlook(m *learn.Model, list []tegra.Setting) *outlook.Outlook {
	o := outlook.OutlookOf(m, list)
	o.Found = savedanswers.Answered(a.campaigns(), m.Provenance)
	return o
}

func (c *chooseCmd) best(m *learn.Model) error {
	situation := workloads.Situation(m, workloadList(c.app), m.Space.Max())
	o := c.outlook(m, c.settings(m, m.Space.Modes()))
	known := c.campaigns()
	rows := savedanswers.Readings(known, m.Provenance, c.goal.Limit)
	o, err := o.Knowing(c.goal.Limit, record.Usable(rows), heatOf(known, m.Provenance))
	if err != nil {
		return err
	}
	at, err := o.Choose(c.goal.Limit)
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return err
	}
	c.doubts(m)
	situation.Mode = o.Predicted[at].Mode
	a := answers.Chosen(o, at, c.goal.Limit, situation.Presets, situation.Present,
		rows, err == nil)
	if c.whole.Epochs > 0 {
		perEpoch, err := c.whole.minibatches(c.app, m.At(a.Batch))
		if err != nil {
			return err
		}
		projection := o.Project(at, a.Versus, c.goal.Limit, c.whole.Epochs, perEpoch)
		a.Training, situation.Minibatches = &projection, projection.Minibatches
	}
	var findings []string
	if !c.asJSON {
		situation.Predicted = slices.DeleteFunc(slices.Clone(o.Predicted),
			func(p learn.Prediction) bool { return p.Batch != a.Batch })
		findings = append(advice.Findings(m.At(a.Batch), situation), presentMode(m)...)
	}
	return errors.Join(err, c.answer(a, m, findings))
}

// heatOf returns how the board of a model warms, as its soaks show.
func heatOf(list []campaigns.Campaign, from learn.Provenance) metric.Heat {
	return soak.HeatOf(list, savedanswers.Board(list, from))
}

// answer prints an answer based on a model.
func (c *chooseCmd) answer(a answers.Answer, m *learn.Model, findings []string) error {
	parts := answerParts(a, listedWorkload(c.app, a.Workload), m.Space, originMark(m.Provenance.Origin()),
		answers.Today, nil)
	return c.show(a, append(parts, adviceParts(findings)...)...)
}

// presentMode explains what the present mode is where no device is open; nothing if it is unknown.
func presentMode(m *learn.Model) []string {
	if !m.Provenance.Found.Mode.OK {
		return nil
	}
	return []string{"today's mode: the one that the board was in when it was last measured"}
}

// doubts notes why a model's predictions are unreliable.
func (a onModels) doubts(m *learn.Model) {
	if doubt := m.Doubt(); doubt != "" {
		a.note("%s", doubt)
	}
	if weak := m.Weakness(); weak != "" {
		a.note("the choice is a guess: %s", weak)
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/advice"
	"jtune/optimize/ladder"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/control"
	"jtune/tui/session/measure"
	"jtune/tui/session/search"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
)

// tuneCmd is `jtune tune`.
type tuneCmd struct {
	jobs
	r    measure.TuneRequest
	all  metric.Question // what holds for every goal
	more []metric.Goal   // further goals
	join joinFlags
}

func newTune(a *app) *cobra.Command {
	c := &tuneCmd{jobs: jobs{app: a}, r: measure.TuneRequest{Keep: true, Asked: record.Asked{Strategy: optimize.Auto,
		Depth: optimize.Quick, Coverage: campaigns.CoverLimit, Baseline: measure.BothBaselines}}}
	out := a.command("tune", c.own.args(none, cobra.ExactArgs(1)), c.run, places{"soak": &c.r.Soak, "out": &c.r.Dir,
		"risk": riskOf(&c.r.Risk), "power-limit": goals(&c.all, &c.more, metric.Power),
		"limit": goals(&c.all, &c.more, nil), "no-device": new(bool)}, &c.r, &c.r.Settings,
		otherGoals(&c.all.Limit), theLoad(&c.all.Load), c.join.named(), c.own.typed(), theServer(&a.options))
	out.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "effort" { // former name
			name = "depth"
		}
		return pflag.NormalizedName(name)
	})
	return out
}

func (c *tuneCmd) run(ctx context.Context) error {
	if err := errors.Join(c.withoutModes(), c.join.alone(&c.own)); err != nil {
		return err
	}
	if c.own.given() {
		c.args = []string{""}
	}
	if _, err := ladder.ParseRotation(c.r.Rotation); err != nil {
		return usagef("--rotation: %v", err)
	}
	c.r.Load = loadOf(c.all.Load, listedWorkload(c.app, c.args[0]), c.given)
	if err := c.limits(); err != nil {
		return err
	}
	return c.withSizedJob(c.args[0], "", func(s *session.Session, w workload.Workload, sizes []int) error {
		c.r.Batches = sizes
		w, err := c.understood(ctx, s, w)
		if err != nil {
			return err
		}
		if c.r.Workload, err = c.join.join(s, w, sizes); err != nil {
			return err
		}
		if c.runF != nil {
			return c.runF(c.r)
		}
		return c.doTune(ctx, s, c.r)
	})
}

// limits sets the limits of the request, each once.
func (c *tuneCmd) limits() error {
	for _, more := range append([]metric.Goal{{}}, c.more...) {
		l := c.all.Limit.With(more)
		if err := checkGoal(metric.Question{Limit: l, Load: c.r.Load}); err != nil {
			return err
		}
		if !slices.Contains(c.r.Limits, l) {
			c.r.Limits = append(c.r.Limits, l)
		}
	}
	return nil
}

func (c *tuneCmd) doTune(ctx context.Context, s *session.Session, r measure.TuneRequest) error {
	rep := c.reporter(s.Device)
	rep.quietRows = true // each probe prints its own line

	begun := sync.OnceFunc(func() { // after the search has accepted the request
		for _, l := range r.Limits[1:] {
			c.note("%s gets an answer of its own", l.Brief())
		}
		if r.Batches == nil {
			return
		}
		goal := metric.Question{Limit: r.Limits[0].Over(r.Batches), Load: r.Load}
		c.note("batch sizes %s, compared per sample: %s", text.JoinInts(r.Batches), goal.Words())
	})
	ctx, orders := control.Obey(ctx, s, task.Spec{Kind: task.Tuning, Workload: r.Workload}, r.Dir != "", rep.line)
	defer orders.End()
	r.Gate = orders.Gate
	res, err := search.Tune(ctx, s, r, orders.Observing(func(e measure.Event) {
		begun()
		rep.observe(e)
	}))
	rep.wipe()
	if res.Dir != "" {
		c.note("%s measured, %s in %.0f s, %s; recorded in %s",
			text.Count(optimize.Distinct(res.Probes), tegra.NameOfSettings(r.Batches)),
			text.Count(len(res.Probes), "measurement"), res.Took.Seconds(), res.Ended, res.Dir)
	}
	if res.Kept != "" {
		c.note("the model of all that is known: %s", res.Kept)
	}
	c.notes(res.Warnings)
	if none := len(res.Result.Answers) == 0 || res.Result.Answers[0].TimeMS == 0; none ||
		err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return err
	}
	var parts []document.Part
	for i, found := range res.Answers {
		if found.Feasible && !found.Verified && !r.Load.Any() {
			c.note("the answer was measured only once: no probe was left to repeat it")
		}
		if len(res.Answers) > 1 {
			if i > 0 {
				parts = append(parts, document.Break{})
			}
			parts = append(parts, document.Line(found.Limit.Words()))
		}
		if i > 0 && !found.Feasible && !res.Answers[i-1].Feasible && found.Mode == res.Answers[i-1].Mode {
			parts = append(parts, document.Line(found.Sheet(answers.Today).Lines()[0]))
			continue
		}
		parts = slices.Concat(parts, answerParts(found, r.Workload, s.Device.Space(), originOf(s.Device.Board()),
			answers.Today, nil), adviceParts(c.findings(s, res.Fitted, found)))
		if found.Soak != nil {
			parts = append(parts, proofParts(s, r.Workload, *found.Soak,
				found.Limit.Limits.Only(metric.Temperature))...)
		}
	}
	if err = errors.Join(err, c.show(report.Alone(res.Answers), parts...)); err == nil {
		err = proofExit(res)
	}
	if r.Workload.Elsewhere == nil || err != nil {
		return err
	}
	return c.leave(ctx, s, r, res.Answers)
}

// leave keeps the answer's mode for a job that jtune did not start, which continues.
func (c *tuneCmd) leave(ctx context.Context, s *session.Session, r measure.TuneRequest,
	found []answers.Answer) error {
	if len(found) > 1 {
		c.note("the training continues in its previous mode: set one of the answers with jtune apply MODE")
		return nil
	}
	m := found[0].Mode
	if _, err := workloads.Leave(ctx, s, m); err != nil {
		return fmt.Errorf("the training continues, but not in the answer: %w", err)
	}
	c.note("the training (%v) continues in %s, which is kept; jtune revert restores the previous mode",
		r.Workload.Elsewhere, s.Device.Space().Format(m))
	return nil
}

// findings returns a model's findings about an answer; nil without a model.
func (c *tuneCmd) findings(s *session.Session, m *learn.Model, a answers.Answer) []string {
	if m == nil {
		return nil
	}
	m = m.At(a.Batch)
	list, _ := workloads.Configured(c.options.Paths) // read again: --save may have added one
	return advice.Findings(m, advice.Situation{Mode: a.Mode, Answer: a.Read().V, Present: s.Setup(),
		Presets: s.Device.Presets(), Minibatches: workloads.Minibatches(m, list)})
}

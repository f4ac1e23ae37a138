package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/text"
	"jtune/optimize"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/control"
	"jtune/tui/session/pair"
	"jtune/tui/session/task"
)

// pairCmd is `jtune lab pair`.
type pairCmd struct {
	onModels
	pair.Request
	train, infer, models, at string
	modes, serveAt, trainAt  string
	predict                  bool
	changes                  int
}

func newPair(a *app) *cobra.Command {
	c := &pairCmd{onModels: onModels{a}, modes: "one"}
	c.Strategy = optimize.Auto
	return a.command("pair", nil, c.run, places{"train": &c.train, "infer": &c.infer, "models": &c.models,
		"predict": &c.predict, "power-limit": boundOf(&c.Limit.Limits, metric.Power), "at": &c.at,
		"modes": &c.modes, "serve-at": &c.serveAt, "train-at": &c.trainAt, "changes": &c.changes, "out": &c.Dir},
		c, &c.Request, &c.Load, &c.Settings, theLoad(&c.Load))
}

// check parses flags with a grammar.
func (c *pairCmd) check() error {
	c.Separate = c.modes == "separate"
	if c.models != "" {
		var both bool
		if c.train, c.infer, both = strings.Cut(c.models, ","); !both || c.train == "" || c.infer == "" {
			return usagef("--models %q: want two with a comma, the training's first", c.models)
		}
	}
	return nil
}

func (c *pairCmd) run(ctx context.Context) error {
	if c.predict || c.models != "" {
		return c.fromModels()
	}
	return c.onDevice(func(s *session.Session) error { return c.measure(ctx, s) })
}

// fromModels predicts the answer from models.
func (c *pairCmd) fromModels() error {
	train, err := c.loadPowered("pair", c.train)
	if err != nil {
		return err
	}
	infer, err := c.loadPowered("pair", c.infer)
	if err != nil {
		return err
	}
	if err := pair.Refused(c.options, train, infer); err != nil {
		return err
	}
	p, err := pair.Predict(c.Request, train, infer, c.options.Seed)
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return err
	}
	c.doubts(train)
	c.doubts(infer)
	p.Train, p.Infer = cmp.Or(p.Train, c.train), cmp.Or(p.Infer, c.infer)
	return errors.Join(err, c.print(p, infer.Space, originMark(infer.Provenance.Origin())))
}

// measure finds the answer by running pairs.
func (c *pairCmd) measure(ctx context.Context, s *session.Session) error {
	jobs, err := pair.PairJobs(s, c.train, c.infer)
	if err != nil {
		return err
	}
	c.Train, c.Infer, c.Batches = jobs.Train, jobs.Infer, jobs.Batches
	if c.serveAt != "" {
		return c.byHours(ctx, s)
	}
	if c.at != "" {
		m, err := s.Device.Space().Parse(c.at)
		switch {
		case err != nil:
			return usagef("--at: %v", err)
		case len(c.batches) != 1:
			return usagef("--at needs the batch size of the inference too: give one --batch N")
		}
		c.At = &tegra.Setting{Mode: m, Batch: c.Infer.Batch}
	}
	return c.doPair(ctx, s, c.Request)
}

// doPair finds an answer and prints it.
func (c *pairCmd) doPair(ctx context.Context, s *session.Session, r pair.Request) error {
	rep := c.reporter(s.Device)
	rep.quietRows = true
	spec := task.Spec{Kind: task.Pairing, Workload: r.Infer, With: []workload.Workload{r.Train}}
	ctx, orders := control.Obey(ctx, s, spec, r.Dir != "", rep.line)
	defer orders.End()
	r.Gate = orders.Gate
	found, err := pair.Search(ctx, s, r, orders.Observing(rep.observe))
	rep.wipe()
	if found.Dir != "" && ctx.Err() != nil {
		c.note("interrupted; continue with: jtune lab pair … --out %s --resume", found.Dir)
	}
	if found.Dir != "" {
		c.note("%s run in %.0f s; recorded in %s", text.Count(len(found.Probes), "pair"), found.Took.Seconds(),
			found.Dir)
	}
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) || found.Row == nil {
		return err
	}
	return errors.Join(err, c.print(found, s.Device.Space(), originOf(s.Device.Board())))
}

// byHours sets the modes of the two jobs by time of day.
func (c *pairCmd) byHours(ctx context.Context, s *session.Session) (err error) {
	var hours pair.PairHours
	if hours.Serve, err = pair.ParseHours(c.serveAt); err != nil {
		return err
	}
	if hours.Train, err = pair.ParseHours(c.trainAt); err != nil {
		return err
	}
	rep := c.reporter(s.Device)
	rep.quietRows = true
	defer rep.wipe()
	return pair.PairByHours(ctx, s, c.Request, hours, c.changes, rep.observe)
}

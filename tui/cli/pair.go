package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/text"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/pair"
	"jtune/tui/session/remote"
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
	return command(c, &cobra.Command{
		Use:   "pair --train A --infer B --rate R [--latency MS] [--power-limit W]",
		Short: "Run training and inference on one GPU: mode, batch size and turns",
		Long: "Finds how a training and an inference workload share one GPU: the power mode, the batch size of the " +
			"inference, and the turns that allow the most training within every limit. It starts from what is known " +
			"of each workload on this board, measures ten settings of an unknown one, predicts all mixes, and runs " +
			"the best ones as pairs, at most six: the answer is always measured. Each pair is recorded when it " +
			"ends; --out DIR --resume continues.\n\n" +
			"Turns: strict starts a minibatch only if it ends before the next batch is due; fill trains while no " +
			"batch is due; free takes no turns, and both jobs run at will.\n\n" +
			"--predict and --models measure nothing: the models assume that the times of two jobs on one board add " +
			"up.",
		Example: "  jtune lab pair --train resnet18 --infer mobilenet-infer --rate 60 --latency 300 " +
			"--power-limit 30\n" +
			"  jtune lab pair --train resnet18 --infer mobilenet-infer --rate 60 --at 12c/1.65C/0.83G/3.20M " +
			"--batch 16 " +
			"--policy free\n" +
			"  jtune lab pair --models resnet.model,mobilenet.model --rate 60 --arrivals uniform --latency 500",
	})
}

func (c *pairCmd) flags(f *pflag.FlagSet) {
	f.StringVar(&c.train, "train", "", "`NAME` of the training workload; with --predict also its model")
	f.StringVar(&c.infer, "infer", "", "`NAME` of the inference workload; with --predict also its model")
	f.StringVar(&c.models, "models", "", "predict from two `MODELS`, separated by a comma, the training's first")
	f.BoolVar(&c.predict, "predict", false, "predict from the kept models of both workloads, and measure nothing")
	boundFlag(f, &c.Limit.Limits, metric.Power, "power-limit", "draw at most `W` watts")
	choiceFlag(f, &c.Policy, "policy", "strict, fill or free (default: the better of strict and fill)",
		mix.Strict, mix.Fill, mix.Free)
	countFlag(f, &c.Tau, "tau", "with --policy strict: at most `N` minibatches between two batches")
	servingFlags(f, &c.Load)
	f.Lookup("rate").Usage = "serve `R` requests per second"
	f.Lookup("arrivals").Usage = "how requests arrive: uniform, poisson (default), or a `FILE` of times in seconds"
	_ = f.MarkHidden("outstanding") // closed loops leave no time for training
	c.measureFlags(f)
	c.jsonFlag(f, asDocument)
}

// measureFlags adds the flags of measuring.
func (c *pairCmd) measureFlags(f *pflag.FlagSet) {
	f.StringVar(&c.at, "at", "", "run the pair in `MODE` only, with the batch size of --batch")
	f.BoolVar(&c.Compare, "compare", false, "also run the answer without turns, as two independent jobs")
	choiceFlag(f, &c.Strategy, "strategy", "auto: predict, then run the best; for comparison, without predictions: "+
		"binary, gmd (Fulcrum's, at most 25 pairs) or random (50)", mix.Strategies()...)
	choiceFlag(f, &c.modes, "modes", "one mode for both jobs; separate: also report what a mode for each job would "+
		"do, switched before and after each batch, and measure the cost of a switch", "one", "separate")
	f.StringVar(&c.serveAt, "serve-at", "", "with --train-at: run no pair, but set the inference's mode during "+
		"`HOURS`, such as 07:00-22:00, until interrupted")
	f.StringVar(&c.trainAt, "train-at", "", "with --serve-at: set the training's mode during `HOURS`, such as "+
		"22:00-07:00")
	countFlag(f, &c.changes, "changes", "with --serve-at: end after `N` changes of mode")
	countFlag(f, &c.Pairs, "pairs", "run at most `N` pairs (default 6)")
	countFlag(f, &c.Requests, "requests", "answer `N` requests in each pair (default 1000, which p99 needs)")
	perModeFlag(f, &c.Settings.Minibatches)
	f.StringVar(&c.Dir, "out", "", "new campaign `DIR` for the pairs (default: in the data directory)")
	f.BoolVar(&c.Resume, "resume", false, "continue the same search in --out DIR")
	f.BoolVar(&c.RedoFailed, "redo-failed", false, "with --resume: run the failed pairs again")
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
	switch {
	case c.train == "" || c.infer == "":
		return usagef("give --train A and --infer B, two workloads, or --models A.model,B.model")
	case c.Load.RatePerS == 0 && c.Load.Arrivals == "":
		return usagef("a pair needs the rate of the requests: give --rate R")
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
	r := pair.PairRequest{Question: c.Question, Policy: c.Policy, Tau: c.Tau, Seed: c.options.Seed}
	var err error
	if r.Train, err = c.loadPowered("pair", c.train); err != nil {
		return err
	}
	if r.Infer, err = c.loadPowered("pair", c.infer); err != nil {
		return err
	}
	if err := pair.Refused(c.options, r.Train, r.Infer, r.Infer.Batches); err != nil {
		return err
	}
	p, err := pair.Pair(r)
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return err
	}
	c.doubts(r.Train)
	c.doubts(r.Infer)
	p.Train, p.Infer = cmp.Or(p.Train, c.train), cmp.Or(p.Infer, c.infer)
	return errors.Join(err, c.print(p, r.Infer.Space, originMark(r.Infer.Provenance.Origin())))
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
	ctx, orders := remote.Obey(ctx, s, task.Spec{Kind: task.Pairing, Workload: r.Infer, Pair: &r.Train}, r.Dir != "",
		rep.line)
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

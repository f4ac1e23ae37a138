package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/session"
)

// pairFlags are the flags of pair.
type pairFlags struct {
	session.PairSearch
	train, infer, models, policy, at  string
	modes, serveAt, trainAt, strategy string
	predict                           bool
	changes                           int
}

func (a *app) pair() *cobra.Command {
	var f pairFlags
	cmd := &cobra.Command{
		Use:   "pair --train A --infer B --rate R [--latency MS] [--power-limit W]",
		Short: "Run training and inference on one GPU: mode, batch size and turns",
		Long: "Looks for the power mode, the batch size of the inference and the turns in which a training and an " +
			"inference workload share one GPU: the most training while every limit is kept. It takes what is known " +
			"of each workload on this board, measures ten settings of one that is not known, predicts all mixes, and " +
			"runs the best as pairs, six at most: the answer has been measured. Each pair is recorded when it ends: " +
			"--out DIR --resume goes on. strict: a minibatch starts only if " +
			"it ends before the next batch is due; fill: training goes on while no batch is due; free: no turns, " +
			"both run as they please. --predict, and --models, measure nothing: that times add when two jobs share " +
			"a board is then the models' word.",
		Example: "  jtune pair --train resnet18 --infer mobilenet-infer --rate 60 --latency 300 --power-limit 30\n" +
			"  jtune pair --train resnet18 --infer mobilenet-infer --rate 60 --at 12c/1.65C/0.83G/3.20M --batch 16 " +
			"--policy free\n" +
			"  jtune pair --models resnet.model,mobilenet.model --rate 60 --arrivals uniform --latency 500",
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd.Flags().Changed); err != nil {
				return err
			}
			if f.predict || f.models != "" {
				return a.predictPair(f)
			}
			return a.onDevice(func(s *session.Session) error { return a.runPair(cmd.Context(), s, f) })
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.train, "train", "", "training workload; with --predict also its model: `NAME` or file")
	fl.StringVar(&f.infer, "infer", "", "inference workload; with --predict also its model: `NAME` or file")
	fl.StringVar(&f.models, "models", "", "predict from two `MODELS` with a comma, the training's first")
	fl.BoolVar(&f.predict, "predict", false, "predict from the kept models of both, and measure nothing")
	fl.Float64Var(&f.Limit.PowerW, "power-limit", 0, "limit of `W` watts")
	fl.StringVar(&f.policy, "policy", "", "turns: strict, fill or free (default the better of strict and fill)")
	countFlag(fl, &f.Tau, "tau", "strict turns: at most `N` minibatches between two batches")
	servingFlags(fl, &f.Serving)
	fl.Lookup("rate").Usage = "inference under a load of `R` requests per second"
	fl.Lookup("arrivals").Usage = "how they arrive: uniform, poisson (default), or a `FILE` of seconds"
	_ = fl.MarkHidden("outstanding") // of a closed loop, which leaves no time to train
	pairRunFlags(fl, &f)
	a.jsonFlag(fl)
	return cmd
}

// pairRunFlags adds the flags of measuring.
func pairRunFlags(fl *pflag.FlagSet, f *pairFlags) {
	fl.StringVar(&f.at, "at", "", "run the pair in `MODE` alone, at the batch size of --batch")
	fl.BoolVar(&f.Compare, "compare", false, "run the answer without turns too, as two jobs run that know nothing of "+
		"each other")
	fl.StringVar(&f.strategy, "strategy", "auto", "auto: predict, then run the best; to compare, by running alone: "+
		"binary, gmd (Fulcrum's, 25 pairs at most) or random (50)")
	fl.StringVar(&f.modes, "modes", "one", "separate: say too what a mode for each job would do, switched before and "+
		"after each batch, and measure what a switch costs: one or `separate`")
	fl.StringVar(&f.serveAt, "serve-at", "", "with --train-at: no pair; set the mode of the inference in these `HOURS`, "+
		"such as 07:00-22:00, until interrupted")
	fl.StringVar(&f.trainAt, "train-at", "", "and that of the training in these `HOURS`, such as 22:00-07:00")
	countFlag(fl, &f.changes, "changes", "with --serve-at: end after `N` changes of mode")
	countFlag(fl, &f.Most, "pairs", "run at most `N` pairs (default 6)")
	countFlag(fl, &f.Requests, "requests", "answer `N` requests in each (default 1000, which a 99 % quantile needs)")
	perModeFlag(fl, &f.Settings.Minibatches)
	fl.StringVar(&f.Dir, "out", "", "new campaign `DIR` for the pairs (default: in the data directory)")
	fl.BoolVar(&f.Resume, "resume", false, "continue the same search in --out DIR")
	fl.BoolVar(&f.RedoFailed, "redo-failed", false, "with --resume: run the pairs again that failed")
}

// onlyMeasured are the flags that mean nothing where nothing is measured.
var onlyMeasured = []string{"at", "compare", "pairs", "requests", "minibatches", "out", "modes", "strategy",
	"serve-at", "train-at",
	"changes", "resume", "redo-failed"}

// onlyPairs are the flags that mean nothing where no pair is run.
var onlyPairs = []string{"at", "compare", "pairs", "requests", "out", "resume", "redo-failed", "policy", "tau", "modes"}

// check checks flags and takes over those that have a grammar.
func (f *pairFlags) check(given func(name string) bool) error {
	if _, err := underLoad(f.Serving, given); err != nil {
		return err
	}
	if err := checkLimits(f.Limit, given); err != nil {
		return err
	}
	predicts := f.predict || f.models != ""
	switch f.Policy = optimize.Policy(f.policy); f.Policy {
	case "", optimize.Strict, optimize.Fill:
	case optimize.Free:
		if predicts {
			return usagef("--policy free: without turns only measuring says what happens: leave --predict and " +
				"--models away, or take strict or fill")
		}
	default:
		return usagef("--policy %q: want strict, fill or free", f.policy)
	}
	if f.models != "" {
		var both bool
		if f.train, f.infer, both = strings.Cut(f.models, ","); !both || f.train == "" || f.infer == "" {
			return usagef("--models %q: want two with a comma, the training's first", f.models)
		}
	}
	if f.train == "" || f.infer == "" {
		return usagef("give --train A and --infer B, two workloads, or --models A.model,B.model")
	}
	for _, name := range onlyMeasured {
		if predicts && given(name) {
			return usagef("--%s is of measuring: leave --predict and --models away", name)
		}
	}
	if err := checkResume(f.Dir, f.Resume, f.RedoFailed); err != nil {
		return err
	}
	f.Strategy = optimize.Strategy(f.strategy)
	switch {
	case !slices.Contains(optimize.MixStrategies(), f.Strategy):
		return usagef("--strategy %q: want auto, binary, gmd or random", f.strategy)
	case f.Strategy != optimize.Auto && (f.modes != "one" || f.at != "" || f.serveAt != "" || f.policy == "free"):
		return usagef("--strategy %s looks for one setting of a pair with turns: leave --modes, --at, --serve-at and "+
			"--policy free away", f.strategy)
	}
	switch f.modes {
	case "one":
	case "separate":
		if f.Separate = true; f.at != "" {
			return usagef("--modes separate chooses its modes: leave --at away")
		}
	default:
		return usagef("--modes %q: want one or separate", f.modes)
	}
	if (f.serveAt == "") != (f.trainAt == "") {
		return usagef("--serve-at and --train-at belong together")
	}
	for _, name := range onlyPairs {
		if f.serveAt != "" && given(name) {
			return usagef("--serve-at sets a mode for each job by the time of day, and runs no pair: leave --%s away",
				name)
		}
	}
	if f.Tau > 0 && f.policy != "" && f.Policy != optimize.Strict {
		return usagef("--tau is of strict turns: leave it away with --policy %s", f.policy)
	}
	if f.Serving.RatePerS == 0 && f.Serving.Arrivals == "" {
		return usagef("a pair needs the rate of the requests: give --rate R")
	}
	return nil
}

// predictPair predicts from models.
func (a *app) predictPair(f pairFlags) error {
	r := session.PairRequest{Serving: f.Serving, Limit: f.Limit, Policy: f.Policy, Tau: f.Tau, Seed: a.options.Seed}
	var err error
	if r.Train, err = a.loadPowered("pair", f.train); err != nil {
		return err
	}
	if r.Infer, err = a.loadPowered("pair", f.infer); err != nil {
		return err
	}
	p, err := session.Pair(r)
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return err
	}
	a.doubts(r.Train)
	a.doubts(r.Infer)
	x := pairAnswer{PairFound: session.PairFound{PairAnswer: p, Feasible: err == nil}, space: r.Infer.Space,
		origin: originMark(r.Infer.Provenance.Origin()), device: r.Infer.Provenance.Device,
		virtual: r.Infer.Provenance.Virtual,
		train:   modelWorkload(r.Train, f.train), infer: modelWorkload(r.Infer, f.infer), powerW: f.Limit.PowerW}
	return errors.Join(err, a.answerPair(x))
}

// modelWorkload is what a model is of.
func modelWorkload(m *learn.Model, name string) string { return cmp.Or(m.Provenance.Workload, name) }

// runPair looks for the answer by running pairs.
func (a *app) runPair(ctx context.Context, s *session.Session, f pairFlags) error {
	jobs, err := s.PairJobs(f.train, f.infer)
	if err != nil {
		return err
	}
	f.Train, f.Infer, f.Batches = jobs.Train, jobs.Infer, jobs.Batches
	if f.serveAt != "" {
		return a.pairByHours(ctx, s, f)
	}
	if f.at != "" {
		m, err := s.Device.Space().Parse(f.at)
		switch {
		case err != nil:
			return usagef("--at: %v", err)
		case len(a.batches) != 1:
			return usagef("--at needs the batch size of the inference too: give one --batch N")
		}
		f.At = &tegra.Setting{Mode: m, Batch: f.Infer.Batch}
	}
	return a.doPair(ctx, s, f.PairSearch)
}

// doPair looks for an answer and prints it.
func (a *app) doPair(ctx context.Context, s *session.Session, r session.PairSearch) error {
	rep := a.reporter(s.Device)
	rep.quietRows = true
	ctx, orders := s.Obey(ctx, session.TaskSpec{Kind: session.Pairing, Workload: r.Infer, Pair: &r.Train}, r.Dir != "",
		rep.line)
	defer orders.End()
	r.Gate = orders.Gate
	found, err := s.Pair(ctx, r, orders.Observing(rep.observe))
	rep.wipe()
	if found.Dir != "" && ctx.Err() != nil {
		a.note("interrupted; continue with: jtune pair … --out %s --resume", found.Dir)
	}
	if found.Dir != "" {
		a.note("%s run in %.0f s; recorded in %s", text.Count(len(found.Probes), "pair"), found.Took.Seconds(),
			found.Dir)
	}
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) || found.Row == nil {
		return err
	}
	board := s.Device.Board()
	return errors.Join(err, a.answerPair(pairAnswer{PairFound: found, space: s.Device.Space(), origin: originOf(board),
		device: board.Name, virtual: board.Virtual, train: r.Train.Name, infer: r.Infer.Name, powerW: r.Limit.PowerW}))
}

// pairByHours sets the modes of the two jobs by the time of day.
func (a *app) pairByHours(ctx context.Context, s *session.Session, f pairFlags) (err error) {
	var hours session.PairHours
	if hours.Serve, err = session.ParseHours(f.serveAt); err != nil {
		return err
	}
	if hours.Train, err = session.ParseHours(f.trainAt); err != nil {
		return err
	}
	rep := a.reporter(s.Device)
	rep.quietRows = true
	defer rep.wipe()
	return s.PairByHours(ctx, f.PairSearch, hours, f.changes, rep.observe)
}

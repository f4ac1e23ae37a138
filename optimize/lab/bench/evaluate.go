package bench

// PowerTrain's evaluation (sections 4 and 5; docs/method.md, Scores) on any measured sweep: how well each method
// predicts unseen modes, and how good its picks are for every power limit. All methods learn from the same random
// modes. Additions to the paper: errors on unseen modes only, the 90th percentile of the penalty, and the closed loop,
// which searches once per limit.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/optimize/lab/score"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Names of the methods.
const (
	GP         = "gp"                // the default predictor; picks with a margin of one deviation
	GPRef      = "gp+ref"            // gp with the reference
	GPVerify   = "gp+verify"         // gp, then up to 10 of its picks measured
	PowerTrain = "powertrain"        // networks transferred from the reference workload, predicted front
	PTMAPE     = "powertrain-mape"   // likewise with relative loss (the paper's for an Orin Nano); only if named
	PTFrozen   = "powertrain-frozen" // likewise, training only the last layer
	NN         = "nn"                // networks from scratch, predicted front
	Linear     = "linear"            // linear regression, predicted front
	Linear4    = "linear4"           // the 2022 study's: linear time from the best four modes, one energy model
	Tree       = "tree"              // a decision tree, predicted front
	Forest     = "forest"            // a random forest, predicted front
	MLP        = "mlp"               // a small network from scratch, predicted front
	Random     = "random"            // the best of the measured modes
	Tune       = "tune"              // the closed loop, one search per limit
	TuneRef    = "tune+ref"          // tune with the reference
	Binary     = "binary"            // multi-dimensional binary search, one per limit
	Maxn       = "maxn"              // always the highest mode
	Presets    = "presets"           // the fastest preset within the limit
	Oracle     = "oracle3"           // a bound for comparison: the best of three picks of a model that knows the sweep
)

// Methods lists the names for Options.Methods, in the order of the report.
func Methods() []string {
	return []string{
		GP,
		GPRef,
		GPVerify,
		PowerTrain,
		PTMAPE,
		PTFrozen,
		NN,
		Linear,
		Linear4,
		Tree,
		Forest,
		MLP,
		Random,
		Tune,
		TuneRef,
		Binary,
		Maxn,
		Presets,
		Oracle,
	}
}

// Options configure a comparison on a measured sweep. Only Truth is required.
type Options struct {
	Truth  []tegra.Measured
	Name   string // of the sweep, for the heading
	Origin string // origin of the sweep if no real board measured it (tegra.Origin); else ""
	// Reference is for powertrain, gp+ref and tune+ref. nil: powertrain transfers from the shipped networks and the
	// others are omitted, since a default reference might be the sweep's own workload.
	Reference *learn.Reference
	// Others are workloads measured on the same board in the same modes: linear4 uses them to choose its modes and fit
	// energy. None: it uses the sweep itself.
	Others  []Workload
	Methods []string // nil: all that can run, except powertrain-mape
	Sizes   []int    // modes to learn from; nil: those of 10, 20, 50 below the number of modes
	Seeds   int      // samples per size; 0: 10
	// BudgetFrom, BudgetTo and BudgetStep are the power limits in watts. All 0: from the sweep's least power to that of
	// its fastest mode, beyond which no limit binds, in about defaultBudgets steps.
	BudgetFrom, BudgetTo, BudgetStep float64
	// LatenciesMS are limits on the minibatch time, combined with every power limit if Truth has several batch sizes;
	// nil: 25, 50, 100, 200.
	LatenciesMS []float64
	Presets     []tegra.Preset
	Seed        uint64
	// Authors' runs replace random samples, and Report.Duels compares their errors with ours. Sizes nil: those of 10,
	// 20, 50 that they have, else all of theirs; Seeds is at most the number of runs.
	Authors []Authors
	// Designed makes gp and gp+ref choose their modes by design.Design, each with its own model, instead of at
	// random.
	Designed bool
	// Scratch overrides the settings of networks trained from scratch; nil: nn.FromScratch.
	Scratch *nn.Config
	// LeaveOutStuck removes the rows that Stuck finds in Truth; otherwise they are only reported.
	LeaveOutStuck bool
	// Quick changes the defaults: sizes 10 and 50, 3 seeds, every third watt, no networks. Seconds instead of minutes.
	Quick    bool
	Workers  int                   // 0: one per core
	Progress func(done, total int) // never called concurrently

	all     bool             // no methods were named
	trained *learn.Reference // Reference with its networks, once trained
}

func (o *Options) defaults() error {
	seeds, sizes, few := 10, []int{10, 20, 50}, 1.0
	methods := slices.DeleteFunc(Methods(), func(m string) bool { return m == PTMAPE })
	if o.Quick {
		seeds, sizes, few = 3, []int{10, 50}, 3
		slow := []string{PowerTrain, PTFrozen, NN, MLP}
		methods = slices.DeleteFunc(methods, func(m string) bool { return slices.Contains(slow, m) })
	}
	if o.Sizes == nil {
		o.Sizes = slices.DeleteFunc(sizes, func(n int) bool {
			return n >= len(o.Truth) || len(o.Authors) > 0 && len(o.Authors[0].Of(n)) == 0
		})
		if len(o.Sizes) == 0 && len(o.Authors) > 0 {
			o.Sizes = o.Authors[0].Sizes()
		}
	}
	if o.Seeds == 0 {
		o.Seeds = seeds
	}
	if len(o.Sizes) == 0 {
		o.Sizes = []int{max(1, len(o.Truth)/2)}
	}
	if o.Methods == nil {
		o.Methods, o.all = methods, true
	}
	if o.sized() {
		few = 3
	}
	if o.BudgetFrom == 0 && o.BudgetTo == 0 {
		o.ownBudgets(few)
	}
	if o.LatenciesMS == nil {
		o.LatenciesMS = []float64{25, 50, 100, 200}
	}
	if o.BudgetStep == 0 {
		o.BudgetStep = few
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o.check()
}

// sized reports whether the sweep has several batch sizes.
func (o *Options) sized() bool { return len(tegra.BatchSizes(tegra.SettingsOf(o.Truth))) > 1 }

// defaultBudgets is the approximate default number of power limits: the same as PowerTrain's 17 to 50 W.
const defaultBudgets = 34

// ownBudgets derives the power limits from the sweep: whole steps between the least power and that of the fastest mode,
// every few of them.
func (o *Options) ownBudgets(few float64) {
	least, fastest := math.Inf(1), tegra.Measured{TimeMS: math.Inf(1)}
	for _, m := range o.Truth {
		if !stats.Positive(m.TimeMS, m.PowerW) {
			continue
		}
		least = min(least, m.PowerW)
		if m.SampleMS() < fastest.SampleMS() {
			fastest = m
		}
	}
	if fastest.PowerW == 0 { // power was not measured
		o.BudgetFrom, o.BudgetTo = 1, 1
		return
	}
	step := 1.0
	for _, s := range []float64{0.1, 0.2, 0.5, 1, 2, 5} {
		if step = s; (fastest.PowerW-least)/s <= defaultBudgets {
			break
		}
	}
	o.BudgetFrom = math.Ceil(least/step) * step
	o.BudgetTo = max(math.Floor(fastest.PowerW/step)*step, o.BudgetFrom)
	if o.BudgetStep == 0 {
		o.BudgetStep = step * few
	}
}

// mostBudgets limits the number of power limits.
const mostBudgets = 1000

func (o *Options) check() error {
	switch {
	case len(o.Truth) == 0:
		return errors.New("no measured modes to evaluate on")
	case o.Seeds < 0:
		return fmt.Errorf("%d seeds, must be positive", o.Seeds)
	case !(o.BudgetFrom > 0 && o.BudgetTo >= o.BudgetFrom && o.BudgetStep > 0) || math.IsInf(o.BudgetTo, 0):
		return fmt.Errorf("budgets %g:%g:%g, want from:to:step in watts with 0 < from ≤ to",
			o.BudgetFrom, o.BudgetTo, o.BudgetStep)
	case (o.BudgetTo-o.BudgetFrom)/o.BudgetStep > mostBudgets:
		return fmt.Errorf("budgets %g:%g:%g are more than %d",
			o.BudgetFrom, o.BudgetTo, o.BudgetStep, mostBudgets)
	}
	for _, ms := range o.LatenciesMS {
		if !(ms > 0) || math.IsInf(ms, 0) {
			return fmt.Errorf("a latency of %g ms: want a positive number", ms)
		}
	}
	for _, n := range o.Sizes {
		if n < 1 || n > len(o.Truth) {
			return fmt.Errorf("cannot learn from %d of %d modes", n, len(o.Truth))
		}
	}
	for _, m := range o.Methods {
		if !slices.Contains(Methods(), m) {
			return fmt.Errorf("unknown method %q: want some of %v", m, Methods())
		}
	}
	if len(o.Authors) > 0 {
		return checkAuthors(o.Authors)
	}
	return nil
}

// Evaluate runs the comparison on all cores. It stops soon after the context ends. Equal options give equal reports.
func Evaluate(ctx context.Context, o Options) (*score.Report, error) {
	stuck := o.withoutStuck()
	if err := o.defaults(); err != nil {
		return nil, err
	}
	f, err := newTruth(&o)
	if err != nil {
		return nil, err
	}
	c, notes, err := methods(ctx, &o, f)
	if err != nil {
		return nil, err
	}
	trials := plan(&o, f, c)
	if err := work(ctx, trials, f, &o); err != nil {
		return nil, err
	}
	r := &score.Report{
		Name:    o.Name,
		Virtual: o.Origin != "",
		Modes:   len(f.rows),
		Budgets: append([]float64{}, f.once(func(l metric.Goal) float64 { return l.Of(metric.Power) })...),
		Batches: tegra.Among(f.places.Batches),
		Dropped: f.dropped,
		Notes:   append(stuck, notes...),
		Origin:  o.Origin,

		LatenciesMS: f.once(func(l metric.Goal) float64 { return l.Of(metric.Time) }),
	}
	for len(trials) > 0 {
		n := trials[0].seeds
		r.Rows = append(r.Rows, f.row(trials[:n]))
		r.Duels = append(r.Duels, duels(o.Authors, trials[:n])...)
		if note := trials[0].note; note != nil {
			r.Notes = append(r.Notes, trials[0].name+": "+note(trials[:n]))
		}
		trials = trials[n:]
	}
	if f.lucky > 0 {
		r.Notes = append(
			r.Notes,
			fmt.Sprintf("clean: %d of the sweep's readings are far below the fit: luck or a fault", f.lucky),
		)
	}
	return r, nil
}

// trial is one method on one sample.
type trial struct {
	*method
	size  int // 0: the method learns from no modes
	seeds int // number of trials of this method and size, which are consecutive
	seed  uint64
	out   outcome
}

// slowSeeds is the default number of samples per size of a slow method, so that a full comparison takes a couple of
// minutes.
const slowSeeds = 4

func plan(o *Options, f *truth, list []*method) []*trial {
	var trials []*trial
	for _, c := range list {
		sizes, seeds := []int{0}, 1
		if c.sized {
			sizes = o.Sizes
		}
		if c.seeded {
			seeds = o.Seeds
		}
		if c.slow && o.all {
			seeds = min(seeds, slowSeeds)
		}
		for _, size := range sizes {
			runs := seeds
			if n := f.drawn(size); n > 0 {
				runs = min(runs, n)
			}
			for k := range runs {
				trials = append(trials, &trial{method: c, size: size, seeds: runs, seed: o.Seed + uint64(k)})
			}
		}
	}
	return trials
}

// work runs the trials, several at a time.
func work(ctx context.Context, trials []*trial, f *truth, o *Options) error {
	all, running := errgroup.WithContext(ctx)
	all.SetLimit(o.Workers)
	var lock sync.Mutex
	done := 0
	for _, j := range trials {
		all.Go(func() (err error) {
			if running.Err() != nil {
				return running.Err()
			}
			if j.out, err = j.run(running, f, j.size, j.seed); err != nil {
				return fmt.Errorf("%s with %d modes, seed %d: %w", j.name, j.size, j.seed, err)
			}
			lock.Lock()
			defer lock.Unlock()
			if done++; o.Progress != nil {
				o.Progress(done, len(trials))
			}
			return nil
		})
	}
	err := all.Wait()
	return cmp.Or(ctx.Err(), err)
}

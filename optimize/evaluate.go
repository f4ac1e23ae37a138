package optimize

// PowerTrain's evaluation (method note e.4, f.4) on any measured sweep: how
// well each method predicts the modes it has not seen, and how good and how
// honest the modes are that it picks for every power limit. All methods learn
// from the same random modes. Ours beside the paper: errors on the modes not
// learned from next to the paper's all-modes figure, the 90th percentile of
// the penalty, and the closed loop, which is given each limit as a task.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"jtune/learn"
	"jtune/tegra"
)

// Names of what Evaluate can compare.
const (
	EvalGP         = "gp"                // the default predictor; picks with one deviation of margin, measured modes as measured
	EvalGPRef      = "gp+ref"            // the same, leaning on the reference workload
	EvalGPVerify   = "gp+verify"         // gp, then up to 10 of its own picks measured
	EvalPowerTrain = "powertrain"        // networks transferred from the reference workload, predicted front
	EvalPTMAPE     = "powertrain-mape"   // the same with the relative loss (the paper's for an Orin Nano); only when named
	EvalPTFrozen   = "powertrain-frozen" // the same, only the last layer learns
	EvalNN         = "nn"                // networks from scratch, predicted front
	EvalLinear     = "linear"            // linear regression, predicted front
	EvalLinear4    = "linear4"           // the first study's: a linear time model from the best four modes, one energy model for all workloads
	EvalTree       = "tree"              // a decision tree, predicted front
	EvalForest     = "forest"            // a random forest, predicted front
	EvalMLP        = "mlp"               // a small network from scratch, predicted front
	EvalRandom     = "random"            // the best of the measured modes
	EvalTune       = "tune"              // the closed loop, one search per limit
	EvalBinary     = "binary"            // multi-dimensional binary search, one per limit
	EvalMaxn       = "maxn"              // always the highest mode
	EvalPresets    = "presets"           // the fastest preset within the limit
)

// EvaluateMethods lists the names for EvaluateOptions.Methods, in the order of
// the report.
func EvaluateMethods() []string {
	return []string{EvalGP, EvalGPRef, EvalGPVerify, EvalPowerTrain, EvalPTMAPE, EvalPTFrozen, EvalNN, EvalLinear, EvalLinear4, EvalTree, EvalForest, EvalMLP, EvalRandom, EvalTune, EvalBinary, EvalMaxn, EvalPresets}
}

// EvaluateOptions say what to compare on a measured sweep. Truth is needed,
// the rest has defaults.
type EvaluateOptions struct {
	Truth    []tegra.Measured
	Name     string // of the sweep, for the heading and the published figures
	Workload string // what ran, as far as the sweep says it; it and Name tell the published figures
	// Reference is for powertrain and gp+ref. nil: powertrain transfers from
	// the shipped networks, gp+ref is left out: a sweep is never scored with a
	// reference that nobody named, which might be its own workload.
	Reference *learn.Reference
	// Others are workloads measured on the same board in the same modes:
	// linear4 picks its modes, and learns energy, by them. None: by the sweep
	// itself.
	Others  []Workload
	Methods []string // nil: all that can run, but for powertrain-mape
	Sizes   []int    // modes to learn from; nil: 10, 20, 50 as far as there are more modes
	Seeds   int      // samples per size; 0: 10
	// BudgetFrom, BudgetTo and BudgetStep are the power limits in watts; all
	// 0: 17 to 50 in steps of 1.
	BudgetFrom, BudgetTo, BudgetStep float64
	// LatenciesMS are limits on the time of a minibatch, each with every power
	// limit, where Truth has minibatches of several sizes; nil: 25, 50, 100, 200.
	LatenciesMS []float64
	Presets     []tegra.Preset
	Seed        uint64
	// Authors' runs give the samples in place of random ones, and their errors
	// stand beside ours in Report.Duels. Sizes nil: 10, 20, 50 as far as they
	// have them, else all of theirs; Seeds at most as many as there are runs.
	Authors []Authors
	// LeaveOutStuck leaves out what Stuck finds in Truth; else it is only told.
	LeaveOutStuck bool
	// Quick changes the defaults: sizes 10 and 50, 3 seeds, every third watt,
	// and no networks. Seconds instead of minutes.
	Quick    bool
	Workers  int                   // 0: one per core
	Progress func(done, total int) // never called twice at once

	all     bool             // no methods were named
	trained *learn.Reference // Reference with its networks, once they are needed
}

func (o *EvaluateOptions) defaults() error {
	seeds, sizes, step := 10, []int{10, 20, 50}, 1.0
	methods := slices.DeleteFunc(EvaluateMethods(), func(m string) bool { return m == EvalPTMAPE })
	if o.Quick {
		seeds, sizes, step = 3, []int{10, 50}, 3
		methods = slices.DeleteFunc(methods, func(m string) bool { return m == EvalPowerTrain || m == EvalPTFrozen || m == EvalNN || m == EvalMLP })
	}
	if o.Sizes == nil {
		o.Sizes = slices.DeleteFunc(sizes, func(n int) bool {
			return n >= len(o.Truth) || len(o.Authors) > 0 && len(o.Authors[0].of(n)) == 0
		})
		if len(o.Sizes) == 0 && len(o.Authors) > 0 {
			o.Sizes = o.Authors[0].sizes()
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
	if o.BudgetFrom == 0 && o.BudgetTo == 0 {
		o.BudgetFrom, o.BudgetTo = 17, 50
	}
	if o.sized() {
		step = 3
	}
	if o.LatenciesMS == nil {
		o.LatenciesMS = []float64{25, 50, 100, 200}
	}
	if o.BudgetStep == 0 {
		o.BudgetStep = step
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o.check()
}

// sized tells whether minibatches have several sizes.
func (o *EvaluateOptions) sized() bool { return len(o.Truth) > 0 && o.Truth[0].Batch > 0 }

// mostBudgets bounds the number of power limits.
const mostBudgets = 1000

func (o *EvaluateOptions) check() error {
	switch {
	case len(o.Truth) == 0:
		return errors.New("no measured modes to evaluate on")
	case o.Seeds < 0:
		return fmt.Errorf("%d seeds, must be positive", o.Seeds)
	case !(o.BudgetFrom > 0 && o.BudgetTo >= o.BudgetFrom && o.BudgetStep > 0) || math.IsInf(o.BudgetTo, 0):
		return fmt.Errorf("budgets %g:%g:%g, want from:to:step in watts with 0 < from ≤ to", o.BudgetFrom, o.BudgetTo, o.BudgetStep)
	case (o.BudgetTo-o.BudgetFrom)/o.BudgetStep > mostBudgets:
		return fmt.Errorf("budgets %g:%g:%g are more than %d", o.BudgetFrom, o.BudgetTo, o.BudgetStep, mostBudgets)
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
		if !slices.Contains(EvaluateMethods(), m) {
			return fmt.Errorf("unknown method %q: want some of %v", m, EvaluateMethods())
		}
	}
	if len(o.Authors) > 0 {
		return checkAuthors(o.Authors)
	}
	return nil
}

// Evaluate runs the comparison on all cores. It stops soon after the context
// ends. Equal options give equal reports.
func Evaluate(ctx context.Context, o EvaluateOptions) (*Report, error) {
	stuck := o.withoutStuck()
	if err := o.defaults(); err != nil {
		return nil, err
	}
	f, err := newField(&o)
	if err != nil {
		return nil, err
	}
	c, notes, err := contestants(ctx, &o, f)
	if err != nil {
		return nil, err
	}
	jobs := plan(&o, f, c)
	if err := work(ctx, jobs, f, &o); err != nil {
		return nil, err
	}
	r := &Report{Name: o.Name, Modes: len(f.rows), Budgets: append([]float64{}, f.once(func(l Limit) float64 { return l.PowerW })...), Batches: f.places.Batches, Dropped: f.dropped, Notes: append(stuck, notes...)}
	if r.Batches != nil {
		r.LatenciesMS = f.once(func(l Limit) float64 { return l.TimeMS })
	}
	for len(jobs) > 0 {
		n := jobs[0].seeds
		r.Rows = append(r.Rows, f.row(jobs[:n]))
		r.Duels = append(r.Duels, duels(o.Authors, jobs[:n])...)
		if tell := jobs[0].tell; tell != nil {
			r.Notes = append(r.Notes, jobs[0].name+": "+tell(jobs[:n]))
		}
		jobs = jobs[n:]
	}
	if f.lucky > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("clean: %d of the sweep's readings are not borne out, luck or a fault", f.lucky))
	}
	published(r, o.Workload)
	return r, nil
}

// job is one method on one sample.
type job struct {
	*contestant
	size  int // 0: the method has none
	seeds int // jobs of this method and size, which stand together
	seed  uint64
	out   outcome
}

// slowSeeds is how many samples per size a slow method has unless methods were
// named: the whole comparison is to take a couple of minutes.
const slowSeeds = 4

func plan(o *EvaluateOptions, f *field, list []*contestant) []*job {
	var jobs []*job
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
			if n := f.drawn(size); c.sized && n > 0 {
				runs = min(runs, n)
			}
			for k := range runs {
				jobs = append(jobs, &job{contestant: c, size: size, seeds: runs, seed: o.Seed + uint64(k)})
			}
		}
	}
	return jobs
}

// work runs the jobs, each worker taking the next one.
func work(ctx context.Context, jobs []*job, f *field, o *EvaluateOptions) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wait sync.WaitGroup
		lock sync.Mutex
		next int
		done int
	)
	take := func() *job {
		lock.Lock()
		defer lock.Unlock()
		if next == len(jobs) || ctx.Err() != nil {
			return nil
		}
		next++
		return jobs[next-1]
	}
	finish := func(j *job, err error) {
		lock.Lock()
		defer lock.Unlock()
		if done++; err != nil {
			cancel(fmt.Errorf("%s with %d modes, seed %d: %w", j.name, j.size, j.seed, err))
		} else if o.Progress != nil {
			o.Progress(done, len(jobs))
		}
	}
	for range min(o.Workers, len(jobs)) {
		wait.Go(func() {
			for j := take(); j != nil; j = take() {
				var err error
				j.out, err = j.run(ctx, f, j.size, j.seed)
				finish(j, err)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

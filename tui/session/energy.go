package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// EnergyRequest asks which clocks answer a request at the least energy.
type EnergyRequest struct {
	Workload workload.Workload
	Full     bool // every pair of clocks, in place of those that a model asks for
	// Repeat is how often each pair that may be the answer is read; with Full, every pair. 0: 3, or 10.
	Repeat     int
	Inferences int               // of one reading; 0: 40 batches and 3 s, or with Full 3,200
	Governors  []tegra.Governors // further baselines
	Batches    []int             // further batch sizes, with the clocks of the baseline
	Against    *workload.Workload
	PairsAlone bool          // leave other numbers of cores and memory clocks out
	Every      time.Duration // between two samples; 0: 100 ms
	Dir        string        // record folder; "" makes one below the data directory
	Resume     bool
	RedoFailed bool
	Gate       profiles.Gate
}

// Defaults of an energy study: screening, and the form of the slides.
const (
	energyRepeat   = 3
	fullRepeat     = 10
	fullInferences = 3200
	energyEvery    = 100 * time.Millisecond
	energySamples  = 3 * time.Second / energyEvery
	energyWait     = 5 * time.Second // of a new mode: nothing counts
	energyBatches  = 40
	governedFor    = 5 // times as long are free clocks watched as locked ones: a quarter of a minute
	mostDriftPct   = 3.0
)

func (r EnergyRequest) withDefaults(replayed bool) EnergyRequest {
	switch {
	case replayed: // which gives the same reading each time
		r.Repeat = 1
	case r.Repeat == 0 && r.Full:
		r.Repeat = fullRepeat
	case r.Repeat == 0:
		r.Repeat = energyRepeat
	}
	if r.Full && r.Inferences == 0 {
		r.Inferences = fullInferences
	}
	if r.Every <= 0 {
		r.Every = energyEvery
	}
	return r
}

// settings are those of one reading.
func (r EnergyRequest) settings(w workload.Workload) record.Settings {
	s := record.Settings{SampleEvery: r.Every, MinSamples: int(energySamples * energyEvery / r.Every),
		FixedWait: energyWait, Minibatches: energyBatches, ModeTimeout: energyTimeout}
	switch {
	case r.Inferences > 0:
		s.Minibatches = (r.Inferences-1)/max(1, w.Batch) + 1
	case w.Server != (workload.Server{}):
		s.Minibatches = 0 // a server's own
	}
	return s
}

// energyTimeout bounds a reading: 3,200 inferences at the lowest clocks of a Nano.
const energyTimeout = 4 * time.Hour

// kinds are what is measured beside the pairs.
func (r EnergyRequest) kinds(replayed bool) []energyKind {
	usual := energyKind{name: usualGovernors, workload: r.Workload, rounds: energyRounds}
	if replayed {
		usual = energyKind{name: fastestLocked, workload: r.Workload, rounds: 1, locked: true}
	}
	list := []energyKind{usual}
	for _, g := range r.Governors {
		k := usual
		k.name, k.governors = "governors "+GovernorsText(g), g
		list = append(list, k)
	}
	for _, n := range r.Batches {
		k := usual
		k.name, k.workload, k.rounds = batchName(n), r.Workload.AtBatch(n), 1
		list = append(list, k)
	}
	if w := r.Against; w != nil {
		k := usual
		k.name, k.workload = "against "+w.Name, *w
		list = append(list, k)
		k.name, k.rounds, k.locked, k.atLeast = "against "+w.Name+" at the least", 1, true, true
		list = append(list, k)
	}
	return list
}

// EnergyStudy measures which clocks answer a request at the least energy, against the governors that the board was
// found with. It ends with the found state back on the device; an interrupted one keeps its readings and can be
// resumed. The reports are written into the record's folder.
func (s *Session) EnergyStudy(ctx context.Context, r EnergyRequest, observe func(Event)) (EnergyReport, error) {
	if err := s.checkEnergy(r); err != nil {
		return EnergyReport{}, err
	}
	r = r.withDefaults(s.replays())
	set := r.settings(r.Workload)
	bench, err := s.bench(ctx, r.Workload, set, observe)
	if err != nil {
		return EnergyReport{}, err
	}
	plan := s.energyPlan(r, bench)
	n, _ := plan.Len()
	var names []string
	for _, k := range plan.kinds {
		names = append(names, k.name)
	}
	head := record.PlanHeader{Kind: record.ExperimentKind, Modes: n, Source: energySource,
		Digest: fmt.Sprintf("%s full=%t repeat=%d every=%s inferences=%d %s", energySource, r.Full, r.Repeat, r.Every,
			r.Inferences, strings.Join(names, "; "))}
	rec, err := s.record(r.Dir, s.header(r.Workload, head, nil, record.Settings{}), r.Resume)
	if err != nil {
		return EnergyReport{}, err
	}
	defer rec.Close()
	observer(observe).note(rec.Notes()...)
	s.endOrphans(r.Workload, observe)
	plan.pairs.NewHarness = s.harness(r.Workload, set, rec.Log(), 0, 0)
	plan.bench = func(k energyKind) *profiles.Bench {
		b := energyBench(bench, k, r.settings(k.workload))
		b.System, b.NewHarness = s.system(k.workload), s.harness(k.workload, b.Settings, rec.Log(), 0, 0)
		return b
	}
	observer(observe).note(s.energyCost(ctx, r, plan, len(rec.Rows())))
	out, err := runEnergy(ctx, r, plan, profiles.Campaign{Bench: bench, Record: rec, RedoFailed: r.RedoFailed,
		Gate: r.Gate})
	out.Board, out.Virtual, out.Dir = s.BoardOf(r.Workload), s.Device.Board().Virtual, rec.Dir()
	s.update(r.Workload, nil, rec.Dir(), usable(pairRows(plan.space, rec.Rows())), observe)
	return out, errors.Join(err, out.attach(rec), rec.End(out.End.String()))
}

// checkEnergy refuses what cannot be measured, before a password prompt.
func (s *Session) checkEnergy(r EnergyRequest) error {
	if !r.Workload.Infers() {
		return fmt.Errorf("%w: experiment energy is of inference, and workload %s trains: try %s", ErrUsage,
			r.Workload.Name, r.Workload.Name+"-infer, or give kind = \"infer\"")
	}
	if s.replays() && len(r.Governors) > 0 {
		return fmt.Errorf("%w: --governor: a replayed table knows locked clocks alone", ErrUsage)
	}
	if s.replays() && r.Against != nil {
		return fmt.Errorf("%w: --against: a replay answers every workload with the same table", ErrUsage)
	}
	cpu, gpu := s.Sysfs().Control().Governors()
	for _, g := range r.Governors {
		for _, one := range []struct {
			what, name string
			offered    []string
		}{{"CPU", g.CPU, cpu}, {"GPU", g.GPU, gpu}} {
			if one.name != "" && !slices.Contains(one.offered, one.name) {
				return fmt.Errorf("%w: --governor: this board offers no %s governor %q; it offers %s", ErrUsage,
					one.what, text.Clip(one.name), strings.Join(one.offered, ", "))
			}
		}
	}
	if r.Against != nil {
		return s.canRun(*r.Against)
	}
	return nil
}

// OtherBatches are the batch sizes of an energy study beside its own: those given, else one of 16 times the size
// where the job takes sizes.
func (s *Session) OtherBatches(w workload.Workload, given []int) []int {
	if len(given) > 0 {
		return slices.DeleteFunc(slices.Clone(given), func(n int) bool { return n == w.Batch })
	}
	if s.replays() || !s.TakesBatches(w) {
		return nil
	}
	return []int{batchEffect * max(1, w.Batch)}
}

// TakesBatches reports whether a workload runs with batch sizes that are not its own.
func (s *Session) TakesBatches(w workload.Workload) bool {
	if s.simulated(w) {
		return w.Torch.Net != ""
	}
	return w.TakesBatch()
}

const batchEffect = 16

// energyPlan is what a request measures on this board, by a bench.
func (s *Session) energyPlan(r EnergyRequest, bench *profiles.Bench) *energyPlan {
	return newEnergyPlan(r, bench, s.replays())
}

func newEnergyPlan(r EnergyRequest, bench *profiles.Bench, replayed bool) *energyPlan {
	space := bench.Device.Space()
	p := &energyPlan{space: space, study: optimize.NewEnergyStudy(space, r.Repeat, !r.PairsAlone),
		kinds: r.kinds(replayed), times: r.Repeat, pairs: bench}
	if r.Full {
		p.full = profiles.InOrder(p.study.Pairs())
	}
	return p
}

// energyBench measures a kind: with free clocks unless it is locked.
func energyBench(bench *profiles.Bench, k energyKind, set record.Settings) *profiles.Bench {
	if set.DVFS = !k.locked; set.DVFS { // governors go up and down
		set.MinSamples *= governedFor
	}
	return &profiles.Bench{Device: bench.Device, Sampler: bench.Sampler, Applier: bench.Applier, Clock: bench.Clock,
		NewHarness: bench.NewHarness, Workload: k.workload, Settings: set, Governors: k.governors, System: bench.System}
}

// StudyEnergy is the energy study without a record, on any board: what EnergyStudy measures, and what fidelity works
// the published savings out by.
func StudyEnergy(ctx context.Context, r EnergyRequest, bench *profiles.Bench) (EnergyReport, error) {
	r = r.withDefaults(false)
	bench.Settings = r.settings(r.Workload)
	plan := newEnergyPlan(r, bench, false)
	plan.bench = func(k energyKind) *profiles.Bench { return energyBench(bench, k, r.settings(k.workload)) }
	return runEnergy(ctx, r, plan, profiles.Campaign{Bench: bench})
}

// runEnergy measures and sums up.
func runEnergy(ctx context.Context, r EnergyRequest, plan *energyPlan, c profiles.Campaign) (EnergyReport, error) {
	c.Plan = plan
	sum, err := c.Run(ctx)
	var runs []record.Run
	if c.Record != nil {
		var readErr error
		runs, _, readErr = record.ReadRuns(c.Record.Dir())
		err = errors.Join(err, readErr)
	}
	out := energyReport(r, plan, sum.Rows, runs)
	out.End, out.Elapsed = sum.End, sum.Elapsed
	return out, err
}

// energyCost says what a study measures, and about how long that takes.
func (s *Session) energyCost(ctx context.Context, r EnergyRequest, plan *energyPlan, done int) string {
	n, _ := plan.Len()
	if n -= done; n <= 0 {
		return ""
	}
	set := r.settings(r.Workload)
	what := fmt.Sprintf("%s to take, each of %d batches", text.Count(n, "reading"), set.WithDefaults().Minibatches)
	if r.Full {
		what = fmt.Sprintf("every pair of %s, %d times each: %s", text.Count(len(plan.full), "clock"), r.Repeat, what)
	}
	known := s.Expects(ctx, Measuring{Workload: r.Workload})
	if known == nil || known.model.Batches != nil {
		return fmt.Sprintf("%s; about %s at 20 ms a batch, more in slow modes", what,
			roundly(time.Duration(n)*readingTime(set, usualBatchMS)))
	}
	var total time.Duration
	for _, p := range known.model.Predict(plan.study.Pairs()) {
		total += readingTime(set, p.TimeMS)
	}
	total = total / time.Duration(len(plan.study.Pairs())) * time.Duration(n)
	return fmt.Sprintf("%s; about %s by what is known of this workload on this board", what, roundly(total))
}

// usualBatchMS stands for a batch's time while nothing is known of it.
const usualBatchMS = 20

// readingTime is about how long a reading takes.
func readingTime(set record.Settings, ms float64) time.Duration {
	lo, _ := set.WithDefaults().CostOf(ms, ms)
	return lo
}

package experiments

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles"
	"jtune/profiles/lab/experiment"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/study"
	"jtune/tui/session/workloads"
)

// EnergyRequest says what the energy study measures: the clocks that answer a request with the least energy, compared
// with the board's default governors. Every is 100 ms by default.
type EnergyRequest struct {
	Full       bool              // every pair of clocks instead of those that a model chooses
	Inferences int               // per reading; 0: 40 batches and 3 s, or with Full 3,200
	Governors  []tegra.Governors // further baselines
	Batches    []int             // further batch sizes, at the clocks of the baseline
	Against    *workload.Workload
	PairsAlone bool // omit other core counts and memory clocks
	// LatencyCost is the latency allowed over the baseline's, in percent, for the reported least energy; absent: 0, 10,
	// 20.
	LatencyCost tegra.Val[float64]
}

// Defaults of an energy study, for screening and for the full form.
const (
	energyRepeat   = 3
	fullRepeat     = 10
	fullInferences = 3200
	energyEvery    = 100 * time.Millisecond
	energySamples  = 3 * time.Second / energyEvery
	energyWait     = 5 * time.Second // after a new mode; not counted
	energyBatches  = 40
	governedFor    = 5 // free clocks are observed this many times longer than locked ones: 15 s
)

// forEnergy fills in the defaults of an energy study.
func (r ExperimentRequest) forEnergy(replayed bool) ExperimentRequest {
	switch {
	case replayed: // a replay gives the same reading each time
		r.Repeat = 1
	case r.Repeat == 0 && r.Energy.Full:
		r.Repeat = fullRepeat
	case r.Repeat == 0:
		r.Repeat = energyRepeat
	}
	if r.Energy.Full && r.Energy.Inferences == 0 {
		r.Energy.Inferences = fullInferences
	}
	if r.Every <= 0 {
		r.Every = energyEvery
	}
	return r
}

// reading returns the settings of a reading.
func (r *ExperimentRequest) reading(w workload.Workload) record.Settings {
	s := record.Settings{SampleEvery: r.Every, MinSamples: int(energySamples * energyEvery / r.Every),
		FixedWait: energyWait, Minibatches: energyBatches, ModeTimeout: energyTimeout}
	switch {
	case r.Energy.Inferences > 0:
		s.Minibatches = (r.Energy.Inferences-1)/max(1, w.Batch) + 1
	case w.Server != (workload.Server{}):
		s.Minibatches = 0 // the server's own
	}
	return s
}

// energyTimeout bounds a reading: 3,200 inferences at the lowest clocks of a Nano.
const energyTimeout = 4 * time.Hour

// checkEnergy refuses what cannot be measured, before any password prompt.
func checkEnergy(s *session.Session, r ExperimentRequest) error {
	if !r.Workload.Infers() {
		return usage.Errorf("experiment energy is only for inference, and workload %s trains: try %s",
			r.Workload.Name, r.Workload.Name+"-infer, or give kind = \"infer\"")
	}
	if s.Replays() && len(r.Energy.Governors) > 0 {
		return usage.Governor.Errorf("a replayed table has only locked clocks")
	}
	if s.Replays() && r.Energy.Against != nil {
		return usage.Against.Errorf("a replay answers every workload with the same table")
	}
	cpu, gpu := s.Sysfs().Planner().Governors()
	for _, g := range r.Energy.Governors {
		for _, one := range []struct {
			what, name string
			offered    []string
		}{{"CPU", g.CPU, cpu}, {"GPU", g.GPU, gpu}} {
			if one.name != "" && !slices.Contains(one.offered, one.name) {
				return usage.Governor.Errorf("this board offers no %s governor %q; it offers %s", one.what,
					text.Clip(one.name), strings.Join(one.offered, ", "))
			}
		}
	}
	if other := r.Energy.Against; other != nil {
		return workloads.CanRun(s, *other)
	}
	return nil
}

// OtherBatches returns the batch sizes of an energy study besides its own: the given ones, else 16 times its own if the
// job accepts sizes.
func OtherBatches(s *session.Session, w workload.Workload, given []int) []int {
	if len(given) > 0 {
		return slices.DeleteFunc(slices.Clone(given), func(n int) bool { return n == w.Batch })
	}
	if s.Replays() || !TakesBatches(s, w) {
		return nil
	}
	return []int{batchEffect * max(1, w.Batch)}
}

// TakesBatches reports whether a workload can run with other batch sizes.
func TakesBatches(s *session.Session, w workload.Workload) bool {
	if s.Simulated(w) {
		return w.Torch.Net != ""
	}
	return w.TakesBatch()
}

const batchEffect = 16

// studyOf plans the energy study on this board.
func studyOf(s *session.Session, r *ExperimentRequest) (runs, error) {
	return newEnergyStudy(*r, s.Device.Space(), s.Replays()), nil
}

// StudyEnergy runs the energy study on any board without a record; lab/fidelity computes the published savings from it.
func StudyEnergy(ctx context.Context, r ExperimentRequest, bench *profiles.Bench) (*study.EnergyReport, error) {
	plan := newEnergyStudy(r, bench.Device.Space(), false)
	asItIs := func(*profiles.Bench, experiment.Setting) {}
	c := profiles.Campaign{Bench: bench, Plan: &studyPlan{runs: plan, bench: bench, job: asItIs}}
	sum, err := c.Run(ctx)
	return study.Sum(plan.of(), sum.Rows, nil), err
}

// announce says what the study will measure and about how long it takes.
func (p *energyStudy) announce(ctx context.Context, s *session.Session, done int) string {
	n := p.Len() - done
	if n <= 0 {
		return ""
	}
	set := p.r.reading(p.r.Workload)
	what := fmt.Sprintf("%s to take, each of %d batches", text.Count(n, "reading"), set.WithDefaults().Minibatches)
	if p.full != nil {
		what = fmt.Sprintf("every pair of %s, %d times each: %s", text.Count(len(p.full), "clock"), p.r.Repeat, what)
	}
	known := measure.Expects(ctx, s, measure.Measuring{Workload: p.r.Workload})
	if known == nil {
		return fmt.Sprintf("%s; about %s at 20 ms a batch, more in slow modes", what,
			measure.Roundly(time.Duration(n)*readingTime(set, usualBatchMS)))
	}
	var total time.Duration
	for _, at := range known.Model.Predict(p.study.Pairs()) {
		total += readingTime(set, at.TimeMS)
	}
	total = total / time.Duration(len(p.study.Pairs())) * time.Duration(n)
	return fmt.Sprintf("%s; about %s, from earlier measurements of this workload here", what, measure.Roundly(total))
}

// usualBatchMS is the assumed duration of a batch if nothing is known.
const usualBatchMS = 20

// readingTime estimates how long a reading takes.
func readingTime(set record.Settings, ms float64) time.Duration {
	lo, _ := set.WithDefaults().CostOf(ms, ms)
	return lo
}

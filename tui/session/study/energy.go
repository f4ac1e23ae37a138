package study

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles"
	"jtune/profiles/experiment"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/workloads"
)

// EnergyRequest says what the energy study measures: which clocks answer a request at the least energy, against the
// governors that the board was found with. Every is 100 ms unless told otherwise.
type EnergyRequest struct {
	Full       bool              // every pair of clocks, in place of those that a model asks for
	Inferences int               // of one reading; 0: 40 batches and 3 s, or with Full 3,200
	Governors  []tegra.Governors // further baselines
	Batches    []int             // further batch sizes, with the clocks of the baseline
	Against    *workload.Workload
	PairsAlone bool // leave other numbers of cores and memory clocks out
	// LatencyCost is in percent over the baseline's, within which least energy is reported; absent: 0, 10, 20.
	LatencyCost tegra.Val[float64]
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

// forEnergy fills in the defaults of an energy study.
func (r ExperimentRequest) forEnergy(replayed bool) ExperimentRequest {
	switch {
	case replayed: // which gives the same reading each time
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

// reading are the settings of one.
func (r *ExperimentRequest) reading(w workload.Workload) record.Settings {
	s := record.Settings{SampleEvery: r.Every, MinSamples: int(energySamples * energyEvery / r.Every),
		FixedWait: energyWait, Minibatches: energyBatches, ModeTimeout: energyTimeout}
	switch {
	case r.Energy.Inferences > 0:
		s.Minibatches = (r.Energy.Inferences-1)/max(1, w.Batch) + 1
	case w.Server != (workload.Server{}):
		s.Minibatches = 0 // a server's own
	}
	return s
}

// energyTimeout bounds a reading: 3,200 inferences at the lowest clocks of a Nano.
const energyTimeout = 4 * time.Hour

// checkEnergy refuses what cannot be measured, before a password prompt.
func checkEnergy(s *session.Session, r ExperimentRequest) error {
	if !r.Workload.Infers() {
		return usage.Errorf("experiment energy is only for inference, and workload %s trains: try %s",
			r.Workload.Name, r.Workload.Name+"-infer, or give kind = \"infer\"")
	}
	if s.Replays() && len(r.Energy.Governors) > 0 {
		return usage.Governor.Errorf("a replayed table knows locked clocks alone")
	}
	if s.Replays() && r.Energy.Against != nil {
		return usage.Against.Errorf("a replay answers every workload with the same table")
	}
	cpu, gpu := s.Sysfs().Control().Governors()
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

// OtherBatches are the batch sizes of an energy study beside its own: those given, else one of 16 times the size
// where the job takes sizes.
func OtherBatches(s *session.Session, w workload.Workload, given []int) []int {
	if len(given) > 0 {
		return slices.DeleteFunc(slices.Clone(given), func(n int) bool { return n == w.Batch })
	}
	if s.Replays() || !TakesBatches(s, w) {
		return nil
	}
	return []int{batchEffect * max(1, w.Batch)}
}

// TakesBatches reports whether a workload runs with batch sizes that are not its own.
func TakesBatches(s *session.Session, w workload.Workload) bool {
	if s.Simulated(w) {
		return w.Torch.Net != ""
	}
	return w.TakesBatch()
}

const batchEffect = 16

// studyOf plans the energy study on this board.
func studyOf(s *session.Session, r *ExperimentRequest) (study, error) {
	return newEnergyStudy(*r, s.Device.Space(), s.Replays()), nil
}

// StudyEnergy is the energy study without a record, on any board: what fidelity works the published savings out by.
func StudyEnergy(ctx context.Context, r ExperimentRequest, bench *profiles.Bench) (*EnergyReport, error) {
	st := newEnergyStudy(r, bench.Device.Space(), false)
	asItIs := func(*profiles.Bench, experiment.Setting) {}
	_, rows, err := measureStudy(ctx, st, asItIs, nil, profiles.Campaign{Bench: bench})
	return st.report(rows, nil), err
}

// announce says what the study measures, and about how long that takes.
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
	if known == nil || known.Model.Batches != nil {
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

// usualBatchMS stands for a batch's time while nothing is known of it.
const usualBatchMS = 20

// readingTime is about how long a reading takes.
func readingTime(set record.Settings, ms float64) time.Duration {
	lo, _ := set.WithDefaults().CostOf(ms, ms)
	return lo
}

package experiments

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"jtune/internal/document"
	"jtune/internal/figure"
	"jtune/internal/report"
	"jtune/internal/usage"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/lab/experiment"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/doctor"
	"jtune/tui/session/measure"
	"jtune/tui/session/preflight"
	"jtune/tui/session/workloads"
)

// ExperimentRequest asks for an experiment: one of the papers' sweeps, or the energy study, which chooses each setting
// from the results so far. Experiment fills in space, media and kind of board; a zero mode means the fastest, as in the
// papers.
type ExperimentRequest struct {
	experiment.Request
	Experiment experiment.Experiment
	Energy     EnergyRequest // for experiment energy
	// Repeat is how often each setting is run. 0: once; in the energy study, each candidate pair 3 times, or with Full
	// every pair 10 times.
	Repeat     int
	Folders    []string // data folders: one replaces the workload's, several are media to compare
	Dir        string   // record folder; "" creates one in the data directory
	Resume     bool
	RedoFailed bool // when resuming: run failed settings again
	Gate       profiles.Gate

	board   string // with the origin of its numbers if it is not real
	virtual bool
}

// WorkloadOf returns the named workload; without a name the experiment's own or, if that does not fit the
// board, the suggested one; none for an experiment that runs nothing.
func WorkloadOf(s *session.Session, e experiment.Experiment, name string) (workload.Workload, error) {
	switch {
	case e.Workload == "" && name != "":
		return workload.Workload{}, usage.Errorf("experiment %s runs no workload", e.Name)
	case e.Workload == "":
		return workload.Workload{}, nil
	}
	if name != "" {
		return workloads.Find(s, name)
	}
	w, err := workloads.Find(s, e.Workload)
	if err == nil && s.Virtual != nil && s.Virtual.Fits(w.Name, w.Batch) != nil {
		list, err := workloads.List(s)
		if err != nil {
			return w, err
		}
		return workloads.Find(s, workloads.Suggested(s, list))
	}
	return w, err
}

// ExperimentResult is a finished or interrupted experiment.
type ExperimentResult struct {
	Findings
	Dir     string
	End     profiles.End
	Elapsed time.Duration // device time
}

// Findings are the results of an experiment: an experiment.Report or an energyFindings.
type Findings interface {
	Parts() []document.Part // for people
	CSV(w io.Writer) error
	Document(device, dir string) any // for JSON
	Figures() []figure.Figure
	Fault() error // why there are none; nil if there are
}

var (
	_ Findings = (*experiment.Report)(nil)
	_ Findings = energyFindings{}
)

// runs is a running experiment.
type runs interface {
	experiment.Runs
	digest() string // of everything that must be equal for a resume
	// announce says what will be measured and how long it takes, after `done` runs; "" for nothing.
	announce(ctx context.Context, s *session.Session, done int) string
	findings(rows []record.Row, runs []record.Run) Findings
}

// Names of the reports in an experiment's folder.
const (
	reportText = "report.txt"
	reportCSV  = "report.csv"
)

// Experiment runs an experiment, one setting after another, and reports. It restores the device; an interrupted
// experiment keeps its runs and can be resumed. The reports are written to the record's folder.
func Experiment(ctx context.Context, s *session.Session, r ExperimentRequest,
	observe func(measure.Event)) (out ExperimentResult, err error) {
	prepare, tell := func(r *ExperimentRequest) (runs, error) { return sweepOf(s, r) }, measure.Observer(observe)
	if r.Experiment.Name == campaigns.EnergySource {
		prepare = func(r *ExperimentRequest) (runs, error) { return studyOf(s, r) }
		if err := checkEnergy(s, r); err != nil {
			return out, err
		}
	}
	r.useFolders()
	if r.Workload.Name != "" {
		if err := workloads.CanRun(s, r.Workload); err != nil {
			return out, err
		}
	}
	release, err := preflight.Claim(s, "experiment "+r.Experiment.Name, true)
	if err != nil {
		return out, err
	}
	defer release()
	if _, err := s.Guard(ctx); err != nil { // which may read more of the board's modes
		return out, err
	}
	r.board, r.virtual = workloads.BoardOf(s, r.Workload), s.Device.Board().Virtual
	st, err := prepare(&r)
	if err != nil {
		return out, err
	}
	if r.Simulated {
		defer s.Virtual.SetInstance(s.Virtual.Instance())
		defer func(medium string) { s.Virtual.SetMedium(medium) }(s.Virtual.Medium())
	}
	head := campaigns.HeaderOf(s, r.Workload, record.PlanHeader{Kind: record.ExperimentKind, Modes: st.Len(),
		Source: r.Experiment.Name, Digest: st.digest()}, nil, record.Settings{})
	plan := &studyPlan{runs: st, announce: func(done int) { tell.Note(st.announce(ctx, s, done)) },
		jobs: func(log string) runJob { return jobs(s, log) }}
	res, err := measure.RunPlan(ctx, s, measure.ProfileRequest{Measuring: measure.Measuring{Workload: r.Workload,
		Dir: r.Dir, Resume: r.Resume, Gate: r.Gate}, RedoFailed: r.RedoFailed}, plan, head, observe)
	if res.Dir == "" {
		return out, err
	}
	kept, notes, readErr := record.ReadRuns(res.Dir)
	tell.Note(notes...)
	out = ExperimentResult{st.findings(res.Rows, kept), res.Dir, res.End, res.Elapsed}
	measured := campaigns.Of("", res.Dir, head, res.Rows)
	measure.Update(s, r.Workload, nil, res.Dir, record.Usable(measured.Pooled()), tell)
	return out, errors.Join(err, readErr, attachFindings(res.Dir, out))
}

// runJob makes a bench run the job of a setting.
type runJob func(*profiles.Bench, experiment.Setting)

// studyPlan gives each run of an experiment its own bench; runs that share a job use the campaign's bench.
type studyPlan struct {
	runs
	announce func(done int)          // notes what is to come after that many runs
	jobs     func(log string) runJob // log is the file for their output
	bench    *profiles.Bench
	job      runJob
	shares   bool // the campaign's bench runs the shared job
}

var (
	_ profiles.Plan        = (*studyPlan)(nil)
	_ measure.PreparedPlan = (*studyPlan)(nil)
)

// Prepare implements measure.PreparedPlan.
func (p *studyPlan) Prepare(b *profiles.Bench, rec *record.Record) {
	p.bench, p.job = b, p.jobs(rec.Log())
	p.announce(len(rec.Rows()))
}

func (p *studyPlan) Len() (int, bool) { return p.runs.Len(), true }

func (p *studyPlan) Next(done []record.Row) (profiles.Step, bool) {
	run, ok := p.runs.Next(done)
	if !ok {
		return profiles.Step{}, false
	}
	b := p.bench
	if !run.Shared { // independent of the other runs
		b = &profiles.Bench{Device: b.Device, Sampler: b.Sampler, Applier: b.Applier, Clock: b.Clock,
			NewHarness: b.NewHarness, System: b.System, Sources: b.Sources}
	}
	if !run.Shared || !p.shares {
		b.Workload, b.Settings, b.Governors = run.Workload, run.Settings, run.Governors
		p.job(b, run.Setting)
		p.shares = p.shares || run.Shared
	}
	return profiles.Step{Setting: tegra.Setting{Mode: run.Mode}, Variant: &profiles.Variant{Bench: b, Idle: run.Idle,
		Variant: record.Variant{Setting: run.Name, Repeat: run.Repeat}, Shared: run.Shared}}, true
}

// jobs returns the function that makes benches run the jobs of settings here; log is the file for their output.
func jobs(s *session.Session, log string) runJob {
	return func(b *profiles.Bench, set experiment.Setting) {
		b.System = doctor.System(s, set.Workload)
		b.NewHarness = measure.NewHarness(s, set.Workload, set.Settings, log, set.Settings.Epochs, 0)
		if set.Medium != "" || set.Unit.OK {
			b.NewHarness = simulating(s, set, b.NewHarness)
		}
		if set.Idle {
			b.NewHarness = func(context.Context, int) (harness.Harness, error) { return harness.Idle(s.Clock), nil }
		}
	}
}

// attachFindings writes both forms of the report to a record's folder.
func attachFindings(dir string, r Findings) error {
	var words, table bytes.Buffer
	return errors.Join(report.Print(&words, nil, r.Parts()...), r.CSV(&table),
		record.Attach(dir, reportText, words.Bytes()), record.Attach(dir, reportCSV, table.Bytes()))
}

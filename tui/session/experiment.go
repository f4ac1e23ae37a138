package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"jtune/profiles"
	"jtune/profiles/experiment"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
)

// ExperimentRequest asks for one of the papers' sweeps. The request's space, media and kind of board are found here,
// and its zero mode is the fastest, as in the papers.
type ExperimentRequest struct {
	experiment.Request
	Experiment experiment.Experiment
	Repeat     int      // times each setting is run; 0: once
	Folders    []string // of the data: one replaces the workload's, several are media to compare
	Dir        string   // record folder; "" makes one below the data directory
	Resume     bool
	RedoFailed bool // then run again what failed
	Gate       profiles.Gate
}

// ExperimentResult is a finished or interrupted experiment.
type ExperimentResult struct {
	experiment.Report
	Dir     string
	End     profiles.End
	Elapsed time.Duration // device time
}

// Names of the reports in an experiment's folder.
const (
	reportText = "report.txt"
	reportCSV  = "report.csv"
)

// Experiment runs the settings of an experiment one after another, each with a
// job of its own, and reports. It ends with the found state back on the device;
// an interrupted one keeps its runs and can be resumed. The reports are written
// into the record's folder.
func (s *Session) Experiment(ctx context.Context, r ExperimentRequest, observe func(Event)) (ExperimentResult, error) {
	if len(r.Folders) == 1 {
		r.Workload.Torch.Data = r.Folders[0]
	}
	for _, dir := range r.Folders {
		r.Data = append(r.Data, medium(dir))
	}
	idle := r.Workload.Name == ""
	if !idle {
		if err := s.canRun(r.Workload); err != nil {
			return ExperimentResult{}, err
		}
	}
	g, err := s.Guard(ctx)
	if err != nil {
		return ExperimentResult{}, err
	}
	observer(observe).note(s.fanWarning(false), s.uptimeNote(), s.AwaitMeter(ctx))
	if s.replays() { // a table has no power of the idle board
		r.Base = 0
	}
	if r.Mode == (tegra.Mode{}) {
		r.Mode = s.Device.Space().Max()
	}
	r.Space, r.Simulated, r.Replayed = s.Device.Space(), s.simulated(r.Workload), s.replays()
	if r.Simulated {
		r.Media, r.ScaledBatches = s.Virtual.Media(), s.Virtual.ScalesBatches()
		defer s.Virtual.SetInstance(s.Virtual.Instance())
		defer func(medium string) { s.Virtual.SetMedium(medium) }(s.Virtual.Medium())
	}
	plan := r.Experiment.Plan(r.Request)
	if len(plan.Settings) == 0 {
		var why []string
		for _, skip := range plan.Skipped {
			why = append(why, skip.Why)
		}
		return ExperimentResult{}, fmt.Errorf("%w: experiment %s cannot run here: %s", tegra.ErrUnsupported,
			r.Experiment.Name, strings.Join(why, "; "))
	}
	if idle {
		r.Workload = plan.Settings[0].Workload
	}
	repeat := max(1, r.Repeat)
	head := record.PlanHeader{Kind: record.ExperimentKind, Modes: repeat * len(plan.Settings),
		Source: r.Experiment.Name, Digest: r.Experiment.Name + " " + plan.Digest(repeat)}
	rec, err := s.record(r.Dir, s.header(r.Workload, head, nil, record.Settings{}), r.Resume)
	if err != nil {
		return ExperimentResult{}, err
	}
	defer rec.Close()
	observer(observe).note(rec.Notes()...)
	s.endOrphans(r.Workload, observe)
	bench := &profiles.Bench{Device: s.Device, Sampler: s.Sampler, Applier: g, Clock: s.Clock, Workload: r.Workload,
		Observe: observer(observe).progress}
	own := func(set experiment.Setting) *profiles.Bench {
		b := *bench
		b.Workload, b.Settings, b.System = set.Workload, set.Settings, s.system(set.Workload)
		b.NewHarness = s.harness(set.Workload, set.Settings, rec.Log(), set.Settings.Epochs, 0)
		if set.Medium != "" || set.Unit.OK {
			b.NewHarness = s.simulating(set, b.NewHarness)
		}
		if set.Idle {
			b.NewHarness = func(context.Context, int) (harness.Harness, error) { return harness.Idle(s.Clock), nil }
		}
		return &b
	}
	campaign := profiles.Campaign{Bench: bench, Record: rec, RedoFailed: r.RedoFailed, Gate: r.Gate,
		Plan: &experimentPlan{plan: plan, repeat: repeat, bench: own}}
	sum, err := campaign.Run(ctx)
	out := ExperimentResult{Dir: rec.Dir(), End: sum.End, Elapsed: sum.Elapsed}
	runs, notes, readErr := record.ReadRuns(rec.Dir())
	observer(observe).note(notes...)
	out.Report = r.Experiment.Report(plan, repeat, sum.Rows, runs)
	out.Workload, out.Board, out.Virtual = r.Workload, s.BoardOf(r.Workload), s.Device.Board().Virtual
	return out, errors.Join(err, readErr, writeReport(rec, out), rec.End(sum.End.String()))
}

// simulating makes the virtual board what a setting wants before its job starts.
func (s *Session) simulating(set experiment.Setting, start func(context.Context, int) (harness.Harness, error)) func(
	context.Context, int) (harness.Harness, error) {
	return func(ctx context.Context, batch int) (harness.Harness, error) {
		if set.Unit.OK {
			s.Virtual.SetInstance(set.Unit.V)
		}
		if set.Medium != "" {
			if err := s.Virtual.SetMedium(set.Medium); err != nil {
				return nil, err
			}
		}
		return start(ctx, batch)
	}
}

// medium names a data folder by the disk it lies on.
func medium(dir string) experiment.Medium {
	name := dir
	if disk, err := telemetry.DiskOf(dir); err == nil {
		name = fmt.Sprintf("%s (%s)", disk, dir)
	}
	return experiment.Medium{Dir: dir, Name: name}
}

// writeReport puts both forms of the report into the record's folder.
func writeReport(rec *record.Record, r ExperimentResult) error {
	var text, table bytes.Buffer
	return errors.Join(r.Text(&text), r.CSV(&table), rec.Attach(reportText, text.Bytes()),
		rec.Attach(reportCSV, table.Bytes()))
}

// experimentPlan runs every setting once, then all of them again: what drifts
// falls on all alike.
type experimentPlan struct {
	plan   experiment.Plan
	repeat int
	bench  func(experiment.Setting) *profiles.Bench
}

var _ profiles.Plan = (*experimentPlan)(nil)

func (p *experimentPlan) Len() (int, bool) { return p.repeat * len(p.plan.Settings), true }

func (p *experimentPlan) Next(done []record.Row) (profiles.Step, bool) {
	finished := map[string]bool{}
	for _, r := range done {
		finished[strings.Join(r.Extra, "\x00")] = true
	}
	for k := 1; k <= p.repeat; k++ {
		for _, set := range p.plan.Settings {
			v := &profiles.Variant{Variant: record.Variant{Setting: set.Name, Repeat: k}}
			if !finished[strings.Join(v.Columns(), "\x00")] {
				v.Bench, v.Idle = p.bench(set), set.Idle
				return profiles.Step{Setting: tegra.Setting{Mode: set.Mode}, Variant: v}, true
			}
		}
	}
	return profiles.Step{}, false
}

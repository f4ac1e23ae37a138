package tui

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/profiles/record/remarks"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/boot"
	"jtune/tui/page/pagetest"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/pair"
	"jtune/tui/session/soak"
)

type pageBoard = pagetest.Board

// fakeHost is a board without physics with a guard and a session, which counts the writes to it.
type fakeHost struct {
	*pageBoard
	Found     tegra.Mode   // restored by the guard
	before    []tegra.Mode // previous modes, newest last
	applies   int
	Keeps     int                 // number of Keep calls
	Reverts   int                 // number of Revert calls
	Refuse    error               // error of Apply
	Stuck     bool                // Apply succeeds but reads back something else
	TuneErr   error               // error of Tune
	Says      *record.Character   // result of a run; nil: n/a
	Asked     measure.TuneRequest // the last one
	AskedPair pair.Request        // the last one
	AskedSoak soak.Request        // the last one
	Wait      chan struct{}       // Tune receives from it between modes; nil: no waiting
	Root      string              // root of the system whose boot is changed
	NoBoot    error               // error of boot changes
	ReadOnly  bool                // there is no guard
}

var (
	_ host          = (*fakeHost)(nil)
	_ tegra.Applier = (*fakeHost)(nil)
)

// guessed predicts by Law and knows no sample.
func guessed(f *fakeHost) *outlook.Outlook {
	return outlook.By(pagetest.Predictor{}, "resnet18", f.Fitted(nil), nil, f.Space())
}

func newFakeHost(t testing.TB) *fakeHost {
	b := pagetest.NewBoard(t)
	return &fakeHost{pageBoard: b, Found: b.At, Root: t.TempDir()}
}

// Guard returns the board itself.
func (f *fakeHost) Guard(context.Context) (tegra.Applier, error) {
	if f.ReadOnly {
		return nil, tegra.ErrPermission
	}
	return f, nil
}

// Apply counts the call and sets the mode, unless it is to fail.
func (f *fakeHost) Apply(_ context.Context, r tegra.Request) (tegra.Applied, error) {
	f.Lock()
	defer f.Unlock()
	f.applies++
	if f.Refuse != nil {
		return tegra.Applied{Asked: r.Mode}, f.Refuse
	}
	got := r.Mode
	if f.Stuck {
		got = f.At
	}
	f.before, f.At = append(f.before, f.At), got
	return tegra.Applied{Asked: r.Mode, Actual: tegra.Some(got), Files: []tegra.KnobFile{
		{Knob: "GPU", Path: "/sys/fake/gpu", Asked: fmt.Sprint(int64(r.Mode.GPU)),
			Actual: fmt.Sprint(int64(got.GPU))}}}, nil
}

// Revert restores the previous mode.
func (f *fakeHost) Revert(context.Context) (tegra.Applied, error) {
	f.Lock()
	defer f.Unlock()
	f.Reverts++
	if n := len(f.before) - 1; n >= 0 {
		f.At, f.before = f.before[n], f.before[:n]
	}
	return tegra.Applied{Actual: tegra.Some(f.At)}, nil
}

func (f *fakeHost) Restore(context.Context) (tegra.Applied, error) {
	f.Lock()
	defer f.Unlock()
	f.At = f.Found
	return tegra.Applied{Actual: tegra.Some(f.At)}, nil
}

// Keep makes the present mode the one to restore.
func (f *fakeHost) Keep(context.Context) error {
	f.Lock()
	defer f.Unlock()
	f.Keeps++
	f.Found = f.At
	return nil
}

// Close restores the mode like the guard.
func (f *fakeHost) Close() error { _, err := f.Restore(context.Background()); return err }

// Applies returns how often a mode was set.
func (f *fakeHost) Applies() int { f.Lock(); defer f.Unlock(); return f.applies }

// Suggested returns none: the first workload is preselected.
func (f *fakeHost) Suggested([]workload.Workload) string { return "" }

// JoinFrom returns the result of a session, with no job running.
func (f *fakeHost) JoinFrom(w workload.Workload, from string) (workload.Workload, error) {
	e := harness.ParseElsewhere(from)
	w.Elsewhere, w.Attached = &e, true
	return w, nil
}

// DataPath returns the test's folder.
func (f *fakeHost) DataPath() string { return f.Dir }

// PlanBoot writes below the test's folder, unless NoBoot is set.
func (f *fakeHost) PlanBoot(m tegra.Mode, flags ...string) (*session.BootUnit, error) {
	text, err := boot.Unit{Program: "/usr/local/bin/jtune", Mode: f.Space().Format(m), Flags: flags}.Text()
	return &session.BootUnit{Root: f.Root, Text: text, Before: f.Unit()}, errors.Join(err, f.NoBoot)
}

// Unit returns the written boot unit; "" if there is none.
func (f *fakeHost) Unit() string {
	text, err := os.ReadFile(filepath.Join(f.Root, boot.Link)) // through the link, which must lead there
	if err != nil {
		return ""
	}
	return string(text)
}

// Models lists the saved models.
func (f *fakeHost) Models() ([]models.Info, error) {
	f.Lock()
	defer f.Unlock()
	var out []models.Info
	for name, m := range f.Saved {
		out = append(out, models.Info{Name: name, Path: "/models/" + name, Model: m,
			Modified: pagetest.Start.Add(-3 * time.Hour)})
	}
	return out, nil
}

// DeletedModels returns none.
func (f *fakeHost) DeletedModels() ([]models.Info, error) { return nil, nil }

// Run reports thirty minibatches, then waits to be stopped.
func (f *fakeHost) Run(ctx context.Context, _ measure.RunRequest,
	observe func(measure.Event)) (measure.RunResult, error) {
	t, _ := pagetest.Law(f.Mode())
	for i := range 30 {
		observe(measure.ProgressEvent{Progress: profiles.Progress{Phase: profiles.Measuring, Minibatch: i + 1,
			TimeMS: t * (1 + 0.02*math.Sin(float64(i)))},
			Minibatch: &harness.Event{Kind: harness.Minibatch, TimeMS: t, StallMS: tegra.Some(0.1 * t),
				ComputeMS: tegra.Some(0.85 * t), OverheadMS: tegra.Some(0.05 * t)}})
	}
	if f.Says != nil {
		observe(measure.CharacterEvent{Character: *f.Says, Advice: remarks.About(f.Says)})
	}
	<-ctx.Done()
	return measure.RunResult{Minibatches: 30, TimeMS: t, StallMS: tegra.Some(0.1 * t), ComputeMS: tegra.Some(0.85 * t),
		OverheadMS: tegra.Some(0.05 * t)}, nil
}

// Tune measures the samples, for any request.
func (f *fakeHost) Tune(ctx context.Context, r measure.TuneRequest, observe func(measure.Event)) (measure.TuneResult,
	error) {
	res := measure.TuneResult{Result: optimize.Result{Answers: make([]optimize.Answer, len(r.Limits))}}
	f.Lock()
	f.Asked = r
	f.Unlock()
	samples := f.Samples()
	for i, s := range samples {
		if f.Wait != nil {
			select {
			case <-f.Wait:
			case <-ctx.Done():
			}
		}
		if err := errors.Join(ctx.Err(), r.Gate(ctx)); err != nil {
			return res, err
		}
		probe := optimize.Probe{Measured: s, Why: optimize.Improve, Feasible: r.Limits[0].Met(s)}
		if i == 0 {
			probe.Why = optimize.Start
		}
		row := record.Row{Measured: s, Status: record.OK}
		observe(measure.ProgressEvent{Progress: profiles.Progress{Phase: profiles.Finished,
			Step: profiles.Step{Setting: tegra.Setting{Mode: s.Mode}}, Row: &row, Done: i + 1}})
		observe(measure.ProbeEvent{Probe: probe})
		res.Probes = append(res.Probes, probe)
	}
	if f.TuneErr != nil {
		res.AnswerTo(r, f.Board())
		return res, f.TuneErr
	}
	best := pagetest.Read(f.Space().At(guessed(f).Answer(r.Limits[0])), 1.002, 0.998)
	res.Result.Answers[0] = optimize.Answer{Measured: best, N: 2, Feasible: true, Verified: true}
	res.AnswerTo(r, f.Board())
	fitted, err := learn.Fit(context.Background(), append(samples, best),
		learn.Options{Space: f.Space(), Provenance: learn.Provenance{Device: "AGX Orin", Workload: r.Workload.Name,
			Virtual: true}})
	res.Fitted = fitted
	if r.Keep {
		_, _ = f.SaveModel(models.NameFor(r.Workload, record.NewDeviceHeader(f)), fitted)
	}
	return res, err
}

// Profile measures by Law.
func (f *fakeHost) Profile(ctx context.Context, r measure.ProfileRequest,
	observe func(measure.Event)) (measure.ProfileResult, error) {
	var res measure.ProfileResult
	modes := r.List
	if r.Choose > 0 {
		modes = tegra.Settings(f.Space().Sample(r.Choose, 3), tegra.Own)
	}
	for _, m := range modes {
		if err := r.Gate(ctx); err != nil {
			return res, err
		}
		got := pagetest.Read(m.Mode, 1, 1)
		got.Setting = m
		res.Rows = append(res.Rows, finished(got, observe))
	}
	return res, nil
}

// Verify measures slightly more than Law.
func (f *fakeHost) Verify(_ context.Context, r measure.ModeRequest, observe func(measure.Event)) ([]record.Row, error) {
	return []record.Row{finished(pagetest.Read(r.Mode, 1.01, 1.01), observe)}, nil
}

// finished reports a reading and returns its row.
func finished(m tegra.Measured, observe func(measure.Event)) record.Row {
	row := record.Row{Measured: m, Status: record.OK}
	observe(measure.ProgressEvent{Progress: profiles.Progress{Phase: profiles.Finished, Row: &row}})
	return row
}

// Pair measures the third of the board's samples as a pair, and reports two earlier pairs.
func (f *fakeHost) Pair(ctx context.Context, r pair.Request, observe func(measure.Event)) (pair.Answer,
	error) {
	f.Lock()
	f.AskedPair = r
	f.Unlock()
	for _, e := range f.PairEvents() {
		if err := r.Gate(ctx); err != nil {
			return pair.Answer{}, err
		}
		observe(e)
	}
	return *f.Paired(), nil
}

// Soak reports rest, a soak by soaked, and rest.
func (f *fakeHost) Soak(ctx context.Context, r soak.Request, observe func(soak.Status)) (soak.Result, error) {
	f.Lock()
	f.AskedSoak = r
	f.Unlock()
	observe(soak.Status{Phase: soak.Resting})
	at := time.Duration(0)
	for ; at <= soak.Usual && ctx.Err() == nil; at += 5 * time.Second {
		observe(soaked(at, r))
	}
	return soak.Result{Result: held(soaked(at, r), f.Mode())}, nil
}

// RememberKept does nothing.
func (f *fakeHost) RememberKept(tegra.Val[tegra.Mode], bool) {}

// LeftKept finds the kept mode in force.
func (f *fakeHost) LeftKept(tegra.Reading, tegra.Val[time.Time]) string { return "" }

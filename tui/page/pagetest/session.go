package pagetest

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"jtune/internal/figure"
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
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/plots"
	"jtune/tui/session/workloads"
)

// Workloads returns three that can run.
func (f *Board) Workloads() ([]workload.Workload, error) {
	return []workload.Workload{
		{Name: "resnet18", Model: "ResNet-18", Dataset: "ImageNet", Task: "image classification", Samples: 50000,
			Batch: 16, Workers: 4},
		{Name: "mobilenet", Model: "MobileNet v3", Dataset: "GLD23k", Task: "image classification", Samples: 23080,
			Batch: 16, Workers: 4},
		{Name: "bert", Model: "BERT base", Dataset: "SQuAD", Task: "question answering", Samples: 70000, Batch: 16,
			Workers: 4},
	}, nil
}

// Suggested returns none: the first workload is preselected.
func (f *Board) Suggested([]workload.Workload) string { return "" }

// TypedJob parses the line like a session.
func (f *Board) TypedJob(line string, as workloads.Typed) (workload.Workload, error) {
	t, err := as.OfLine(line)
	if err != nil {
		return workload.Workload{}, err
	}
	w := workload.Own(t.Name(), t.Command)
	w.Unit, w.Pattern = t.Unit, t.Pattern
	return w, nil
}

// KeepJob records the request.
func (f *Board) KeepJob(w workload.Workload) error { return f.acts("keep job " + w.Name) }

// SaveJob records the request.
func (f *Board) SaveJob(name string, _ workload.Workload) (path string, err error) {
	return "config.toml", f.acts("save job " + name)
}

// JoinFrom returns the result of a session, with no job running.
func (f *Board) JoinFrom(w workload.Workload, from string) (workload.Workload, error) {
	e := harness.ParseElsewhere(from)
	w.Elsewhere, w.Attached = &e, true
	return w, nil
}

// Blocked returns the reason in Lacks.
func (f *Board) Blocked(w workload.Workload) string { return f.Lacks[w.Name] }

// Refusal implements page.Session.
func (f *Board) Refusal(w workload.Workload) string { return f.Lacks[w.Name] }

// RunsAs implements page.Session.
func (f *Board) RunsAs(workload.Workload) string { return cmp.Or(f.Runs, "simulated") }

// TrainLog returns a file of the test.
func (f *Board) TrainLog() string { return filepath.Join(f.Dir, "train.log") }

// DataPath returns the test's folder.
func (f *Board) DataPath() string { return f.Dir }

// PlanBoot writes below the test's folder, unless NoBoot is set.
func (f *Board) PlanBoot(m tegra.Mode, flags ...string) (*session.BootUnit, error) {
	text, err := boot.Unit{Program: "/usr/local/bin/jtune", Mode: f.space.Format(m), Flags: flags}.Text()
	return &session.BootUnit{Root: f.Root, Text: text, Before: f.Unit()}, errors.Join(err, f.NoBoot)
}

// Unit returns the written boot unit; "" if there is none.
func (f *Board) Unit() string {
	text, err := os.ReadFile(filepath.Join(f.Root, boot.Link)) // through the link, which must lead there
	if err != nil {
		return ""
	}
	return string(text)
}

// Models lists the saved models.
func (f *Board) Models() ([]models.Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []models.Info
	for name, m := range f.saved {
		out = append(out, models.Info{Name: name, Path: "/models/" + name, Model: m,
			Modified: Start.Add(-3 * time.Hour)})
	}
	return out, nil
}

// DeletedModels returns none.
func (f *Board) DeletedModels() ([]models.Info, error) { return nil, nil }

// ModelRepeats plots three readings of the model's first mode.
func (f *Board) ModelRepeats(m *learn.Model) (figure.Figure, error) {
	rows := append([]tegra.Measured{}, m.Samples...)
	for _, off := range []float64{1.03, 0.98} {
		again := rows[0]
		again.TimeMS, again.PowerW = again.TimeMS*off, again.PowerW/off
		rows = append(rows, again)
	}
	return plots.RepeatsFigure(rows, m.Provenance), nil
}

// SaveModel keeps a model in memory.
func (f *Board) SaveModel(name string, m *learn.Model) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.saved[name] = m
	return "/models/" + name, nil
}

// Run reports thirty minibatches, then waits to be stopped.
func (f *Board) Run(ctx context.Context, r measure.RunRequest, observe func(measure.Event)) (measure.RunResult, error) {
	t, _ := Law(f.Mode())
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

// read returns a reading with Law's values multiplied.
func read(m tegra.Mode, timeX, powerX float64) tegra.Measured {
	t, w := Law(m)
	return tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: t * timeX, PowerW: w * powerX}
}

// finished reports a reading and returns its row.
func finished(m tegra.Measured, observe func(measure.Event)) record.Row {
	row := record.Row{Measured: m, Status: record.OK}
	observe(measure.ProgressEvent{Progress: profiles.Progress{Phase: profiles.Finished, Row: &row}})
	return row
}

// Samples are the modes that Tune measures: a fixed spread.
func (f *Board) Samples() []tegra.Measured {
	var out []tegra.Measured
	for _, m := range f.space.Sample(11, 7) {
		out = append(out, read(m, 1.01, 0.99))
	}
	return out
}

// Outlook predicts by Law and knows the samples. All boards share it.
func (f *Board) Outlook() *outlook.Outlook {
	known, _ := outlooks()
	return known
}

var outlooks = sync.OnceValues(func() (known, guessed *outlook.Outlook) {
	device, err := orin()
	if err != nil {
		panic(err) // NewBoard has opened it
	}
	f := &Board{space: device.Space()}
	by := func(samples []tegra.Measured) *outlook.Outlook {
		return outlook.By(Predictor{}, "resnet18", f.Fitted(samples), samples, f.space)
	}
	return by(f.Samples()), by(nil)
})

// Predictor predicts by Law.
type Predictor struct{}

// Predict returns Law's values with bands of two deviations.
func (Predictor) Predict(modes []tegra.Mode) []learn.Prediction {
	var preds []learn.Prediction
	for _, mode := range modes {
		m := read(mode, 1, 1)
		preds = append(preds, learn.Prediction{Measured: m, TimeLoMS: m.TimeMS * 0.95, TimeHiMS: m.TimeMS * 1.05,
			PowerLoW: m.PowerW * 0.97, PowerHiW: m.PowerW * 1.03, LnTimeSD: 0.025, LnPowerSD: 0.015})
	}
	return preds
}

// Fitted returns a model of samples.
func (f *Board) Fitted(samples []tegra.Measured) *learn.Model {
	return &learn.Model{Method: learn.GP, Space: f.space, Samples: samples, Batches: tegra.Own,
		CV:         learn.Errors{TimeMAPEPct: 4.1, PowerMAPEPct: 1.9, How: "leave-one-out"},
		Warnings:   []string{"measured with another L4T than this board runs"},
		Provenance: learn.Provenance{Device: "AGX Orin", Workload: "resnet18", Virtual: true}}
}

// Tune measures the samples, for any request.
func (f *Board) Tune(ctx context.Context, r measure.TuneRequest, observe func(measure.Event)) (measure.TuneResult,
	error) {
	res := measure.TuneResult{Result: optimize.Result{Answers: make([]optimize.Answer, len(r.Limits))}}
	f.mu.Lock()
	f.Asked = r
	f.mu.Unlock()
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
	_, guessed := outlooks()
	best := read(f.space.At(guessed.Answer(r.Limits[0])), 1.002, 0.998)
	res.Result.Answers[0] = optimize.Answer{Measured: best, N: 2, Feasible: true, Verified: true}
	res.AnswerTo(r, f.Board())
	fitted, err := learn.Fit(context.Background(), append(samples, best),
		learn.Options{Space: f.space, Provenance: learn.Provenance{Device: "AGX Orin", Workload: r.Workload.Name,
			Virtual: true}})
	res.Fitted = fitted
	if r.Keep {
		_, _ = f.SaveModel(models.NameFor(r.Workload, record.NewDeviceHeader(f)), fitted)
	}
	return res, err
}

// Profile measures by Law.
func (f *Board) Profile(ctx context.Context, r measure.ProfileRequest,
	observe func(measure.Event)) (measure.ProfileResult, error) {
	var res measure.ProfileResult
	modes := r.List
	if r.Choose > 0 {
		modes = tegra.Settings(f.space.Sample(r.Choose, 3), tegra.Own)
	}
	for _, m := range modes {
		if err := r.Gate(ctx); err != nil {
			return res, err
		}
		got := read(m.Mode, 1, 1)
		got.Setting = m
		res.Rows = append(res.Rows, finished(got, observe))
	}
	return res, nil
}

// Planned returns what a request selects from the space.
func (f *Board) Planned(r measure.ProfileRequest) (measure.Planned, error) {
	s := session.Session{Device: f, Options: session.Options{Seed: 3}}
	return measure.PlanOf(&s, r)
}

// Expects returns no expectation.
func (f *Board) Expects(context.Context, measure.Measuring) *measure.Expectation { return nil }

// CampaignShelf records the requests.
func (f *Board) CampaignShelf() page.Shelf { return shelf{f} }

// ModelShelf records the requests.
func (f *Board) ModelShelf() page.Shelf { return shelf{f} }

type shelf struct{ *Board }

func (s shelf) Rename(name, to string) error                 { return s.acts("rename " + name + " " + to) }
func (s shelf) Delete(name string) (aside string, err error) { return name, s.acts("delete " + name) }
func (s shelf) Restore(name string) error                    { return s.acts("restore " + name) }

func (f *Board) acts(what string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acted = append(f.acted, what)
	return nil
}

// Acted returns the recorded requests, oldest first.
func (f *Board) Acted() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.acted)
}

// Verify measures slightly more than Law.
func (f *Board) Verify(_ context.Context, r measure.ModeRequest, observe func(measure.Event)) ([]record.Row, error) {
	return []record.Row{finished(read(r.Mode, 1.01, 1.01), observe)}, nil
}

package pagetest

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"sync"

	"jtune/internal/document"
	"jtune/internal/figure"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/session/measure"
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

// Blocked returns the reason in Lacks.
func (f *Board) Blocked(w workload.Workload) string { return f.Lacks[w.Name] }

// Refusal implements page.Session.
func (f *Board) Refusal(w workload.Workload) string { return f.Lacks[w.Name] }

// RunsAs implements page.Session.
func (f *Board) RunsAs(workload.Workload) string { return cmp.Or(f.Runs, "simulated") }

// TrainLog returns a file of the test.
func (f *Board) TrainLog() string { return filepath.Join(f.Dir, "train.log") }

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
	f.Lock()
	defer f.Unlock()
	f.Saved[name] = m
	return "/models/" + name, nil
}

// Read returns a reading with Law's values multiplied.
func Read(m tegra.Mode, timeX, powerX float64) tegra.Measured {
	t, w := Law(m)
	return tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: t * timeX, PowerW: w * powerX}
}

// Samples are the modes that Tune measures: a fixed spread.
func (f *Board) Samples() []tegra.Measured {
	var out []tegra.Measured
	for _, m := range f.space.Sample(11, 7) {
		out = append(out, Read(m, 1.01, 0.99))
	}
	return out
}

// Outlook predicts by Law and knows the samples. All boards share it.
func (f *Board) Outlook() *outlook.Outlook { return known() }

var known = sync.OnceValue(func() *outlook.Outlook {
	device, err := orin()
	if err != nil {
		panic(err) // NewBoard has opened it
	}
	f := &Board{space: device.Space()}
	return outlook.By(Predictor{}, "resnet18", f.Fitted(f.Samples()), f.Samples(), f.space)
})

// Predictor predicts by Law.
type Predictor struct{}

// Predict returns Law's values with bands of two deviations.
func (Predictor) Predict(modes []tegra.Mode) []learn.Prediction {
	var preds []learn.Prediction
	for _, mode := range modes {
		m := Read(mode, 1, 1)
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
	f.Lock()
	defer f.Unlock()
	f.acted = append(f.acted, what)
	return nil
}

// Acted returns the recorded requests, oldest first.
func (f *Board) Acted() []string {
	f.Lock()
	defer f.Unlock()
	return slices.Clone(f.acted)
}

// Report returns a report of one line.
func (f *Board) Report(campaign string) (document.Document, error) {
	return document.Document{Title: campaign}, f.acts("report " + campaign)
}

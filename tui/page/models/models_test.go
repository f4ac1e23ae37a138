package models

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/models"
	"jtune/tui/session/plots"
	"jtune/tui/widget"
)

// lawModel fits a model by a method to modes measured by pagetest.Law.
func lawModel(f *pagetest.Board, t *testing.T, method learn.Method, n int, workload string) *learn.Model {
	t.Helper()
	var samples []tegra.Measured
	for _, m := range f.Space().Sample(n, 7) {
		ms, w := pagetest.Law(m)
		samples = append(samples, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms, PowerW: w})
	}
	m := must.Get(learn.Fit(t.Context(), samples, learn.Options{Method: method, Space: f.Space(), Seed: 1,
		Provenance: learn.Provenance{Device: "AGX Orin", Workload: workload}}))(t)
	return m
}

// withModels opens the Models page on a gp and a linear model of resnet18 and a model of another workload.
func withModels(t *testing.T) (*pagetest.Driver, *Page) {
	t.Helper()
	d, p := pagetest.Drive(t, New)
	list := []models.Info{
		{Name: "resnet18", Path: "/models/resnet18", Model: lawModel(d.Board, t, learn.GP, 24, "resnet18")},
		{Name: "resnet18-by-linear", Path: "/models/resnet18-by-linear",
			Model: lawModel(d.Board, t, learn.Linear, 24, "resnet18")},
		{Name: "bert", Path: "/models/bert", Model: lawModel(d.Board, t, learn.GP, 12, "bert")},
	}
	for i := range list {
		list[i].Modified = pagetest.Start.Add(-time.Hour)
	}
	d.Send(page.ModelsListed{List: list})
	return d, p
}

func TestModelsWorkOutErrorsByRegionAndLearningCurve(t *testing.T) {
	d, p := withModels(t)
	d.Press("X", "X", "X")
	m := p.list[0].Model
	id := idOf(p.list[0])
	d.Until("the study is there", func() bool { return p.studies[id] != nil })
	d.Sees("Error by region", "of modes left out", "time, %", "EMC 0.20")
	for _, s := range pagetest.Sizes {
		d.Size(s[0], s[1])
		d.Screen()
	}
	d.Size(80, 24)
	s := p.studies[id]
	var modes [tegra.NumKnobs]int
	last := outlook.Region{Knob: -1}
	for _, r := range s.Regions() {
		if r.Hi < r.Lo || r.Knob == last.Knob && r.Lo <= last.Hi {
			t.Errorf("%v: regions overlap or fall: %+v", r.Knob, s.Regions())
		}
		modes[r.Knob] += r.Modes
		last = r
	}
	for k, n := range modes {
		must.Equal(t, n, len(m.Samples), tegra.Knob(k))
	}
	d.Press("X", "X")
	d.Until("the curve is there", func() bool { return p.plots[plotKey{id, plotCurve}] != nil })
	d.Sees("Learning curve", "modes", "time", "power")
	d.Press("X")
	d.Until("the repeats are there", func() bool { return p.plots[plotKey{id, plotRepeats}] != nil })
	d.Sees("Repeats", "×3", "quartiles")
	files := must.Get(p.Files())(t)
	must.Equal(t, len(files), 3)
	must.Contain(t, files[1].Text, "time_off_pct")
	d.Press("X")
	d.Until("the losses are there", func() bool { return p.plots[plotKey{id, plotLoss}] != nil })
	d.Sees("Training loss", "gp has no training loss")
}

func TestModelsSayWhatMattersAndHowBandsHeldBeforeOneIsLoaded(t *testing.T) {
	d, p := withModels(t)
	d.Until("the study is there", func() bool { return p.studies[idOf(p.list[0])] != nil })
	d.Sees("time, ×", "EMC", "halving one setting", "right for ", "enter loads it")
	s := p.studies[idOf(p.list[0])]
	if time, power := s.Held(); time < 18 || power < 18 || time > 24 || power > 24 {
		t.Errorf("95 %% bands held %d and %d of 24 modes that the law measured", time, power)
	}
	d.Sees("Time, predicted against measured", "each mode left out, then predicted", "●")
	d.Press("X")
	d.Sees("Power, predicted against measured", "measured, W")
	d.Press("e", "e")
	screen := d.Screen()
	must.Lack(t, screen, "predicted against measured")
	must.Contain(t, screen, "About")
	d.Press("esc")
	d.Sees("Models", "About", "Power, predicted")
}

func TestModelsAreComparedSideBySide(t *testing.T) {
	d, p := withModels(t)
	d.Press("space")
	d.Sees("+resnet18", "is marked: move to another")
	d.Press("down")
	d.Until("they are compared", func() bool { return p.versus != nil })
	d.Size(200, 50)
	d.Sees("method", "gp", "linear", "They differ by", "answer")
	d.Press("up", "space")
	d.Sees("space marks a model")
}

func TestModelsOfAnotherBoardAreNotCompared(t *testing.T) {
	d, p := withModels(t)
	space := must.Get(tegra.NewSpace([]int{2, 4}, []tegra.Freq{1e9}, []tegra.Freq{5e8}, []tegra.Freq{2e9}))(t)
	list := p.list
	list[1].Model = must.Get(learn.Fit(t.Context(), []tegra.Measured{{Setting: tegra.Setting{Mode: space.Max()},
		TimeMS: 100, PowerW: 8}}, learn.Options{Space: space, Provenance: learn.Provenance{Device: "Nano"}}))(t)
	d.Press("space", "down")
	d.Sees("of another board")
}

func TestFitDialogOffersOtherWorkloadsOfTheSameDevice(t *testing.T) {
	d, p := withModels(t)
	d.Press("F", "right", "right", "down", "right")
	d.Sees("method      gp", "reference ‹ bert ›", "resnet18-by-gp-from-", "a reference needs at least 100")
	d.Press("up", "right")
	d.Sees("none: linear uses these modes alone")
	d.Press("esc")
	must.Equal(t, d.Form, nil)
	must.Equal(t, p.fitting, "")
	must.Lack(t, d.Screen(), "Fit again,")
}

// A model of another workload that is large enough is the reference with which the dialog opens, by the first method.
func TestFitDialogOpensOnAReferenceThatIsLargeEnough(t *testing.T) {
	d, p := withModels(t)
	large := *p.list[2].Model
	large.Samples = slices.Repeat(large.Samples, learn.LeastReference)
	p.list[2].Model = &large
	d.Press("F")
	d.Sees("method    ‹ gp: the default", "reference   bert", "resnet18-by-gp-from-")
}

// A model of time only is shown without power, and is not drawn over the modes.
func TestModelsOfTimeAloneShowDashesForPower(t *testing.T) {
	d, p := withModels(t)
	timed := *p.list[0].Model
	samples := slices.Clone(timed.Samples)
	for i := range samples {
		samples[i].PowerW = math.NaN()
	}
	m, err := learn.Fit(t.Context(), samples, learn.Options{Space: timed.Space, Seed: 1, Provenance: timed.Provenance})
	must.NoError(t, err)
	p.list[0].Model = m
	delete(p.studies, idOf(p.list[0]))
	s := outlook.Assessment{Model: m, Effects: learn.Importance(m, m.Space, m.Space.Max(), math.Inf(1))}
	s.Left = must.Get(m.LeaveOut(t.Context()))(t)
	p.studies[idOf(p.list[0])] = &s
	for range len(drawings) {
		must.Lack(t, d.Screen(), "NaN")
		d.Press("X")
	}
	if d.Press("enter"); d.State.Outlook != nil && d.State.Outlook.Model == m {
		t.Error("a model without power was laid over the modes")
	}
}

func TestModelsDrawNoLearningCurveOfTwoPoints(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	list := []models.Info{{Name: "m", Path: "/models/m", Model: lawModel(d.Board, t, learn.GP, 12, "resnet18")}}
	d.Send(page.ModelsListed{List: list})
	f, err := plots.LearningFigure(t.Context(), list[0].Model)
	text := widget.Figure(f, 60, 12, widget.Unpainted)
	must.NoError(t, err)
	must.Contain(t, text, "too few measured modes")
}

func TestModelsAreRenamedAndDeletedAfterAQuestion(t *testing.T) {
	t.Parallel()
	d, p := withModels(t)
	d.Press("M")
	d.Sees("Rename a model", "resnet18_")
	d.Press("ctrl+u")
	d.Type("mine")
	d.Press("enter")
	d.Until("it is renamed", func() bool { return len(d.Board.Acted()) > 0 })
	must.Equal(t, d.Board.Acted()[0], "rename resnet18 mine")
	p.list[1].Model.Provenance.Pool = "of the workload"
	d.Press("down", "D")
	ask, ok := d.Want().(page.Ask)
	if !ok || !strings.Contains(ask.Why, "its 24 modes stay in their campaigns") ||
		!strings.Contains(ask.Why, "U restores it") {
		t.Fatalf("D asks %+v", ask)
	}
	if len(d.Board.Acted()) > 1 {
		t.Error("it is deleted before the answer")
	}
	done, _ := ask.Then.(page.Compute)(t.Context()).(page.Managed)
	if done.What != "model" || done.Err != nil || d.Board.Acted()[1] != "delete resnet18-by-linear" {
		t.Errorf("did %q: %+v", d.Board.Acted(), done)
	}
}

func TestModelsThatWereDeletedAreRestored(t *testing.T) {
	t.Parallel()
	d, p := withModels(t)
	d.Press("U")
	if d.Sees("none is deleted"); p.deleted {
		t.Error("an empty list of deleted models shows")
	}
	aside := []models.Info{{Name: "old", Path: "/deleted/old", Err: errors.New("a reference")},
		{Name: "older", Path: "/deleted/older", Model: p.list[2].Model, Modified: pagetest.Start.Add(-time.Hour)}}
	d.Send(page.ModelsListed{List: p.list, Deleted: aside})
	d.Press("U")
	d.Sees("deleted, newest first: U restores", "▸old", "older", "a reference")
	d.Press("down")
	for _, key := range []string{"enter", "F", "space", "M", "D"} {
		d.Notice = ""
		if d.Press(key); !strings.Contains(d.Notice, "this one is deleted: U restores it") || d.Form != nil {
			t.Errorf("%s on a deleted model says %q", key, d.Notice)
		}
	}
	if d.Press("U"); len(d.Wants) > 0 {
		t.Errorf("a key on a deleted model wants %+v", d.Wants)
	}
	d.Until("it is restored", func() bool { return len(d.Board.Acted()) == 1 })
	must.Equal(t, d.Board.Acted()[0], "restore older")
	d.Press("esc")
	d.Sees("▸resnet18", "bert")
	d.Press("U")
	d.Send(page.ModelsListed{List: append(p.list, aside[1])})
	if d.Sees("resnet18", "older"); p.deleted {
		t.Error("the list of deleted models stays when there is none")
	}
}

func TestModelsLoadWhatWasFitted(t *testing.T) {
	d, p := withModels(t)
	p.stopFit = func() {}
	p.refitted("bert", nil)
	d.Wants = nil
	d.Send(page.ModelsListed{List: p.list})
	if load, ok := d.Want().(page.Load); !ok || load.Model.Name != "bert" || p.Subject() != "bert" {
		t.Errorf("wants %+v, the cursor is on %s", load, p.Subject())
	}
}

package tui

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/learn"
	"jtune/tegra"
	"jtune/tui/session"
)

// lawModel is fitted, by a method, to modes that the law measured.
func (f *fakeBoard) lawModel(t *testing.T, method learn.Method, n int, workload string) *learn.Model {
	t.Helper()
	var samples []tegra.Measured
	for _, m := range f.space.Sample(n, 7) {
		ms, w := law(m)
		samples = append(samples, tegra.Measured{Mode: m, TimeMS: ms, PowerW: w})
	}
	m, err := learn.Fit(t.Context(), samples, learn.Options{Method: method, Space: f.space, Seed: 1, Provenance: learn.Provenance{Device: "AGX Orin", Workload: workload}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// withModels opens the Models page on a gp and a linear model of resnet18 and
// on one of another workload.
func withModels(t *testing.T) *driver {
	t.Helper()
	d := drive(t)
	list := []session.ModelInfo{
		{Name: "resnet18", Path: "/models/resnet18", Model: d.board.lawModel(t, learn.GP, 24, "resnet18")},
		{Name: "resnet18-by-linear", Path: "/models/resnet18-by-linear", Model: d.board.lawModel(t, learn.Linear, 24, "resnet18")},
		{Name: "bert", Path: "/models/bert", Model: d.board.lawModel(t, learn.GP, 12, "bert")},
	}
	for i := range list {
		list[i].Modified = wallStart.Add(-time.Hour)
	}
	d.until("the empty folder is listed", func() bool { return modelsOf(d).listed })
	d.send(modelsMsg{list: list})
	d.press("4")
	return d
}

func modelsOf(d *driver) *modelsPage { return d.r.pages[pageModels].(*modelsPage) }

func TestErrorsByRegionAndLearningCurveAreWorkedOut(t *testing.T) {
	d := withModels(t)
	d.press("x", "x")
	m := modelsOf(d).list[0].Model
	id := idOf(modelsOf(d).list[0])
	d.until("the study is there", func() bool { return modelsOf(d).studies[id] != nil })
	d.sees("Error by region", "of modes left out", "knob", "EMC")
	for _, s := range sizes {
		d.size(s[0], s[1])
		d.screen()
	}
	d.size(80, 24)
	s := modelsOf(d).studies[id]
	for k := range tegra.NumKnobs {
		n := 0
		last := -1.0
		for _, r := range s.regions(tegra.Knob(k)) {
			if n += r.n; r.lo <= last || r.hi < r.lo {
				t.Errorf("%v: regions overlap or fall: %+v", tegra.Knob(k), s.regions(tegra.Knob(k)))
			}
			last = r.hi
		}
		if n != len(m.Samples) {
			t.Errorf("%v: %d modes in its regions, want all %d", tegra.Knob(k), n, len(m.Samples))
		}
	}
	d.press("x")
	d.until("the curve is there", func() bool { return modelsOf(d).curves[id] != nil })
	d.sees("Learning curve", "modes", "time", "power")
}

func TestAModelSaysWhatMattersAndHowItsBandsHeldBeforeItIsLoaded(t *testing.T) {
	d := withModels(t)
	p := modelsOf(d)
	d.until("the study is there", func() bool { return p.studies[idOf(p.list[0])] != nil })
	d.sees("knob", "EMC", "at their largest:", "within its 95 % bands", "enter loads it")
	s := p.studies[idOf(p.list[0])]
	if time, power := s.held(); time < 18 || power < 18 || time > 24 || power > 24 {
		t.Errorf("95 %% bands held %d and %d of 24 modes that the law measured", time, power)
	}
	d.sees("Time, predicted against measured", "each mode left out, then predicted", "●")
	d.press("x")
	d.sees("Power, predicted against measured", "measured W")
	d.press("e", "e")
	if screen := d.screen(); strings.Contains(screen, "predicted against measured") || !strings.Contains(screen, "About") {
		t.Errorf("the description does not fill the page:\n%s", screen)
	}
	d.press("esc")
	d.sees("Models", "About", "Power, predicted")
}

func TestTwoModelsAreComparedSideBySide(t *testing.T) {
	d := withModels(t)
	d.press("space")
	d.sees("+resnet18", "is marked: move to another")
	d.press("down")
	d.until("they are compared", func() bool { return modelsOf(d).versus != nil })
	d.size(200, 50)
	d.sees("method", "gp", "linear", "They differ by", "answer")
	d.press("up", "space")
	d.sees("space marks a model")
}

func TestAModelOfAnotherBoardIsNotCompared(t *testing.T) {
	d := withModels(t)
	space, err := tegra.NewSpace([]int{2, 4}, []tegra.Freq{1e9}, []tegra.Freq{5e8}, []tegra.Freq{2e9})
	if err != nil {
		t.Fatal(err)
	}
	list := modelsOf(d).list
	list[1].Model, err = learn.Fit(t.Context(), []tegra.Measured{{Mode: space.Max(), TimeMS: 100, PowerW: 8}}, learn.Options{Space: space, Provenance: learn.Provenance{Device: "Nano"}})
	if err != nil {
		t.Fatal(err)
	}
	d.press("space", "down")
	d.sees("of another board")
}

func TestTheFitDialogOffersOtherWorkloadsOfTheSameDeviceToLeanOn(t *testing.T) {
	d := withModels(t)
	d.press("r", "left", "down", "right")
	d.sees("method    gp", "lean on ‹ bert ›", "resnet18-by-gp-from-", "teaches nothing yet, 100")
	d.press("up", "right")
	d.sees("nothing: linear learns from these modes alone")
	d.press("esc")
	if modelsOf(d).fit != nil || modelsOf(d).fitting != "" {
		t.Error("esc did not close the dialog, or began to fit")
	}
	if s := d.screen(); strings.Contains(s, "Fit again,") {
		t.Errorf("the dialog still shows:\n%s", s)
	}
}

// A model of time alone is shown without power, and is not laid over the modes.
func TestAModelOfTimeAloneShowsDashesForPower(t *testing.T) {
	d := withModels(t)
	p := modelsOf(d)
	timed := *p.list[0].Model
	samples := slices.Clone(timed.Samples)
	for i := range samples {
		samples[i].PowerW = math.NaN()
	}
	m, err := learn.Fit(t.Context(), samples, learn.Options{Space: timed.Space, Seed: 1, Provenance: timed.Provenance})
	if err != nil {
		t.Fatal(err)
	}
	p.list[0].Model = m
	delete(p.studies, idOf(p.list[0]))
	s := study{effects: learn.Importance(m, m.Space, m.Space.Max(), math.Inf(1))}
	if s.left, err = m.LeaveOut(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.studies[idOf(p.list[0])] = &s
	for range len(plotTitles) {
		if page := d.screen(); strings.Contains(page, "NaN") {
			t.Errorf("made-up numbers:\n%s", page)
		}
		d.press("x")
	}
	if d.press("enter"); p.sh.view != nil && p.sh.view.model == m {
		t.Error("a model without power was laid over the modes")
	}
}

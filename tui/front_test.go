package tui

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/session"
)

func frontOf(d *driver) *frontPage { return d.r.pages[pageFront].(*frontPage) }

func TestAMeasurementStandsInThePlaceOfItsPrediction(t *testing.T) {
	d := drive(t).withView()
	d.press("5", "v")
	p := frontOf(d)
	before, cursor := d.r.sh.view, p.cursor
	d.until("the mode is measured", func() bool { return d.r.sh.job.done })
	v := d.r.sh.view
	got := v.measured[v.points[cursor].Mode]
	if v.points[cursor].PowerW != got.PowerW || v.values[optimize.Time][cursor] != got.TimeMS {
		t.Errorf("the cloud has %+v, measured was %+v", v.points[cursor], got)
	}
	if v.preds[cursor] != before.preds[cursor] || before.points[cursor].PowerW == got.PowerW {
		t.Error("the prediction itself has changed, or the view before")
	}
	// measured a little over the limit: it is the answer no more
	if d.sees("✗ over the limit, measured"); p.answer() == cursor {
		t.Error("the answer breaks the limit")
	}
	d.press("c")
	d.sees("the answer to the limit", "✓ within the limit")
}

// A reading that disagrees with all others is shown and stands for nothing until
// the mode is measured again.
func TestAReadingInDoubtStandsForNothing(t *testing.T) {
	d := drive(t).withView()
	d.size(120, 40)
	samples := d.board.samples()
	odd := &samples[3]
	odd.PowerW /= 3
	model := d.board.fitted(samples)
	model.Suspicious = []learn.Setting{{Mode: odd.Mode}}
	v := mapOf("resnet18", model, lawPredictor{}, samples, d.board.space)
	d.r.sh.view = v
	d.press("5")
	i, _ := v.at(odd.Mode)
	frontOf(d).goTo(i)
	d.r.frame = ""
	if d.sees("disagrees with all others", "in doubt: v measures again", "?\u00a0measured,\u00a0in\u00a0doubt"); v.points[i].PowerW == odd.PowerW || v.known[i] != v.preds[i] {
		t.Errorf("the mode is taken for %g W, predicted are %g and read was %g", v.points[i].PowerW, v.preds[i].PowerW, odd.PowerW)
	}
	again := v.with(tegra.Measured{Mode: odd.Mode, TimeMS: 50, PowerW: 30})
	if len(again.doubted) != 0 || again.points[i].PowerW != 30 || len(v.doubted) != 1 {
		t.Errorf("measured again: %v in doubt, %g W; before it %v", again.doubted, again.points[i].PowerW, v.doubted)
	}
}

func TestTheFrontsTableListsTheCursorsModeOffTheFrontToo(t *testing.T) {
	d := drive(t).withView()
	d.size(120, 40)
	d.press("5", "b")
	p := frontOf(d)
	for plane := range planes {
		f := p.front()
		p.goTo((f[len(f)/2] + 1) % d.board.space.Len())
		for slices.Contains(f, p.cursor) {
			p.goTo(p.cursor + 1)
		}
		d.r.frame = ""
		list, at := p.listed()
		d.sees("▸" + d.r.sh.mode(d.r.sh.view.points[p.cursor].Mode))
		if len(list) != len(f)+1 || !strings.Contains(d.screen(), "off it") {
			t.Errorf("plane %d: %d rows for a front of %d and a mode off it:\n%s", plane, len(list), len(f), d.screen())
		}
		xs, _ := p.columns()
		if !slices.IsSortedFunc(list, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) }) {
			t.Errorf("plane %d: the rows are not in order", plane)
		}
		want := list[min(at+1, len(list)-1)]
		if d.press("down"); p.cursor != want {
			t.Errorf("plane %d: one row down leads to mode %d, want %d", plane, p.cursor, want)
		}
		d.press("x")
	}
}

func TestTheAnswerIsWhatTuningMeasured(t *testing.T) {
	d := drive(t)
	d.press("t", "t")
	d.until("the front shows", func() bool { return d.r.active == pageFront })
	want := d.r.sh.job.tuned.Mode
	d.press("]", "[")
	if got := d.r.sh.view.points[frontOf(d).cursor].Mode; got != want {
		t.Errorf("after the limit went up and down the answer is %v, tuning found %v", got, want)
	}
}

func TestTheCursorStaysInThePartThatShows(t *testing.T) {
	d := drive(t).withView()
	d.press("5", "+", "+", "+", "+", "+")
	p := frontOf(d)
	for _, k := range []string{"home", "end", "right", "x", "x", "L", "L", "up", "down", "[", "]", "c"} {
		d.press(k)
		x, y := p.scales()
		xs, ys := p.columns()
		if _, ok := x.At(xs[p.cursor]); !ok {
			t.Errorf("after %s the cursor is outside: %g of %v", k, xs[p.cursor], x)
		}
		if _, ok := y.At(ys[p.cursor]); !ok {
			t.Errorf("after %s the cursor is outside: %g of %v", k, ys[p.cursor], y)
		}
	}
	whole, _ := p.whole()
	if part, _ := p.scales(); math.Log(part.Hi/part.Lo) > math.Log(whole.Hi/whole.Lo)/5 {
		t.Errorf("five steps in show %v of %v", part, whole)
	}
	d.sees("zoom ×10.5")
	d.press("esc")
	if part, _ := p.scales(); part != whole {
		t.Errorf("esc shows %v, the whole is %v", part, whole)
	}
}

func TestEveryPlaneHasItsFront(t *testing.T) {
	d := drive(t).withView()
	d.press("5")
	p, v := frontOf(d), d.r.sh.view
	for i, pl := range planes {
		xs, ys := p.columns()
		f := p.front()
		if p.plane != i || len(f) < 5 {
			t.Fatalf("plane %d of %v has a front of %d", p.plane, pl, len(f))
		}
		for k := range f[1:] {
			if xs[f[k+1]] <= xs[f[k]] || ys[f[k+1]] >= ys[f[k]] {
				t.Fatalf("%v: front member %d is beaten by its neighbour", pl, k)
			}
		}
		d.press("home")
		if p.cursor != f[0] {
			t.Errorf("%v: home goes to %d, the front begins at %d", pl, p.cursor, f[0])
		}
		d.press("end")
		if p.cursor != f[len(f)-1] {
			t.Errorf("%v: end goes to %d, the front ends at %d", pl, p.cursor, f[len(f)-1])
		}
		d.press("x")
	}
	if p.plane != 0 || d.r.sh.view != v {
		t.Errorf("plane %d after all of them", p.plane)
	}
}

func TestAClickGoesToTheModeThatIsDrawnThere(t *testing.T) {
	d := drive(t).withView()
	d.size(100, 40)
	p := frontOf(d)
	for _, zoomed := range []string{"", "+"} {
		d.press("5")
		if zoomed != "" {
			d.press(zoomed, zoomed)
		}
		for y, line := range strings.Split(d.screen(), "\n") {
			at := strings.IndexRune(line, '3') // a preset, in the plot
			if at < 0 || y < 3 || ansi.StringWidth(line[:at]) < 5 || ansi.StringWidth(line[:at]) > 60 {
				continue
			}
			x := ansi.StringWidth(line[:at])
			d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
			want, _ := d.r.sh.view.at(d.board.Presets()[3].Mode)
			here, there := d.r.sh.view.points[p.cursor], d.r.sh.view.points[want]
			if math.Abs(math.Log(here.TimeMS/there.TimeMS)) > 0.1 || math.Abs(here.PowerW-there.PowerW) > 2 {
				t.Errorf("a click on preset 3 (%.1f ms, %.1f W) goes to %.1f ms, %.1f W", there.TimeMS, there.PowerW, here.TimeMS, here.PowerW)
			}
			break
		}
	}
	steps, cursor := p.zoom.steps, p.cursor
	d.send(tea.MouseWheelMsg{X: 30, Y: 20, Button: tea.MouseWheelUp})
	if p.zoom.steps != steps+1 || p.cursor != cursor {
		t.Errorf("the wheel zooms from %d to %d steps and the cursor from %d to %d", steps, p.zoom.steps, cursor, p.cursor)
	}
	d.press("?")
	d.send(tea.MouseClickMsg{X: 10, Y: 30, Button: tea.MouseLeft})
	if p.cursor != cursor {
		t.Error("a click goes through the help")
	}
}

func TestZoomingAroundAPlaceKeepsItThere(t *testing.T) {
	z := zoom{}.around(3, 0.4, 0.6)
	shown := func(z zoom, v, mid float64) float64 { return (v-mid)*z.factor() + 0.5 }
	x, y := shown(z, 0.45, z.x), shown(z, 0.55, z.y)
	next := z.around(2, 0.45, 0.55)
	if gx, gy := shown(next, 0.45, next.x), shown(next, 0.55, next.y); math.Abs(gx-x) > 1e-9 || math.Abs(gy-y) > 1e-9 {
		t.Errorf("the place moves from %g, %g to %g, %g", x, y, gx, gy)
	}
	if back := next.around(-9, 0.2, 0.2); back.steps != 0 || back.x != 0.5 || back.y != 0.5 {
		t.Errorf("all the way out is %+v", back)
	}
}

func TestTheFrontIsExportedInFourForms(t *testing.T) {
	d := drive(t).withView()
	d.size(200, 50)
	d.press("5", "x", "ctrl+s")
	d.sees("-front.{txt,svg,csv,json}")
	read := func(ending string) string { return d.exported("*-front." + ending) }
	n := len(frontOf(d).front())
	rows, err := csv.NewReader(strings.NewReader(read("csv"))).ReadAll()
	if err != nil || len(rows) != n+1 {
		t.Errorf("%d rows of CSV (%v), want %d", len(rows), err, n+1)
	}
	var points []struct {
		EnergyJ  float64 `json:"energy_j"`
		Measured bool
	}
	if err := json.Unmarshal([]byte(read("json")), &points); err != nil || len(points) != n || !slices.IsSortedFunc(points, func(a, b struct {
		EnergyJ  float64 `json:"energy_j"`
		Measured bool
	}) int {
		return int(math.Copysign(1, a.EnergyJ-b.EnergyJ))
	}) {
		t.Errorf("%d points of JSON (%v), want %d, least energy first", len(points), err, n)
	}
	svg := read("svg")
	for _, want := range []string{"VIRTUAL", "MODE_50W", "energy per minibatch, J"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing lacks %q", want)
		}
	}
	if !strings.Contains(read("txt"), "VIRTUAL") {
		t.Error("the text lacks VIRTUAL")
	}
}

func TestNothingIsToldByColourAloneOnTheFront(t *testing.T) {
	d := drive(t).withView()
	d.press("5", "g", "g", "g")
	d.size(120, 40)
	grouped := d.screen()
	d.sees("⠿\u00a0GPU\u00a00.83\u00a0GHz", "⠠\u00a0others")
	d.press("g")
	if other := d.screen(); grouped == other {
		t.Error("without colours the modes of one group look like those of another")
	}
}

func TestWhatWasFittedIsNotCalledPredicted(t *testing.T) {
	d := drive(t).withView()
	d.press("5")
	p, v := frontOf(d), d.r.sh.view
	learned := d.board.samples()[3]
	p.cursor, _ = v.at(learned.Mode)
	d.press("f")
	d.sees("fitted measured")
	d.press("a")
	if f := d.r.apply; f.predicted != nil || f.measured == nil {
		t.Errorf("apply shows %v as predicted, %v as measured", f.predicted, f.measured)
	}
	d.press("esc")
	said := v.preds[p.cursor]
	said.TimeMS *= 1.5
	d.r.sh.view = v.answering(optimize.Limit{PowerW: 30}, &session.TuneResult{Result: optimize.Result{Mode: learned.Mode, Probes: []optimize.Probe{{Measured: learned, Predicted: said}}}})
	d.press("f")
	if pr, fitted := d.r.sh.view.expected(p.cursor); fitted || pr.TimeMS != said.TimeMS {
		t.Errorf("expected %.1f ms (fitted %v), what was said before it was measured is %.1f", pr.TimeMS, fitted, said.TimeMS)
	}
}

func TestLongStepsWalkTheWholeFront(t *testing.T) {
	d := drive(t).withView()
	d.press("5", "home")
	p := frontOf(d)
	f, steps := p.front(), 0
	for p.cursor != f[len(f)-1] && steps < 100 {
		d.press("pgdown")
		steps++
	}
	if steps < 10 || steps > 40 {
		t.Errorf("%d long steps along a front of %d, want about 20", steps, len(f))
	}
	if d.press("pgup"); p.cursor == f[len(f)-1] {
		t.Error("there is no way back")
	}
}

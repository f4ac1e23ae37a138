package front

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session"
	"jtune/tui/widget"
)

// withView opens the page on the law's predictions, as a tuned model would.
func withView(t *testing.T) (*pagetest.Driver, *Page) {
	d, p := pagetest.Drive(t, New)
	d.Show(d.Board.Outlook())
	return d, p
}

// A reading that disagrees with all others is shown and stands for nothing until
// the mode is measured again.
func TestFrontShowsAReadingInDoubtThatStandsForNothing(t *testing.T) {
	d, p := withView(t)
	d.Size(120, 40)
	samples := d.Board.Samples()
	odd := &samples[3]
	odd.PowerW /= 3
	model := d.Board.Fitted(samples)
	model.Suspicious = []tegra.Setting{{Mode: odd.Mode}}
	v := session.OutlookBy(pagetest.Predictor{}, "resnet18", model, samples, d.Board.Space())
	d.Show(v)
	i, _ := v.Index(odd.Mode)
	p.goTo(i)
	if d.Sees("disagrees with all others", "in doubt: v measures again",
		"?\u00a0measured,\u00a0in\u00a0doubt"); v.Known[i].PowerW == odd.PowerW || v.Known[i] != v.Predicted[i] {
		t.Errorf("the mode is taken for %g W, predicted are %g and read was %g", v.Known[i].PowerW,
			v.Predicted[i].PowerW, odd.PowerW)
	}
	again := v.With(tegra.Measured{Setting: tegra.Setting{Mode: odd.Mode}, TimeMS: 50, PowerW: 30})
	if len(again.Doubted()) != 0 || again.Known[i].PowerW != 30 || len(v.Doubted()) != 1 {
		t.Errorf("measured again: %v in doubt, %g W; before it %v", again.Doubted(), again.Known[i].PowerW, v.Doubted())
	}
}

func TestFrontKeepsTheModesThatPassAFilter(t *testing.T) {
	d, p := withView(t)
	d.Size(120, 40)
	all := p.answer()
	whole := len(p.front())
	d.Press("/")
	d.Type("cores>=10 gpu")
	d.Sees("filter:", "not yet: ")
	d.Type(">=0.9GHz")
	d.Press("enter")
	d.Sees("filter cores>=10 gpu>=0.9GHz", "of 18,096 modes", "pass\u00a0the\u00a0filter")
	known := d.State.Outlook.Known
	for _, i := range append(slices.Clone(p.front()), p.answer(), p.cursor) {
		if m := known[i].Mode; m.Cores < 10 || m.GPU < tegra.GHz*9/10 {
			t.Errorf("%v does not pass", m)
		}
	}
	best := d.State.Outlook.AnswerAmong(d.State.Limit, d.State.Outlook.Pass(tegra.Filter{}, session.Listing{}))
	if best != all || p.answer() == all || len(p.front()) == 0 {
		t.Errorf("the answer of all is %d or %d, of those that pass %d with a front of %d", all, best, p.answer(),
			len(p.front()))
	}
	for range 5 {
		d.Press("up")
		if m := known[p.cursor].Mode; m.Cores < 10 {
			t.Errorf("a step off the front leads to %v", m)
		}
	}
	d.Press("/")
	d.Type(" time<1")
	d.Press("enter")
	d.Sees("no mode passes it")
	d.Press("esc", "esc")
	if p.answer() != all || len(p.front()) != whole {
		t.Errorf("without the filter: answer %d, front of %d; want %d and %d", p.answer(), len(p.front()), all, whole)
	}
}

// A second model of the same workload: its front and its choice stand beside the first one's.
func TestFrontDrawsOtherModelsOverTheCloud(t *testing.T) {
	d, p := withView(t)
	d.Size(120, 40)
	d.Press("O")
	d.Until("it is said that there is none", func() bool { return d.Notice != "" })
	d.Sees("no other model of this workload")
	own := d.State.Outlook.Model
	tree, err := learn.Fit(t.Context(), own.Samples, learn.Options{Space: own.Space, Method: learn.Tree, SkipCV: true,
		Provenance: own.Provenance})
	if err != nil {
		t.Fatal(err)
	}
	tree.Provenance.Pool = ""
	d.Send(page.ModelsListed{List: []session.ModelInfo{{Name: "by-tree", Model: tree}}})
	d.Until("two models are drawn", func() bool { return len(p.rivalled()) == 2 })
	d.Sees("choices", "by-tree", "predicted")
	if len(p.rivalled()) != 2 || len(p.rivalLines()[1].Xs) != len(p.rivals.list[1].Front(p.plane)) {
		t.Fatalf("%d models are drawn", len(p.rivalled()))
	}
	for k, r := range p.choices() {
		if r.Predicted != p.rivals.list[k].Predicted[p.rivals.list[k].Answer(d.State.Limit)] {
			t.Errorf("%s chooses %v", r.Name, r.Predicted.Mode)
		}
	}
	d.Press("esc")
	if text := d.Screen(); strings.Contains(text, "by-tree") {
		t.Errorf("the other model stays:\n%s", text)
	}
}

func TestFrontTableListsTheCursorsModeOffTheFrontToo(t *testing.T) {
	d, p := withView(t)
	d.Size(120, 40)
	d.Press("b")
	for plane := range session.Planes {
		f := p.front()
		p.goTo((f[len(f)/2] + 1) % d.Board.Space().Len())
		for slices.Contains(f, p.cursor) {
			p.goTo(p.cursor + 1)
		}
		list, at := p.listed()
		d.Sees("▸" + d.State.Device.Space.Format(d.State.Outlook.Known[p.cursor].Mode))
		if len(list) != len(f)+1 || !strings.Contains(d.Screen(), "off it") {
			t.Errorf("plane %d: %d rows for a front of %d and a mode off it:\n%s", plane, len(list), len(f), d.Screen())
		}
		xs, _ := p.columns()
		if !slices.IsSortedFunc(list, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) }) {
			t.Errorf("plane %d: the rows are not in order", plane)
		}
		want := list[min(at+1, len(list)-1)]
		if d.Press("down"); p.cursor != want {
			t.Errorf("plane %d: one row down leads to mode %d, want %d", plane, p.cursor, want)
		}
		d.Press("X")
	}
}

func TestFrontCursorStaysInThePartThatShows(t *testing.T) {
	d, p := withView(t)
	d.Press("+", "+", "+", "+", "+")
	for _, k := range []string{"home", "end", "right", "X", "X", "L", "L", "up", "down", "[", "]", "c"} {
		d.Press(k)
		x, y := p.scales()
		xs, ys := p.columns()
		if _, ok := x.At(xs[p.cursor]); !ok {
			t.Errorf("after %s the cursor is outside: %g of %v", k, xs[p.cursor], x)
		}
		if _, ok := y.At(ys[p.cursor]); !ok {
			t.Errorf("after %s the cursor is outside: %g of %v", k, ys[p.cursor], y)
		}
	}
	whole := p.points().X
	if part, _ := p.scales(); math.Log(part.Hi/part.Lo) > math.Log(whole.Hi/whole.Lo)/5 {
		t.Errorf("five steps in show %v of %v", part, whole)
	}
	d.Sees("zoom ×10.5")
	d.Press("esc")
	if part, _ := p.scales(); part != whole {
		t.Errorf("esc shows %v, the whole is %v", part, whole)
	}
}

func TestFrontOfEveryPlane(t *testing.T) {
	d, p := withView(t)
	v := d.State.Outlook
	for i, pl := range session.Planes {
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
		d.Press("home")
		if p.cursor != f[0] {
			t.Errorf("%v: home goes to %d, the front begins at %d", pl, p.cursor, f[0])
		}
		d.Press("end")
		if p.cursor != f[len(f)-1] {
			t.Errorf("%v: end goes to %d, the front ends at %d", pl, p.cursor, f[len(f)-1])
		}
		d.Press("X")
	}
	if p.plane != 0 || d.State.Outlook != v {
		t.Errorf("plane %d after all of them", p.plane)
	}
}

func TestFrontIsWalkedInLongSteps(t *testing.T) {
	d, p := withView(t)
	d.Press("home")
	f, steps := p.front(), 0
	for p.cursor != f[len(f)-1] && steps < 100 {
		d.Press("pgdown")
		steps++
	}
	if steps < 10 || steps > 40 {
		t.Errorf("%d long steps along a front of %d, want about 20", steps, len(f))
	}
	if d.Press("pgup"); p.cursor == f[len(f)-1] {
		t.Error("there is no way back")
	}
}

func TestFrontTellsNothingByColourAlone(t *testing.T) {
	d, _ := withView(t)
	d.Press("K", "K", "K")
	d.Size(120, 40)
	grouped := d.Screen()
	d.Sees("⠿\u00a0GPU\u00a00.83\u00a0GHz", "⠠\u00a0others")
	d.Press("K")
	if other := d.Screen(); grouped == other {
		t.Error("without colours the modes of one group look like those of another")
	}
}

func TestFrontDoesNotCallPredictedWhatWasFitted(t *testing.T) {
	d, p := withView(t)
	v, learned := d.State.Outlook, d.Board.Samples()[3]
	p.cursor, _ = v.Index(learned.Mode)
	d.Sees("fitted measured")
	said := v.Predicted[p.cursor]
	said.TimeMS *= 1.5
	probe := optimize.Probe{Measured: learned, Predicted: said}
	answer := tegra.Measured{Setting: tegra.Setting{Mode: learned.Mode}}
	v = v.Answering(optimize.Limit{PowerW: 30}, optimize.Result{Measured: answer, Probes: []optimize.Probe{probe}})
	if at := v.About(learned.Mode); at.Fitted || at.Predicted.TimeMS != said.TimeMS {
		t.Errorf("expected %.1f ms (fitted %v), what was said before it was measured is %.1f",
			at.Predicted.TimeMS, at.Fitted, said.TimeMS)
	}
}

func TestFrontKeepsNamesOfPresetsApart(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"MODE_30W":                 "MODE_30W",
		"MODE_15W_2CORE":           "15W_2CO…",
		"MODE_15W_6CORE":           "15W_6CO…",
		"MAXN = present":           "MAXN",
		"present = MODE_20W_6CORE": "present",
	} {
		if got := short(name, 8); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// No number of a comparison is cut: a wide range of time takes what power leaves, then what the name does.
func TestFrontCutsNoComparison(t *testing.T) {
	t.Parallel()
	d, p := withView(t)
	v := d.State.Outlook
	for p.cursor = 0; p.cursor < len(v.Known); p.cursor += 97 {
		for _, w := range []int{30, 38} {
			for _, line := range p.versus(w) {
				if widget.Width(line) > w {
					t.Fatalf("%d columns: %q", w, line)
				}
			}
		}
	}
}

func TestFrontLimitComesBackToWhereItWas(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	d.Show(d.Board.Outlook())
	d.State.Limit = optimize.Limit{TimeMS: 80}
	if d.Press("]", "["); math.Abs(d.State.Limit.TimeMS-80) > 1e-9 {
		t.Errorf("up and down again is %v", d.State.Limit)
	}
}

package front

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/models"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// withView opens the page on predictions by pagetest.Law, like a tuned model.
func withView(t *testing.T) (*pagetest.Driver, *cloudView) {
	d, p := pagetest.Drive(t, New)
	d.Show(d.Board.Outlook())
	return d, p.cloud
}

// A reading that disagrees with all others is shown but not used until the mode is measured again.
func TestFrontShowsAReadingInDoubtThatStandsForNothing(t *testing.T) {
	d, c := withView(t)
	d.Size(120, 40)
	samples := d.Board.Samples()
	odd := &samples[3]
	odd.PowerW /= 3
	model := d.Board.Fitted(samples)
	model.Suspicious = []tegra.Setting{{Mode: odd.Mode}}
	v := outlook.By(pagetest.Predictor{}, "resnet18", model, samples, d.Board.Space())
	d.Show(v)
	i, _ := v.Index(odd.Mode)
	c.goTo(i)
	if d.Sees("disagrees with all others", "in doubt: v measures again",
		"? measured, in doubt"); v.Known[i].PowerW == odd.PowerW || v.Known[i] != v.Predicted[i] {
		t.Errorf("the mode is taken for %g W, predicted are %g and read was %g", v.Known[i].PowerW,
			v.Predicted[i].PowerW, odd.PowerW)
	}
	again := v.With(tegra.Measured{Setting: tegra.Setting{Mode: odd.Mode}, TimeMS: 50, PowerW: 30})
	if len(again.Doubted()) != 0 || again.Known[i].PowerW != 30 || len(v.Doubted()) != 1 {
		t.Errorf("measured again: %v in doubt, %g W; before it %v", again.Doubted(), again.Known[i].PowerW, v.Doubted())
	}
}

func TestFrontKeepsTheModesThatPassAFilter(t *testing.T) {
	d, c := withView(t)
	d.Size(120, 40)
	all := c.answer()
	whole := len(c.front())
	d.Press("/")
	d.Type("cores>=10 gpu")
	d.Sees("filter:", "not yet: ")
	d.Type(">=0.9GHz")
	d.Press("enter")
	d.Sees("filter cores>=10 gpu>=0.9GHz", "of 18,096 modes", "pass the filter")
	known := d.State.Outlook.Known
	for _, i := range append(slices.Clone(c.front()), c.answer(), c.cursor) {
		if m := known[i].Mode; m.Cores < 10 || m.GPU < tegra.GHz*9/10 {
			t.Errorf("%v does not pass", m)
		}
	}
	best := d.State.Outlook.AnswerAmong(d.State.Goal.Limit, serving.Pass(d.State.Outlook, tegra.Filter{},
		serving.Listing{}))
	if best != all || c.answer() == all || len(c.front()) == 0 {
		t.Errorf("the answer of all is %d or %d, of those that pass %d with a front of %d", all, best, c.answer(),
			len(c.front()))
	}
	for range 5 {
		d.Press("up")
		if m := known[c.cursor].Mode; m.Cores < 10 {
			t.Errorf("a step off the front leads to %v", m)
		}
	}
	d.Press("/")
	d.Type(" time<1")
	d.Press("enter")
	d.Sees("no mode passes it")
	d.Press("esc", "esc")
	must.Equal(t, c.answer(), all)
	must.Equal(t, len(c.front()), whole)
}

// A second model of the same workload is drawn with the first: its front and its choice.
func TestFrontDrawsOtherModelsOverTheCloud(t *testing.T) {
	d, c := withView(t)
	d.Size(120, 40)
	d.Press("O")
	d.Until("a notice says that there is none", func() bool { return d.Notice != "" })
	if d.Sees("no other model of this workload"); strings.Contains(d.Screen(), "choices") {
		t.Errorf("one model has choices beside the answer:\n%s", d.Screen())
	}
	own := d.State.Outlook.Model
	tree, err := learn.Fit(t.Context(), own.Samples, learn.Options{Space: own.Space, Method: learn.Tree, SkipCV: true,
		Provenance: own.Provenance})
	must.NoError(t, err)
	tree.Provenance.Pool = ""
	d.Send(page.ModelsListed{List: []models.Info{{Name: "by-tree", Model: tree}}})
	d.Until("two models are drawn", func() bool { return len(c.rivals.drawn()) == 2 })
	d.Sees("choices", "by-tree", "predicted")
	if len(c.rivals.drawn()) != 2 || len(c.rivals.lines(c.trade())[1].Xs) != len(c.rivals.list[1].Front(c.plane)) {
		t.Fatalf("%d models are drawn", len(c.rivals.drawn()))
	}
	for k, r := range c.rivals.choices() {
		must.Equal(t, r.Predicted, c.rivals.list[k].Predicted[c.rivals.list[k].Answer(d.State.Goal.Limit)], r.Name,
			r.Predicted.Mode)
	}
	d.Press("esc")
	must.Lack(t, d.Screen(), "by-tree")
}

func TestFrontTableListsTheCursorsModeOffTheFrontToo(t *testing.T) {
	d, c := withView(t)
	d.Size(120, 40)
	d.Press("b")
	for plane := range outlook.Planes {
		f := c.front()
		c.goTo((f[len(f)/2] + 1) % d.Board.Space().Len())
		for slices.Contains(f, c.cursor) {
			c.goTo(c.cursor + 1)
		}
		list, at := c.listed()
		d.Sees("▸" + d.State.Device.Space.Format(d.State.Outlook.Known[c.cursor].Mode))
		must.Equal(t, len(list), len(f)+1, plane)
		must.Contain(t, d.Screen(), "off front")
		xs, _ := c.columns()
		if !slices.IsSortedFunc(list, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) }) {
			t.Errorf("plane %d: the rows are not in order", plane)
		}
		want := list[min(at+1, len(list)-1)]
		if d.Press("down"); c.cursor != want {
			t.Errorf("plane %d: one row down leads to mode %d, want %d", plane, c.cursor, want)
		}
		d.Press("X")
	}
}

func TestFrontCursorStaysInThePartThatShows(t *testing.T) {
	d, c := withView(t)
	d.Press("+", "+", "+", "+", "+")
	for _, k := range []string{"home", "end", "right", "X", "X", "L", "L", "up", "down", "[", "]", "c"} {
		d.Press(k)
		x, y := c.scales()
		xs, ys := c.columns()
		if _, ok := x.At(xs[c.cursor]); !ok {
			t.Errorf("after %s the cursor is outside: %g of %v", k, xs[c.cursor], x)
		}
		if _, ok := y.At(ys[c.cursor]); !ok {
			t.Errorf("after %s the cursor is outside: %g of %v", k, ys[c.cursor], y)
		}
	}
	whole := c.points().X
	if part, _ := c.scales(); math.Log(part.Hi/part.Lo) > math.Log(whole.Hi/whole.Lo)/5 {
		t.Errorf("five steps in show %v of %v", part, whole)
	}
	d.Sees("zoom ×10.5")
	d.Press("esc")
	if part, _ := c.scales(); part != whole {
		t.Errorf("esc shows %v, the whole is %v", part, whole)
	}
}

func TestFrontOfEveryPlane(t *testing.T) {
	d, c := withView(t)
	v := d.State.Outlook
	for i, pl := range outlook.Planes {
		xs, ys := c.columns()
		f := c.front()
		if c.plane != i || len(f) < 5 {
			t.Fatalf("plane %d of %v has a front of %d", c.plane, pl, len(f))
		}
		for k := range f[1:] {
			if xs[f[k+1]] <= xs[f[k]] || ys[f[k+1]] >= ys[f[k]] {
				t.Fatalf("%v: front member %d is beaten by its neighbour", pl, k)
			}
		}
		d.Press("home")
		must.Equal(t, c.cursor, f[0], pl)
		d.Press("end")
		must.Equal(t, c.cursor, f[len(f)-1], pl)
		d.Press("X")
	}
	must.Equal(t, c.plane, 0)
	must.Equal(t, d.State.Outlook, v)
}

func TestFrontIsWalkedInLongSteps(t *testing.T) {
	d, c := withView(t)
	d.Press("home")
	f, steps := c.front(), 0
	for c.cursor != f[len(f)-1] && steps < 100 {
		d.Press("pgdown")
		steps++
	}
	if steps < 10 || steps > 40 {
		t.Errorf("%d long steps along a front of %d, want about 20", steps, len(f))
	}
	if d.Press("pgup"); c.cursor == f[len(f)-1] {
		t.Error("there is no way back")
	}
}

func TestFrontTellsNothingByColourAlone(t *testing.T) {
	d, _ := withView(t)
	d.Press("K", "K", "K")
	d.Size(120, 40)
	grouped := d.Screen()
	d.Sees("⠿ GPU 0.83 GHz", "⠠ others")
	d.Press("K")
	if other := d.Screen(); grouped == other {
		t.Error("without colours the modes of one group look like those of another")
	}
}

func TestFrontDoesNotCallPredictedWhatWasFitted(t *testing.T) {
	d, c := withView(t)
	v, learned := d.State.Outlook, d.Board.Samples()[3]
	c.cursor, _ = v.Index(learned.Mode)
	d.Sees("predicted measured")
	said := v.Predicted[c.cursor]
	said.TimeMS *= 1.5
	probe := optimize.Probe{Measured: learned, Predicted: said}
	v = v.Answering(metric.Watts(30), outlook.About{}, []optimize.Probe{probe})
	if at := v.About(learned.Mode); at.Fitted || at.Predicted.TimeMS != said.TimeMS {
		t.Errorf("expected %.1f ms (fitted %v), the prediction before it was measured is %.1f",
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
		must.Equal(t, short(name, 8), want, name)
	}
}

// No number of a comparison is cut: a wide range of time takes room from power, then from the name.
func TestFrontCutsNoComparison(t *testing.T) {
	t.Parallel()
	d, c := withView(t)
	v := d.State.Outlook
	for c.cursor = 0; c.cursor < len(v.Known); c.cursor += 97 {
		for _, w := range []int{30, 38} {
			for _, line := range c.card().versus(w) {
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
	d.State.Goal.Limit = metric.Millis(80)
	if d.Press("]", "["); math.Abs(d.State.Goal.Limit.Of(metric.Time)-80) > 1e-9 {
		t.Errorf("up and down again is %v", d.State.Goal.Limit)
	}
}

// A map is coloured by value if the terminal can, and numbers the modes that the search measured, in order.
func TestFrontColoursTheMapAndDrawsTheSearchOnIt(t *testing.T) {
	d, p := pagetest.Drive(t, New)
	d.Show(d.Board.Outlook())
	j := pagetest.Searched(d.Board, 30)
	j.Workload.Name = d.State.Outlook.Workload
	d.State.Tasks.Own = j
	d.Size(120, 35)
	d.Press("V")
	d.Sees("1 … the search's path", "◆ least")
	for _, hue := range []string{"38;2;58;123;213", "38;2;224;59;75"} { // the smallest and the largest value
		must.Contain(t, p.Render(120, 35), hue)
	}
	verifying := pagetest.Task(d.Board, task.Verifying)
	d.State.Tasks.Own, d.State.Tasks.Searched = verifying, j
	d.Sees("search's path")
	j.Workload.Name = "another"
	must.Lack(t, d.Screen(), "path")
}

func TestFrontKeepsTheFrontBeforeInSight(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	d.Show(d.Board.Outlook())
	before := d.State.Outlook
	must.Lack(t, d.Screen(), "earlier front")
	d.State.Outlook = d.Board.Outlook()
	d.Send(page.OutlookShown{Before: before, Same: true})
	d.Sees("earlier front")
	d.Show(before)
	must.Lack(t, d.Screen(), "earlier front")
}

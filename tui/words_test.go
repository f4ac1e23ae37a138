package tui

import (
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/models"
)

// Words after the key for the list of all actions name an action with its arguments; they do not start anything by
// themselves.
func TestWordsOpenWhatTheyName(t *testing.T) {
	t.Parallel()
	d := drive(t)
	say := func(line string) {
		t.Helper()
		d.r.forms = nil
		d.press(":")
		for _, c := range line {
			if c == ' ' {
				d.press("space")
				continue
			}
			d.press(string(c))
		}
		d.press("enter")
	}
	say("tune 25 W")
	d.sees("Tune: find the best power mode", "workload   resnet18:", "fastest within 25 W")
	say("tune bert 120 ms")
	d.sees("workload   bert:", "least power within 120 ms/step")
	say("tune mobilenet")
	d.sees("workload   mobilenet:")
	say("tune abc")
	d.sees("want a number above 0")
	say("measure MODE_30W")
	d.sees("Measure a mode", "‹ MODE_30W_ ›")
	if d.r.sh.task != nil {
		t.Fatal("words alone start a task")
	}
	say("front bert")
	d.sees("front bert: not now, no model of bert is kept on this board")
	say("limits 25 W")
	d.sees("limits 25 W: not now, no model is loaded")
	d.withView()
	d.press("1")
	d.r.forms = nil
	say("front resnet18")
	must.Equal(t, d.r.shown().Name(), page.Front, "front does not open Front")
	say("limits 25 W")
	d.sees("limit 25 W")
	say("limits nonsense")
	d.sees("not now")
	d.r.forms = nil
	m := must.Get(learn.Fit(t.Context(), d.board.Samples(), learn.Options{Space: d.r.sh.Device.Space, SkipCV: true,
		Provenance: learn.Provenance{Workload: "bert"}}))(t)
	d.r.sh.kept = []models.Info{{Name: "bert", Model: m}}
	if does, why := d.r.frontOf("bert"); why != "" || does.(page.All)[0].(page.Load).Model.Name != "bert" {
		t.Errorf("front bert loads %+v (%s)", does, why)
	}
	d.press(":")
	for _, c := range "apply" {
		d.press(string(c))
	}
	d.press("enter")
	must.Equal(t, d.r.apply.Stage(), dialog.Asking, "one word does not find its action any more")
}

// A search for a pair does not change what Tune takes from the row under the cursor.
func TestTuneOnARowForgetsTheLastPair(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.r.sh.Work.List = append(d.r.sh.Work.List, pagetest.Serves())
	d.r.sh.Work.Choice.Pair = "resnet18 + mobilenet-infer"
	d.press("t")
	d.sees("training and inference on one GPU")
	d.press("esc", "2")
	d.sees("▸resnet18")
	d.press("t")
	d.sees("Tune: find the best power mode", "workload   resnet18:")
}

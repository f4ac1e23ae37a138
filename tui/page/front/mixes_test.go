package front

import (
	"testing"

	"jtune/internal/must"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/task"
)

func TestMixesShowTheAnswerAmongWhatIsPredicted(t *testing.T) {
	t.Parallel()
	d, p := pagetest.Drive(t, New)
	m := pagetest.Mixes(d.Board, true)
	d.State.Mixes = m
	d.Sees("resnet18 + mobilenet-infer: 60/s uniform, p99 ≤ 300 ms, peak power ≤ 30 W", "the answer, measured",
		"✓ measured within", "● measured", "step/s")
	d.Press("right")
	d.Sees("~ predicted within", "not run as a pair yet")
	d.Press("v")
	if start, ok := d.Want().(page.Start); !ok || start.Task.Kind != task.Pairing {
		t.Errorf("v asks for %+v", start)
	}
	d.Press("home", "a")
	first := m.Points[m.Front[0]]
	if does, ok := d.Want().(page.Apply); !ok || does.Mode != first.Mode {
		t.Errorf("a on the first place asks for %+v", does)
	}
	must.Contain(t, p.Copied(), "batch 16, fill turns")
	d.Press("c", "b")
	d.Sees("the answer", "✓", "bs step/s", "b plot")
	files := must.Get(p.Files())(t)
	must.Equal(t, len(files), 3)
	must.Contain(t, files[1].Text, "virtual")
	d.Press("esc")
	d.Sees("No model is loaded")
	d.State.LoadedLast = true
	d.Sees("The model is being read.")
	d.Show(d.Board.Outlook())
	d.Sees("best within the limit")
	again := *m
	d.State.Mixes = &again // like the intent to show them
	d.Sees("the answer, measured")
}

func TestMixesWithoutAFeasibleOneShowTheNearest(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	d.State.Mixes = pagetest.Mixes(d.Board, false)
	d.Sees("nearest measured pair", "no mix is predicted to keep the")
	d.Press("left", "left")
	d.Sees("nearest, predicted", "✗ predicted over: latency")
	d.State.Device.ReadOnly = true
	if d.Press("v"); d.Want() != nil {
		t.Error("it measures on a board that cannot be set")
	}
	d.Sees("measure: not now, read-only", "apply (read-only)")
}

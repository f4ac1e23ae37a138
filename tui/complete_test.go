package tui

import (
	"context"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tui/page/pagetest"
)

type fixture = fakeHost

// guardedBoard is a board whose fastest and slowest memory rates only the guard can read.
type guardedBoard struct {
	*fixture
	part  *tegra.Space
	began atomic.Bool // the guard
}

func (b *guardedBoard) Space() *tegra.Space {
	if b.began.Load() {
		return b.fixture.Space()
	}
	return b.part
}

func (b *guardedBoard) Presets() []tegra.Preset {
	list := append([]tegra.Preset{}, b.fixture.Presets()...)
	if list[1].Name = "REAL"; !b.began.Load() {
		list[1].Name = "PART"
	}
	return list
}

func (b *guardedBoard) Guard(ctx context.Context) (tegra.Applier, error) {
	b.began.Store(true)
	return b.fixture.Guard(ctx)
}

// driveGuarded drives the screens of such a board.
func driveGuarded(t *testing.T) (*driver, *guardedBoard) {
	t.Helper()
	b := &guardedBoard{}
	d := drive(t, func(of *fakeHost, d *deps) {
		full := of.Space()
		part := must.Get(tegra.NewSpace(full.Cores, full.CPU, full.GPU, full.EMC[1:3]))(t)
		b.fixture, b.part, d.host, d.device = of, part, b, b
		d.state.Device.Space, d.state.Device.Presets = b.Space(), b.Presets()
	})
	return d, b
}

func TestScreensTakeTheModesThatTheGuardHasRead(t *testing.T) {
	t.Parallel()
	d, _ := driveGuarded(t)
	d.size(120, 35)
	d.press("6", "/")
	d.send(tea.PasteMsg{Content: "cores=12"})
	d.press("enter")
	d.sees("754 of 9,048 modes")
	d.press("p")
	d.sees("PART")
	d.press("down", "a", "a")
	d.settle()
	d.press("n")
	d.settle()
	d.sees("REAL")
	d.press("p", "p")
	d.sees("1,508 of 18,096 modes")
	d.press("1", "v")
	d.sees("MAXN  12c/2.20C/1.30G/3.20M")
}

// The predictions that the pages share cover the added modes; Front keeps its cursor.
func TestScreensPredictTheModesThatTheGuardHasRead(t *testing.T) {
	t.Parallel()
	d, b := driveGuarded(t)
	var rows []tegra.Measured
	for _, m := range b.part.Sample(11, 7) {
		rows = append(rows, pagetest.Predictor{}.Predict([]tegra.Mode{m})[0].Measured)
	}
	m := must.Get(learn.Fit(t.Context(), rows, learn.Options{Space: b.part, SkipCV: true,
		Provenance: learn.Provenance{Workload: "resnet18"}}))(t)
	old := outlook.New("resnet18", m, b.part)
	d.send(modelLoadedMsg{old, "resnet"})
	d.press("5", "left", "left")
	copied := func() string { return d.r.shown().Copied() }
	here := copied()
	d.press("a", "a")
	d.settle()
	d.press("n")
	d.settle()
	shows := func() bool { return d.r.sh.Outlook.Space().Equal(b.fixture.Space()) }
	d.until("the added modes are predicted", shows)
	if n := len(d.r.sh.Outlook.Known); n != 18096 || d.r.sh.Device.Space.Len() != n {
		t.Errorf("%d predictions of %d modes", n, d.r.sh.Device.Space.Len())
	}
	must.Equal(t, copied(), here)
	d.send(modelLoadedMsg{outlook.New("bert", m, b.part), "bert"}) // loaded before the guard began
	d.until("they are predicted by this model too", func() bool {
		return d.r.sh.Outlook.Workload == "bert" && shows()
	})
}

func TestSearchAnswersFromTheModesThatTheGuardHasRead(t *testing.T) {
	t.Parallel()
	d, b := driveGuarded(t)
	d.press("t", "t")
	b.began.Store(true)
	d.answered()
	if v := d.r.sh.Outlook; !v.Space().Equal(b.fixture.Space()) {
		t.Errorf("the answer comes from %d modes", v.Space().Len())
	}
}

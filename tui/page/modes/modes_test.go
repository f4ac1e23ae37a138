package modes

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/widget"
)

// withView opens the page on predictions by pagetest.Law, like a tuned model.
func withView(t *testing.T) (*pagetest.Driver, *Page) {
	d, p := pagetest.Drive(t, New)
	d.Show(d.Board.Outlook())
	return d, p
}

func TestModesSortByEveryColumnBothWays(t *testing.T) {
	d, p := withView(t)
	d.Size(120, 24)
	for _, c := range p.columns() {
		if c.letter == "" || c.name == "units/s" { // only for inference
			continue
		}
		d.Press("s", c.letter)
		d.Sees(p.sortText())
		if p.sortBy != c.letter {
			t.Fatalf("%s sorts %s", c.letter, p.sortText())
		}
		if c, _ := p.by(c.letter); c.values != nil {
			value := c.values()
			for i := range p.order[1:] {
				if a, b := value[p.order[i]], value[p.order[i+1]]; p.falling && a < b || !p.falling && a > b {
					t.Fatalf("%s: row %d has %g, the next one %g", p.sortText(), i, a, b)
				}
			}
			first, falling := p.order[0], p.falling
			d.Press("s", c.letter)
			d.Screen()
			if value[p.order[0]] == value[first] || p.falling == falling {
				t.Errorf("%s: reversed, the first row is the same", p.sortText())
			}
		}
	}
	d.Press("s", "t", "s", "z")
	d.Sees("by time ▴", "sort: no column has the letter z")
	d.Press("s")
	d.Sees("sort by: m mode  c cores")
	d.Press("esc")
	d.Sees("by time ▴")
}

func TestModesWithoutAModelSortByKnobsAlone(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	d.Press("s", "e")
	d.Sees("no model: clocks and cores only, by EMC ▾")
	d.Press("s", "t")
	d.Sees("by EMC ▾", "sort by time: not now, no model is loaded")
	d.Press("s", "m")
	d.Sees("by mode ▾")
}

func TestModesFollowAFilterAsItIsTyped(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	d.Press("/")
	d.Type("cores=1")
	d.Sees("1,508 of 18,096 modes")
	d.Type("2 gpu")
	d.Sees("1,508 of 18,096 modes", "not yet: filter term")
	d.Type(">1.2GHz")
	d.Sees("232 of 18,096 modes")
	d.Press("esc")
	d.Sees("18,096 of 18,096 modes")
	d.Press("/")
	d.Type("time<1ms cores=1 cores=2")
	d.Press("enter")
	for _, key := range []string{"a", "A", "v"} {
		if d.Press(key); d.Want() != nil || !strings.Contains(d.Notice, "no mode is listed") {
			t.Errorf("%s says %q", key, d.Notice)
		}
	}
	d.Press("esc", "v") // which job runs, where none was chosen, and that the mode does not stay
	if _, starts := d.Want().(page.Start); !starts || !strings.HasSuffix(d.Notice, ", then restores the board") {
		t.Errorf("v says %q", d.Notice)
	}
}

func TestModesAreComparedSideBySide(t *testing.T) {
	d, p := withView(t)
	d.Size(120, 24)
	d.Press("d")
	d.Sees("compare: not now, mark a mode", "d compare (mark a mode)")
	d.Press("p", "space", "space") // MAXN and the 15 W preset
	d.Sees("●", "d compare")
	d.Press("d")
	maxT, maxW := pagetest.Law(d.Board.Presets()[0].Mode)
	lowT, lowW := pagetest.Law(d.Board.Presets()[1].Mode)
	d.Sees("2 modes side by side", "A 12c/", "B 4c/", "MODE_15W", widget.MS(maxT), widget.MS(lowT),
		widget.Positive(lowW, 1),
		widget.SignedPct(100*(lowT/maxT-1)), widget.SignedPct(100*(lowW/maxW-1)))
	d.Press("down", "a")
	must.Equal(t, d.Want(), page.Intent(page.Apply{Mode: d.Board.Presets()[1].Mode}),
		"apply does not take the mode under the cursor")
	d.Press("space")
	must.Equal(t, len(p.marked), 1)
	d.Sees("of 18,096 modes")
	d.Press("down", "d") // the mark and the cursor
	d.Sees("2 modes side by side")
	d.Press("esc", "esc", "esc")
	must.Equal(t, len(p.marked), 0, "esc does not take the marks away")
}

func TestModesComparisonTellsWhatWasMeasured(t *testing.T) {
	d, p := withView(t)
	got := d.Board.Samples()[0]
	p.marked = append(p.marked, d.Board.Space().Max(), got.Mode)
	d.Press("d")
	top, _ := pagetest.Law(d.Board.Space().Max())
	d.Sees(widget.MS(got.TimeMS), widget.Positive(got.PowerW, 1), widget.SignedPct(100*(got.TimeMS/top-1)))
}

func TestModesComparisonOfManyReachesAll(t *testing.T) {
	d, _ := withView(t)
	for range 9 {
		d.Press("space")
	}
	d.Press("d")
	d.Sees("9 modes side by side")
	for _, s := range pagetest.Sizes {
		d.Size(s[0], s[1])
		for i := range 9 {
			d.Sees("▸" + letter(i))
			d.Press("down")
		}
		for range 9 {
			d.Press("up")
		}
	}
}

func TestModesClickChoosesARow(t *testing.T) {
	d, p := withView(t)
	d.Press("pgdown", "pgdown", "pgdown")
	for i, line := range strings.Split(d.Screen(), "\n") {
		if i < 4 || i > 11 {
			continue
		}
		p.Click(10, i)
		m, _ := p.chosen()
		must.Contain(t, line, d.State.Device.Space.Format(m))
	}
	if p.Click(10, 16) {
		t.Error("a click below the list is taken")
	}
}

func TestModesClickOnAHeadSortsByItsColumn(t *testing.T) {
	d, p := withView(t)
	head := strings.Split(d.Screen(), "\n")[1]
	for title, says := range map[string]string{"ms/step": "by time ▴", "cores/CPU": "by mode ▾"} {
		at := strings.Index(head, title)
		if at < 0 {
			t.Fatalf("no %s in %q", title, head)
		}
		if !p.Click(utf8.RuneCountInString(head[:at])+1, 1) {
			t.Errorf("a click on %s is not taken", title)
		}
		d.Sees(says)
	}
	if p.Click(len(head)+10, 1) {
		t.Error("a click beside the heads is taken")
	}
}

func TestModesFilterTakesAPastedTextInOneLine(t *testing.T) {
	d, p := withView(t)
	d.Press("/")
	d.Send(tea.PasteMsg{Content: "cores>=8\n power<20\x1b[31m" + strings.Repeat("x", 1<<20)})
	if got := p.filter.Value(); !strings.HasPrefix(got, "cores>=8  power<20[31m") || len(got) != widget.MostFilter {
		t.Errorf("the filter holds %d bytes: %.60q", len(got), got)
	}
}

func TestModesListOfPresetsKnowsNoFilterAndKeepsIt(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	d.Press("/")
	d.Type("cores=12")
	d.Press("enter")
	d.Sees("filter cores=12")
	d.Press("p")
	d.Sees("Presets of this board", "esc shows all modes again")
	must.Lack(t, d.Screen(), "cores=12")
	d.Press("esc")
	d.Sees("1,508 of 18,096 modes", "filter cores=12")
	d.Press("esc")
	d.Sees("18,096 of 18,096 modes")
}

func TestModesFilterThatIsWrongStaysToBeMended(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	d.Press("/")
	d.Type("gpu>=much")
	d.Press("enter")
	d.Sees("filter: gpu>=much", "not yet: ", "not a positive")
	for range "much" {
		d.Press("backspace")
	}
	d.Type("0.9")
	d.Press("enter")
	d.Sees("filter gpu>=0.9", "shows all modes again")
}

// Once a model is loaded, the answer is first, then the modes that keep the limit, fastest first, until the user sorts.
func TestModesBeginWithWhatKeepsTheLimit(t *testing.T) {
	d, p := pagetest.Drive(t, New)
	d.State.LoadedLast = true
	d.Sees("its model is being read, by mode ▾")
	d.State.LoadedLast = false
	d.Sees("no model: clocks and cores only, by mode ▾", "▸  12c/2.20C/1.30G/3.20M")
	view := d.Board.Outlook()
	d.Show(view)
	d.Sees("by state ▴")
	answer := view.Answer(d.State.Goal.Limit)
	must.Equal(t, p.order[0], answer)
	last := 0
	for n, at := range p.order[1:2000] {
		if s := p.read.Standing(p.read.Space().At(at)); !s.Within() {
			last = n
			break
		}
		if over := view.Known[p.order[n]].TimeMS; n > 0 && view.Known[at].TimeMS < 0.999999*over {
			t.Fatalf("row %d takes less time than the one above it, within the limit too", n+2)
		}
	}
	for _, at := range p.order[len(p.order)-100:] {
		if p.read.Standing(p.read.Space().At(at)).Within() {
			t.Fatalf("mode %d keeps the limit and is last; the first that does not is row %d", at, last)
		}
	}
	d.Press("s", "m")
	d.Show(d.Board.Outlook())
	d.Sees("by mode")
}

// The boot unit locks the clocks of a mode that was kept with locked clocks; otherwise it leaves them as they are now.
func TestModesAtBootLeaveTheClocksAsTheyAre(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	mode, now := d.Board.Presets()[1].Mode, &d.State.Readings.Sample.Reading
	now.Mode = tegra.Some(mode)
	for _, c := range []struct {
		name       string
		locked     tegra.Val[bool]
		kept, lock bool // by this program
		free       bool // in the unit
	}{
		{name: "free clocks of unknown origin", locked: tegra.Some(false), free: true},
		{name: "locked clocks of unknown origin", locked: tegra.Some(true)},
		{name: "nobody knows whether they are locked"},
		{name: "kept with locked clocks", locked: tegra.Some(false), kept: true, lock: true},
		{name: "kept with free clocks", locked: tegra.Some(true), kept: true, free: true},
	} {
		now.Locked, d.State.Applied.Kept = c.locked, c.kept
		d.State.Applied.Mode, d.State.Applied.Free = tegra.Val[tegra.Mode]{V: mode, OK: c.kept}, c.kept && !c.lock
		d.Press("W")
		must.Equal(t, d.Want(), page.Intent(page.PlanBoot{Mode: mode, Free: c.free}), c.name)
	}
}

// The guard adds slower memory rates while a mode is composed.
func TestComposeModeKeepsItsValuesWhenModesAreAdded(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	full := d.State.Device.Space
	part := must.Get(tegra.NewSpace(full.Cores, full.CPU, full.GPU, full.EMC[1:]))(t)
	d.State.Device.Space = part
	d.Press("C", "down", "down", "down", "left")
	d.Sees("Compose a mode", "12c/2.20C/1.30G/2.13M")
	d.State.Device.Space = full
	d.Send(page.SpaceCompleted{})
	d.Sees("12c/2.20C/1.30G/2.13M")
	d.Press("enter")
	m := must.Get(full.Parse("12c/2.20C/1.30G/2.13M"))(t)
	must.Equal(t, d.Want(), page.Intent(page.Apply{Mode: m}))
}

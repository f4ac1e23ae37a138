// Package live is the page of what the board does now: clocks, power, temperatures,
// memory, and who uses them.
package live

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/profiles"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// Page shows what the board does now.
type Page struct {
	read  page.Reader
	large int // panel that fills the page; 0: all panels
}

var _ page.Page = (*Page)(nil)

// New shows what is read.
func New(read page.Reader) *Page { return &Page{read: read} }

// Name is page.Page's.
func (p *Page) Name() page.Name { return page.Live }

// Update is page.Page's: everything is in the state.
func (p *Page) Update(tea.Msg) page.Intent { return nil }

// Key is page.Page's.
func (p *Page) Key(k tea.KeyPressMsg) (page.Intent, bool) {
	switch {
	case p.read.Keys().Enlarge.Matches(k):
		p.large = (p.large + 1) % (len(p.panels()) + 1)
	case p.read.Keys().Back.Matches(k) && p.large != 0:
		p.large = 0
	default:
		return nil, false
	}
	return nil, true
}

// Hints is page.Page's.
func (p *Page) Hints() []widget.Action {
	freeze := p.read.Keys().Freeze
	if p.read.Look().Frozen {
		freeze = freeze.As("unfreeze")
	}
	return append([]widget.Action{freeze, p.read.Keys().Enlarge}, page.SpeedHints(p.read)...)
}

// Copied is the mode that the board is in.
func (p *Page) Copied() string {
	if m := p.read.Present(); m.OK {
		return p.read.ModeText(m.V)
	}
	return ""
}

// Panels of the page, in the order in which e enlarges them.
const (
	panelClocks = iota
	panelPower
	panelPowerChart
	panelHeat
	panelMemory
	panelBusyChart
	panelClockChart
	panelHeatChart
)

func (p *Page) panels() []widget.Panel {
	return []widget.Panel{
		panelClocks:     p.read.Panel("Clocks", "", p.clocks),
		panelPower:      p.read.Panel("Power", "", p.power),
		panelPowerChart: p.read.Panel("Power, last 2 min", "", p.read.PowerChart),
		panelHeat:       p.read.Panel("Thermal", "", p.heat),
		panelMemory:     p.read.Panel("Memory, disk, GPU", "", p.memory),
		panelBusyChart:  p.read.Panel("Busy, last 2 min", "", p.read.BusyChart),
		panelClockChart: p.read.Panel("Clocks, last 2 min", "", p.read.ClockChart),
		panelHeatChart:  p.read.Panel("Temperature, last 2 min", "the hottest", p.read.HeatChart),
	}
}

// Sizes of the page: below the first it has no panels, from the others on there is room for
// charts of everything, and for three panels side by side.
const (
	panelsW, panelsH = 70, 16
	chartsH          = 30
	threeW           = 110
)

// Render draws the page.
func (p *Page) Render(w, h int) string {
	if !p.read.Readings().OK {
		return widget.Fit("\nwaiting for the first reading …", w, h)
	}
	if p.large > 0 {
		return p.panels()[p.large-1].Render(w, h)
	}
	if w < panelsW || h < panelsH {
		return p.compact(w, h)
	}
	rows := h - 2
	out := p.columns(w, rows)
	switch {
	case h >= chartsH && w >= threeW:
		top := min(p.tablesHeight(w), rows/2)
		out = widget.Under(p.tables(w, top), p.charts(w, rows-top))
	case h >= chartsH:
		const top = 20 // as in the smallest window with panels
		out = widget.Under(p.columns(w, top), p.charts(w, rows-top))
	}
	return widget.Under(out, widget.Cut(p.workloadLine(), w), widget.Cut(p.ownLine(), w))
}

// columns are two columns of panels.
func (p *Page) columns(w, rows int) string {
	b := p.panels()
	left := 44
	if w >= threeW {
		left = w / 2
	}
	right := w - left
	heat := p.heatHeight(right)
	rails := min(p.powerHeight(right), max(rows-heat-3, p.powerHeight(right)-p.coversLines(right-4)), rows-7)
	heat = max(3, min(heat, rows-rails-3))
	clocks := 9
	if why := p.differs(); why != "" {
		clocks += 1 + strings.Count(widget.Wrap(why, left-4), "\n")
	}
	return widget.Beside(
		widget.Under(b[panelClocks].Render(left, clocks), b[panelPowerChart].Render(left, rows-clocks)),
		widget.Under(b[panelPower].Render(right, rails), b[panelHeat].Render(right, heat),
			b[panelMemory].Render(right, rows-rails-heat)))
}

// tables are the numbers, in three columns.
func (p *Page) tables(w, rows int) string {
	b := p.panels()
	left, middle := threeColumns(w)
	right := w - left - middle
	heat := max(4, min(p.heatHeight(right), rows-5))
	return widget.Beside(b[panelClocks].Render(left, rows), b[panelPower].Render(middle, rows),
		widget.Under(b[panelHeat].Render(right, heat), b[panelMemory].Render(right, rows-heat)))
}

// threeColumns are the widths of the first two of three columns.
func threeColumns(w int) (left, middle int) { return w * 11 / 30, w * 10 / 30 }

// tablesHeight is how many rows they need.
func (p *Page) tablesHeight(w int) int {
	left, middle := threeColumns(w)
	cores := len(p.read.Sample().Reading.Cores)
	clocks := 9 + (cores+coresPerLine(left-4, cores)-1)/coresPerLine(left-4, cores)
	if why := p.differs(); why != "" {
		clocks += 1 + strings.Count(widget.Wrap(why, left-4), "\n")
	}
	const memory = 7
	return max(clocks, p.powerHeight(middle), p.heatHeight(w-left-middle)+memory)
}

// charts are histories of everything, two by two.
func (p *Page) charts(w, rows int) string {
	b := p.panels()
	left, top := w/2, (rows+1)/2
	return widget.Under(
		widget.Beside(b[panelPowerChart].Render(left, top), b[panelBusyChart].Render(w-left, top)),
		widget.Beside(b[panelHeatChart].Render(left, rows-top), b[panelClockChart].Render(w-left, rows-top)))
}

// compact answers what it draws, what is set and whether it is all right in
// 40×10.
func (p *Page) compact(w, h int) string {
	read := p.read.Sample().Reading
	clock := func(name string, c tegra.ClockReading) string {
		busy := page.Num(c.LoadPct, 0)
		return fmt.Sprintf("%-4s%s GHz  of %s  busy %s %%", name, page.GHz(c.Actual), page.GHz(c.Max), busy)
	}
	total := p.totalW(page.Num(read.TotalW, 1))
	lines := []string{
		fmt.Sprintf("%-8s%s W   1 min %s W", "module", total, page.Num(p.meanW(""), 1)),
		clock("CPU", read.CPU) + fmt.Sprintf("  %d/%d", read.Online(), len(read.Cores)),
		clock("GPU", read.GPU),
		clock("EMC", read.EMC),
		"mode " + p.modeText(w-5),
		widget.Wrap(p.health(), w),
		p.hottest() + "  fan " + page.Num(read.FanPct, 0) + " %",
		"RAM " + page.Gigabytes(read.RAMUsed) + " of " + page.Gigabytes(read.RAMTotal) + " GB",
		"energy since " + p.read.Readings().Since.Format("15:04") + "  " + widget.Joules(p.read.Readings().EnergyJ),
	}
	if h > len(lines)+4 {
		lines = append(lines, strings.Split(p.read.PowerChart(w, h-len(lines)), "\n")...)
	} else {
		lines = append(lines, p.powerSpark(w))
	}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

// health is one line: all right, or what is not.
func (p *Page) health() string {
	hot := p.read.Sample().Reading.Hot()
	switch t := p.read.Sample().Reading.Throttled; {
	case hot != "" && !p.read.Sample().Reading.Heat.Or(false):
		return widget.StyleBad.Render("HOT: " + hot)
	case p.differs() != "":
		return widget.StyleWarn.Render(p.differs())
	case !p.read.Sample().Valid:
		return widget.StyleWarn.Render("reading not valid: " + p.read.Sample().Why)
	case p.read.Sample().Reading.Heat.Or(false):
		return widget.StyleBad.Render("THROTTLED (thermal): slower than set")
	case t.OK && t.V:
		return widget.StyleBad.Render("THROTTLED: slower than set")
	case p.overCurrents() > 0:
		return widget.StyleWarn.Render("over-current " + p.overCurrentText())
	case p.overBudget() != "":
		return widget.StyleWarn.Render(p.overBudget())
	case !t.OK:
		return "throttling " + widget.Dash + " (n/a)"
	}
	return widget.StyleGood.Render("all right") + ": not throttled"
}

// modeText names the mode in w columns; that its clocks are locked is said elsewhere too, and
// what all presets' names begin with can be left out.
func (p *Page) modeText(w int) string {
	m := p.read.Present()
	if !m.OK {
		return "custom (matches no power mode)"
	}
	text, preset := p.read.ModeText(m.V), p.read.NameOf(m.V)
	for _, name := range []string{p.read.NameAs(m.V, p.read.Locked()), preset, strings.TrimPrefix(preset, "MODE_")} {
		if name != "" && widget.Width(text+" = "+name) <= w {
			return text + " = " + name
		}
	}
	return text
}

// workloadLine shows what runs.
func (p *Page) workloadLine() string {
	j := p.read.Task()
	if f := p.read.Followed(); (j == nil || j.Done()) && f != nil && !f.Done() {
		does := "measures " + f.Workload.Name + " here"
		if p.read.Board().Simulated() { // on a board of its own
			does = "simulates " + f.Workload.Name
		}
		return fmt.Sprintf(" another jtune (process %d) %s: %s shows it", f.Follows.PID, does,
			widget.StyleKey.Render("3"))
	}
	if j == nil || j.Done() {
		if u := p.read.Interrupted(); u != nil {
			return " cut off (" + widget.StyleKey.Render("3") + "): " + u.String()
		}
		tune := widget.Press(p.read.Keys().Tune)
		return " no workload is running; " + tune + " tunes one, " + widget.StyleKey.Render("2") + " starts one"
	}
	doing := j.Progress.Phase.String()
	if j.State != task.Running {
		doing = j.State.String()
	} else if j.Progress.Phase == profiles.Finished {
		doing = "between two modes"
	}
	text := fmt.Sprintf(" %s, %s: %s", j.Kind, j.Workload.Name, doing)
	if t := j.Progress.TimeMS; t > 0 {
		text += fmt.Sprintf(", %s ms/minibatch", widget.MS(t))
		if w := p.read.Sample().Reading.TotalW; w.OK {
			text += ", " + widget.Joules(t*w.V/1000)
		}
	}
	if l := j.Last; l != nil && l.TimeMS > 0 && l.StallMS.OK {
		text += fmt.Sprintf(", stall %.0f %%", 100*l.StallMS.V/l.TimeMS)
	}
	return text
}

func (p *Page) ownLine() string {
	cost, rate := p.read.Readings().Cost, widget.Dash
	if cost.BytesPerS.OK {
		rate = fmt.Sprintf("%.1f", cost.BytesPerS.V/1000)
	}
	own := page.Num(cost.CPUPct, 1) + " % of one core, " + rate + " kB/s to this terminal"
	return widget.StyleDim.Render(" jtune itself: " + own)
}

// Numbers is page.Page's.
func (p *Page) Numbers() string {
	return "actual: what a clock runs at. limit: its upper limit as set, in wide windows lower–upper. cap: the most " +
		"this board allows. busy: share of time at work. per core: busy by height, × is switched off. EMC: the " +
		"memory's clock. rails: the supply lines, by the board's names. now, 1 min: watts at this moment and on " +
		"average. module total: what the rails with + (or =) add up to; covers says what is in it. locked: " +
		"minimum = maximum. throttled: a thermal limit slows a part of the SoC now. HOT: a sensor is within 5 °C of " +
		"where the board slows down or stops (its trip point), from 95 °C without one; what is measured now does " +
		"not count. warm: 10 °C below that. Watts are warm from 95 % of the budget in the preset's name, red above " +
		"it; a part at work is warm from 90 % of the time, memory in use from 90 %, red from 97 %. tj: the hottest " +
		"place of the chip. off: sensors of parts without power. cache: files kept in RAM. over-current: times the " +
		"supply's limit was met since the start. on the GPU: processes that hold its memory; the driver " +
		"shows them to root only."
}

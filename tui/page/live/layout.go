package live

import (
	"fmt"
	"strings"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// Acts implements page.Page.
func (p *Page) Acts() page.Acts {
	keys := p.read.Keys()
	freeze := keys.Freeze
	if p.read.Look().Frozen {
		freeze = freeze.As("unfreeze")
	}
	return append(page.Acts{
		page.On(keys.Soak.Unless(p.read.MayRun()), func() page.Intent { return page.AskSoak{} }),
		page.Shown(freeze),
		page.On(keys.Enlarge, func() { p.large = (p.large + 1) % (len(p.panels()) + 1) }),
		page.Quiet(keys.Back, p.large != 0, func() { p.large = 0 }),
	}, page.Speeds(p.read)...)
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

// Sizes of the page: below the first there are no panels; from the other two there is room for charts of everything,
// and for three panels side by side.
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
	p.brief = false
	if p.large > 0 {
		return p.panels()[p.large-1].Render(w, h)
	}
	if w < panelsW || h < panelsH {
		return p.compact(w, h)
	}
	p.brief = w < threeW || h < chartsH
	rows := h - 1
	if !p.brief {
		rows--
	}
	out := p.columns(w, rows)
	switch {
	case h >= chartsH && w >= threeW:
		top := min(p.tablesHeight(w), rows/2)
		out = widget.Under(p.tables(w, top), p.charts(w, rows-top))
	case h >= chartsH:
		const top = 20 // as in the smallest window with panels
		out = widget.Under(p.columns(w, top), p.charts(w, rows-top))
	}
	out = widget.Under(out, widget.Cut(p.workloadLine(), w))
	if !p.brief {
		out = widget.Under(out, widget.Cut(" "+page.OwnCost(p.read.Readings().Cost, w), w))
	}
	return out
}

// tables renders the numbers in three columns.
func (p *Page) tables(w, rows int) string {
	b := p.panels()
	left, middle := threeColumns(w)
	right := w - left - middle
	heat := max(4, min(p.heatHeight(right), rows-5))
	return widget.Beside(b[panelClocks].Render(left, rows), b[panelPower].Render(middle, rows),
		widget.Under(b[panelHeat].Render(right, heat), b[panelMemory].Render(right, rows-heat)))
}

// threeColumns returns the widths of the first two of three columns.
func threeColumns(w int) (left, middle int) { return w * 11 / 30, w * 10 / 30 }

// tablesHeight returns how many rows tables needs.
func (p *Page) tablesHeight(w int) int {
	left, middle := threeColumns(w)
	cores := len(p.read.Sample().Reading.Cores)
	each := coresPerLine(left-4, cores)
	clocks := len(p.clockLines(min(left-4, tableW))) + (cores+each-1)/each + 3 // with the board and the frame
	const memory = 7
	return max(clocks, p.powerHeight(middle), p.heatHeight(w-left-middle)+memory)
}

// charts renders histories of everything, two by two.
func (p *Page) charts(w, rows int) string {
	b := p.panels()
	left, top := w/2, (rows+1)/2
	return widget.Under(
		widget.Beside(b[panelPowerChart].Render(left, top), b[panelBusyChart].Render(w-left, top)),
		widget.Beside(b[panelHeatChart].Render(left, rows-top), b[panelClockChart].Render(w-left, rows-top)))
}

// compact renders power, mode and health in 40×10.
func (p *Page) compact(w, h int) string {
	read := p.read.Sample().Reading
	clock := func(name, unit string, c tegra.ClockReading) string {
		busy := page.Num(c.LoadPct, 0)
		return fmt.Sprintf("%-4s%s %s of %s  busy %s %%", name, page.GHz(c.Actual), unit, page.GHz(c.Max), busy)
	}
	unit := "GHz "
	if read.Requested() {
		unit = "asked"
	}
	total := p.totalW(page.Num(read.TotalW, 1))
	lines := []string{
		fmt.Sprintf("%-8s%s W   1 min %s W", "module", total, page.Num(p.meanW(""), 1)),
		clock("CPU", unit, read.CPU) + fmt.Sprintf("  %d/%d", read.Online(), len(read.Cores)),
		clock("GPU", "GHz ", read.GPU),
		clock("EMC", "GHz ", read.EMC),
		"mode " + p.modeText(w-5),
		widget.Wrap(p.health(), w),
		p.hottest() + "  fan " + page.Num(read.FanPct, 0) + " %",
		"RAM " + page.Gigabytes(read.RAMUsed) + " of " + page.Gigabytes(read.RAMTotal) + " GB",
		"energy since " + p.read.Readings().Since.Format("15:04") + "  " + widget.Joules(p.read.Readings().EnergyJ),
	}
	if h > len(lines)+4 {
		lines = append(lines, strings.Split(p.read.PowerChart(w, h-len(lines)), "\n")...)
	} else {
		const name = "last 2 min "
		lines = append(lines, name+p.railSpark("", chart.InkSeries, w-len(name)))
	}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

// health returns one line: all right, or what is not.
func (p *Page) health() string {
	hot := p.read.Sample().Reading.Hot()
	signals, came := p.signalText()
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
	case came:
		return widget.StyleWarn.Render(signals)
	case p.overBudget() != "":
		return widget.StyleWarn.Render(p.overBudget())
	case !t.OK:
		return "throttling " + widget.Dash + " (n/a)"
	}
	return widget.StyleGood.Render("all right") + ": not throttled"
}

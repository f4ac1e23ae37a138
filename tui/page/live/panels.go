package live

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/page"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// covers describes which rails the total adds up, and what it covers.
func (p *Page) covers() string {
	b := p.read.Board()
	text := ""
	switch {
	case b.TotalRule == "":
		return "no total: this board's rails do not add up to the module"
	case strings.HasPrefix(b.TotalRule, "SUM:"):
		text = "total = the rails with +"
	}
	if b.TotalCovers != "" {
		if text != "" {
			text += "; "
		}
		text += "covers " + b.TotalCovers
	}
	return text
}

// coversLines returns how many lines covers takes.
func (p *Page) coversLines(w int) int {
	text := p.covers()
	if text == "" {
		return 0
	}
	return strings.Count(widget.Wrap(text, w), "\n") + 1
}

// tableW is the maximum width of a table of numbers: wider rows are hard to follow.
const tableW = 58

// clockLines are the clocks, the engines at work, what does not run as set, and the mode.
func (p *Page) clockLines(w int) []string {
	read, wide := p.read.Sample().Reading, w >= 56
	row := func(name, actual, limit, most, busy string) string {
		room, cap := 5, fmt.Sprintf(" %4s", most)
		if p.brief {
			room, cap = 6, ""
		} else if wide {
			room = 10
		}
		return widget.Row(name, fmt.Sprintf("%6s %*s%s %s", actual, room, limit, cap, busy), w)
	}
	line := func(name string, c tegra.ClockReading) string {
		limit := page.GHz(c.Max)
		switch {
		case p.brief && c.Max.OK && page.GHz(c.Actual) == limit:
			limit = "=  "
		case !p.brief && wide && c.Min.OK && c.Max.OK && c.Min.V != c.Max.V:
			limit = page.GHz(c.Min) + "–" + page.GHz(c.Max)
		}
		busy := page.Alarmed(telemetry.LoadAlarm(c.LoadPct), fmt.Sprintf("%6s", page.Num(c.LoadPct, 0)+" %"))
		return row(name, page.GHz(c.Actual), limit, page.GHz(c.Cap), busy)
	}
	lines := []string{
		widget.StyleDim.Render(row("GHz", "actual", "limit", "cap", "  busy")),
		line(p.cpuName(), read.CPU),
		line(widget.Paint(chart.InkGPU, "GPU"), read.GPU),
		line(widget.Paint(chart.InkMemory, "EMC (memory)"), read.EMC),
	}
	if text := p.enginesText(w); text != "" {
		lines = append(lines, text)
	}
	if p.brief {
		lines = append(lines, "per core "+p.coreBars())
	}
	lines = append(lines, widget.WrapIn(widget.StyleWarn, p.differs(), w)...) // next to the clock that is affected
	mode := p.modeText(w - 5)
	if p.brief && p.terse >= terseMode && p.unnamed() {
		mode = "(no preset): the limits above"
	}
	return append(lines, "mode "+widget.StyleBold.Render(mode), "clocks: "+p.scaling())
}

func (p *Page) clocks(w, h int) string {
	lines, cores := p.clockLines(min(w, tableW)), len(p.read.Sample().Reading.Cores)
	perLine := coresPerLine(w, cores)
	rest := h - len(lines)
	switch {
	case rest >= cores+10: // enlarged
		lines = append(lines, p.coreTable(min(w, 100)), widget.StyleDim.Render(p.boardText()))
		return under(lines, p.read.ClockChart, w, h)
	case rest >= (cores+perLine-1)/perLine && cores > 0:
		for perLine > 1 && rest > (cores+perLine-2)/(perLine-1) {
			perLine--
		}
		lines = append(lines, p.coreMeters(w, perLine), widget.StyleDim.Render(p.boardText()))
	default:
		lines = slices.Insert(lines, 4, "per core "+p.coreBars())
	}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

// under adds a chart below lines if they leave room for one, as in an enlarged panel.
func under(lines []string, draw func(w, h int) string, w, h int) string {
	const least = 8
	text := strings.Join(lines, "\n")
	n := strings.Count(text, "\n") + 1
	if h-n-1 >= least {
		text += "\n\n" + draw(w, h-n-1)
	}
	return widget.Fit(text, w, h)
}

// cpuName is the CPU with its cores, and whether its clock is only a request.
func (p *Page) cpuName() string {
	read := p.read.Sample().Reading
	is := "on"
	if read.Requested() {
		is = "asked"
	}
	return widget.Paint(chart.InkCPU, fmt.Sprintf("CPU %d/%d %s", read.Online(), len(read.Cores), is))
}

// boardText returns the board's full name, as far as known.
func (p *Page) boardText() string {
	b := p.read.Board()
	parts := []string{b.Model}
	for _, part := range [][2]string{{"module", b.Module}, {"", b.SoC}, {"L4T", b.L4T}, {"JetPack", b.JetPack}} {
		if name, value := part[0], part[1]; value != "" {
			parts = append(parts, strings.TrimSpace(name+" "+value))
		}
	}
	return strings.Join(parts, ", ")
}

// coreBars draws each core's load; an offline core is a cross.
func (p *Page) coreBars() string {
	var b strings.Builder
	for _, c := range p.read.Sample().Reading.Cores {
		if !c.Online {
			b.WriteString("×")
			continue
		}
		v := math.NaN()
		if c.LoadPct.OK {
			v = c.LoadPct.V
		}
		b.WriteString(chart.Spark([]float64{v}, 100, 1))
	}
	return b.String()
}

// coresPerLine returns how many core meters fit side by side.
func coresPerLine(w, cores int) int { return max(1, min(w/coreW, (cores+1)/2)) }

// coreW is the minimum width of a core's meter.
const coreW = 13

// coreMeters draws each core's number, load and percentage, several per line.
func (p *Page) coreMeters(w, perLine int) string {
	each := w / max(1, perLine)
	var b strings.Builder
	for i, c := range p.read.Sample().Reading.Cores {
		if i > 0 && i%perLine == 0 {
			b.WriteByte('\n')
		}
		text := fmt.Sprintf("%2d off", i)
		if c.Online {
			text = fmt.Sprintf("%2d ", i) + p.loadMeter(c, each-8) + fmt.Sprintf(" %3s", page.Num(c.LoadPct, 0))
		}
		b.WriteString(widget.Cut(text, each))
	}
	return b.String()
}

func (p *Page) loadMeter(c tegra.CoreReading, w int) string {
	share := tegra.Val[float64]{V: c.LoadPct.V / 100, OK: c.LoadPct.OK}
	return page.Meter(share, telemetry.LoadAlarm(c.LoadPct), chart.InkCPU, w)
}

// coreTable has a line for each core with its clock, its load and a meter.
func (p *Page) coreTable(w int) string {
	var lines []string
	for i, c := range p.read.Sample().Reading.Cores {
		if !c.Online {
			lines = append(lines, fmt.Sprintf("core %-3d off", i))
			continue
		}
		lines = append(lines, fmt.Sprintf("core %-3d %5s GHz %4s %% ", i, page.GHz(c.Freq),
			page.Num(c.LoadPct, 0))+p.loadMeter(c, max(4, w-28)))
	}
	return strings.Join(lines, "\n")
}

// scaling says whether clocks are locked or may scale below the mode's.
func (p *Page) scaling() string {
	switch setup := p.read.Setup(); {
	case !setup.Locked.OK:
		return widget.Dash
	case setup.Locked.V:
		return "locked (min = max)"
	case setup.Pinned != "":
		return setup.Clocks()
	}
	return "free (min < max)"
}

// differs says which clock does not run as set, and why; "" if none.
func (p *Page) differs() string {
	r := p.read.Sample().Reading
	if len(r.Slow) == 0 {
		return ""
	}
	c, why := r.Slow[0], "cause unknown"
	switch {
	case r.Heat.Or(false):
		why = "thermal throttling"
	case c.Capped:
		why = "capped"
	}
	set, runs := page.GHz(tegra.Some(c.Asked)), page.GHz(tegra.Some(c.Actual))
	return fmt.Sprintf("%s runs at %s, set to %s: %s", c.Name, runs, set, why)
}

// powerHeight returns how many rows the power panel needs.
func (p *Page) powerHeight(w int) int {
	n := len(p.read.Sample().Reading.Rails) + 5 + p.coversLines(w-4)
	if p.overBudget() != "" {
		n++
	}
	return n
}

// totalW colours the module's power by its alarm level.
func (p *Page) totalW(text string) string {
	switch level := telemetry.PowerAlarm(p.read.Sample().Reading.TotalW, p.read.BudgetW()); level {
	case telemetry.AlarmNone:
		return widget.StyleBold.Render(text)
	default:
		return page.Alarmed(level, text)
	}
}

// overBudget says that the module's power is near or over its preset's budget; otherwise "".
func (p *Page) overBudget() string {
	budget := p.read.BudgetW()
	of := fmt.Sprintf(" of %.0f W", budget.V)
	if p.brief && p.terse >= terseMode {
		of = ""
	}
	switch telemetry.PowerAlarm(p.read.Sample().Reading.TotalW, budget) {
	case telemetry.AlarmHot:
		return "over the preset's budget" + of
	case telemetry.AlarmWarm:
		return "near the preset's budget" + of
	}
	return ""
}

func (p *Page) power(w, h int) string {
	read := p.read.Sample().Reading
	full := w
	w = min(w, tableW)
	if full-w < leastSpark+2 && full >= sparkFromW {
		w = full - leastSpark - 2
	}
	numbers := func(rail string, v tegra.Val[float64]) string {
		return fmt.Sprintf("%5s W %5s W", page.Num(v, 1), page.Num(p.meanW(rail), 1))
	}
	supplied := full >= suppliesFromW
	supply := func(r tegra.RailReading) string {
		if !supplied {
			return ""
		}
		return fmt.Sprintf(" %5s V %5s A", page.Num(r.Volts, 2), page.Num(r.Amperes, 2))
	}
	line := func(row, rail string, ink chart.Ink) string {
		if room := full - w - 2; room >= leastSpark {
			row += "  " + p.railSpark(rail, ink, room)
		}
		return row
	}
	head := widget.Ends("", "now   1 min", w)
	if supplied {
		head = widget.Ends("", "now   1 min  voltage current", w)
	}
	if full-w >= leastSpark+2 {
		head += "  last 2 min"
	}
	lines := []string{widget.StyleDim.Render(head),
		line(p.totalW(widget.Row("module total", numbers("", read.TotalW)+strings.Repeat(" ",
			len(supply(tegra.RailReading{}))),
			w)), "", chart.InkSeries)}
	if meter := p.read.Sample().MeterW; meter.OK {
		lines = append(lines, widget.Row("power meter", fmt.Sprintf("%5s W %7s", page.Num(meter, 1), ""), w))
	}
	level := telemetry.PowerAlarm(read.TotalW, p.read.BudgetW())
	if why := p.overBudget(); why != "" {
		lines = append(lines, page.Alarmed(level, why))
	}
	covers := p.covers()
	if h < p.powerHeight(full+4)-2 {
		covers = "" // less important than the numbers
	}
	room := h - 1 - len(lines)
	if covers != "" {
		room -= p.coversLines(full)
	}
	for i, r := range read.Rails {
		if i >= room {
			break
		}
		ink := page.PartInk(r.Name)
		name := p.summand(r.Name) + widget.Paint(ink, r.Name)
		lines = append(lines, line(widget.Row(name, numbers(r.Name, r.PowerW)+supply(r), w), r.Name, ink))
	}
	all := p.read.Readings()
	lines = append(lines, widget.Row("energy since "+all.Since.Format("15:04"), widget.Joules(all.EnergyJ), w))
	if covers != "" {
		lines = append(lines, widget.StyleDim.Render(widget.Wrap(covers, full)))
	}
	if used := strings.Count(strings.Join(lines, "\n"), "\n") + 1; used < h {
		lines = append(lines, p.supplyLines(full, h-used)...)
	}
	return under(lines, p.railChart, full, h)
}

// Widths of sparklines after the numbers of rails: their minimum, and the panel's width from which they are drawn.
const (
	leastSpark = 12
	sparkFromW = 52
	// from this width voltage and current follow a rail's watts
	suppliesFromW = 64
)

// hottest names the hottest sensor and the junction.
func (p *Page) hottest() string {
	hot, ok := p.read.Sample().Reading.HottestZone()
	if !ok {
		return "no temperature sensor"
	}
	return fmt.Sprintf("hottest %s %.0f °C", page.ShortTemp(hot.Name), hot.C)
}

// heatLines returns the warnings and counters of the temperature panel.
func (p *Page) heatLines(w int) []string {
	read := p.read.Sample().Reading
	slowed := "throttled " + page.YesNo(read.Throttled)
	over, came := p.signalText()
	switch {
	case read.Heat.Or(false):
		slowed = widget.StyleBad.Render(slowed + " (thermal)")
	case read.Throttled.Or(false):
		slowed = widget.StyleBad.Render(slowed + " (clock)")
	}
	if came {
		over = widget.StyleBad.Render(over)
	}
	lines := []string{slowed + "  " + over}
	if ansi.StringWidth(lines[0]) > w {
		lines = []string{slowed, over}
	}
	if why := read.Hot(); why != "" && !read.Heat.Or(false) {
		lines = append(widget.WrapIn(widget.StyleBad, "HOT: "+why, w), lines...)
	}
	return lines
}

// tempTexts returns the fan, the junction and then the other sensors: the first entries are never cut off.
func (p *Page) tempTexts(temps []tegra.TempReading) []string {
	read := p.read.Sample().Reading
	var parts []string
	for _, t := range temps {
		part := widget.Paint(page.PartInk(t.Name), page.ShortTemp(t.Name)) +
			page.Alarmed(telemetry.HeatAlarm(t), fmt.Sprintf("\u00a0%.0f", t.C)+heatWord(t))
		if page.ShortTemp(t.Name) == "tj" {
			parts = slices.Insert(parts, 0, part)
			continue
		}
		parts = append(parts, part)
	}
	if len(parts) > 0 {
		parts[len(parts)-1] += "\u00a0°C"
	} else {
		parts = []string{widget.Dash}
	}
	parts = append([]string{"fan " + page.Num(read.FanPct, 0) + "\u00a0%"}, parts...)
	if n := len(read.TempsOff); n > 0 && !p.brief {
		parts = append(parts, fmt.Sprintf("%d\u00a0off", n))
	}
	return parts
}

// heatWord puts a temperature's colour in words.
func heatWord(t tegra.TempReading) string {
	switch telemetry.HeatAlarm(t) {
	case telemetry.AlarmHot:
		return "\u00a0HOT"
	case telemetry.AlarmWarm:
		return "\u00a0warm"
	}
	return ""
}

// heatHeight returns how many rows the temperature panel needs.
func (p *Page) heatHeight(w int) int {
	return len(p.heatLines(w-4)) + len(widget.Flow(p.tempTexts(p.read.Sample().Reading.Temps), w-4)) + 2
}

func (p *Page) heat(w, h int) string {
	lines := p.heatLines(w)
	temps := p.read.Sample().Reading.Temps
	if h < len(lines)+len(temps)+10 {
		return widget.Fit(strings.Join(append(lines, widget.Flow(p.tempTexts(temps), w)...), "\n"), w, h)
	}
	lines = append(lines, "fan "+page.Num(p.read.Sample().Reading.FanPct, 0)+" %", "") // enlarged
	for _, t := range temps {
		trip := "no trip point known"
		if t.Trip.OK {
			trip = fmt.Sprintf("%s trip point at %.0f °C", t.Trip.V.Kind, t.Trip.V.C)
		}
		name := widget.Cut(widget.Paint(page.PartInk(t.Name), page.ShortTemp(t.Name)), 12)
		now := page.Alarmed(telemetry.HeatAlarm(t), widget.Cut(fmt.Sprintf("%5.1f °C%s", t.C, heatWord(t)), 15))
		lines = append(lines, name+" "+now+" "+widget.StyleDim.Render(trip))
	}
	for _, name := range p.read.Sample().Reading.TempsOff {
		lines = append(lines, widget.StyleDim.Render(widget.Cut(page.ShortTemp(name), 12)+" off"))
	}
	return under(lines, p.read.HeatChart, w, h)
}

// signalText says which alarms of the supply are on, and which signals came since the program started; ok is false for
// none.
func (p *Page) signalText() (text string, ok bool) {
	r := p.read.Sample().Reading
	for _, s := range r.Signals {
		if s.Alarm.Or(false) {
			return "ALARM " + s.Name, true
		}
	}
	var parts []string
	for _, e := range r.Signals.Since(p.read.Readings().Before) {
		parts = append(parts, fmt.Sprintf("%s %d×", e.Name, e.N))
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", "), true
	case len(r.Signals) == 0:
		return "supply " + widget.Dash, false
	}
	return "supply ok", false
}

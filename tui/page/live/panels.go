package live

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// covers says what the total is made of and what it stands for.
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

// coversLines is how many lines that takes.
func (p *Page) coversLines(w int) int {
	text := p.covers()
	if text == "" {
		return 0
	}
	return strings.Count(widget.Wrap(text, w), "\n") + 1
}

// summand marks a rail that makes the total or a part of it.
func (p *Page) summand(rail string) string {
	rule := p.read.Board().TotalRule
	parts, isSum := strings.CutPrefix(rule, "SUM:")
	switch {
	case isSum && slices.Contains(strings.Split(parts, ","), rail):
		return "+ "
	case rail == rule:
		return "= "
	}
	return "  "
}

// tableW is how wide a table of numbers grows: across more, eyes lose the line.
const tableW = 58

func (p *Page) clocks(w, h int) string {
	read := p.read.Sample().Reading
	w = min(w, 2*tableW)
	wide := w >= 56
	line := func(name string, c tegra.ClockReading, load tegra.Val[float64]) string {
		limit := page.GHz(c.Max)
		if wide && c.Min.OK && c.Max.OK && c.Min.V != c.Max.V {
			limit = page.GHz(c.Min) + "–" + page.GHz(c.Max)
		}
		return widget.Row(name, clockColumns(wide, page.GHz(c.Actual), limit, page.GHz(c.Cap),
			page.Num(load, 0)+" %"), min(w, tableW))
	}
	lines := []string{
		widget.StyleDim.Render(widget.Row("GHz", clockColumns(wide, "actual", "limit", "cap", "busy"), min(w, tableW))),
		line(fmt.Sprintf("CPU %d/%d on", read.Online(), len(read.Cores)), read.CPU, read.CPU.LoadPct),
		line("GPU", read.GPU, read.GPU.LoadPct),
		line("EMC (memory)", read.EMC, read.EMC.LoadPct),
		"per core " + p.coreBars(),
		"mode " + widget.StyleBold.Render(p.modeText()),
	}
	if why := p.differs(); why != "" {
		lines = append(lines, widget.StyleWarn.Render(why))
	}
	lines = append(lines, "clocks: "+p.scaling())
	switch {
	case h >= len(lines)+len(read.Cores) && w >= 56:
		lines = append(lines, p.coreTable(min(w, 80)), widget.StyleDim.Render(p.boardText()))
	case h > 9:
		lines = append(lines, p.coreList(w), widget.StyleDim.Render(p.boardText()))
	}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

func clockColumns(wide bool, actual, limit, most, busy string) string {
	room := 5
	if wide {
		room = 10
	}
	return fmt.Sprintf("%6s %*s %5s %6s", actual, room, limit, most, busy)
}

// boardText names the board in full, as far as it is known.
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

// coreBars draws each core's load; a core that is off is a cross.
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

func (p *Page) coreList(w int) string {
	var parts []string
	for i, c := range p.read.Sample().Reading.Cores {
		text := fmt.Sprintf("%d off", i)
		if c.Online {
			text = fmt.Sprintf("%d %s %s%%", i, page.GHz(c.Freq), page.Num(c.LoadPct, 0))
		}
		parts = append(parts, widget.Cut(text, 12))
	}
	perLine := max(1, w/13)
	var lines []string
	for len(parts) > perLine {
		lines, parts = append(lines, strings.Join(parts[:perLine], " ")), parts[perLine:]
	}
	return strings.Join(append(lines, strings.Join(parts, " ")), "\n")
}

// coreTable has a line for each core: its clock, its load and a bar.
func (p *Page) coreTable(w int) string {
	var lines []string
	for i, c := range p.read.Sample().Reading.Cores {
		if !c.Online {
			lines = append(lines, fmt.Sprintf("core %-3d off", i))
			continue
		}
		frac := math.NaN()
		if c.LoadPct.OK {
			frac = c.LoadPct.V / 100
		}
		lines = append(lines, fmt.Sprintf("core %-3d %5s GHz %4s %% ", i, page.GHz(c.Freq),
			page.Num(c.LoadPct, 0))+chart.Bar(frac, max(4, w-28)))
	}
	return strings.Join(lines, "\n")
}

// scaling reports whether clocks scale below those of the mode.
func (p *Page) scaling() string {
	switch l := p.read.Sample().Reading.Locked; {
	case !l.OK:
		return widget.Dash
	case l.V:
		return "locked (min = max)"
	}
	return "DVFS on (min < max)"
}

// differs says which clock does not run as set, and why.
func (p *Page) differs() string {
	c, off := session.SlowClock(p.read.Sample().Reading)
	if !off {
		return ""
	}
	set, runs := page.GHz(tegra.Some(c.Set)), page.GHz(tegra.Some(c.Actual))
	return fmt.Sprintf("%s runs at %s, set to %s: %s", c.Name, runs, set, c.Why)
}

func (p *Page) power(w, h int) string {
	read := p.read.Sample().Reading
	full := w
	w = min(w, tableW)
	line := func(name, rail string, v tegra.Val[float64]) string {
		text := widget.Row(name, fmt.Sprintf("%5s W %5s W", page.Num(v, 1), page.Num(p.meanW(rail), 1)), w)
		if room := full - w - 2; room >= 16 {
			text += "  " + p.railSpark(rail, room)
		}
		return text
	}
	head := widget.Ends("", "now   1 min", w)
	if full-w >= 18 {
		head += "  last 2 min"
	}
	lines := []string{widget.StyleDim.Render(head), widget.StyleBold.Render(line("module total", "", read.TotalW))}
	rails := read.Rails
	room := h - 3 - p.coversLines(full)
	for i, r := range rails {
		if i >= room {
			break
		}
		lines = append(lines, line(p.summand(r.Name)+r.Name, r.Name, r.PowerW))
	}
	all := p.read.Readings()
	lines = append(lines, widget.Row("energy since "+all.Since.Format("15:04"), widget.Joules(all.EnergyJ), w))
	if c := p.covers(); c != "" {
		lines = append(lines, widget.StyleDim.Render(widget.Wrap(c, full)))
	}
	return widget.Fit(strings.Join(lines, "\n"), full, h)
}

// hottest names the hottest sensor and the junction.
func (p *Page) hottest() string {
	temps := p.read.Sample().Reading.Temps
	if len(temps) == 0 {
		return "no temperature sensor"
	}
	hot := temps[0]
	for _, t := range temps {
		if t.C > hot.C {
			hot = t
		}
	}
	return fmt.Sprintf("hottest %s %.0f °C", shortTemp(hot.Name), hot.C)
}

func shortTemp(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, "-thermal"), "-therm")
}

func (p *Page) heat(w, h int) string {
	read := p.read.Sample().Reading
	var parts []string
	for _, t := range read.Temps {
		part := fmt.Sprintf("%s\u00a0%.0f", shortTemp(t.Name), t.C)
		if shortTemp(t.Name) == "tj" { // the junction, hottest of all: it stands where nothing is cut off
			parts = slices.Insert(parts, 0, part)
			continue
		}
		parts = append(parts, part)
	}
	temps := widget.Dash
	if len(parts) > 0 {
		temps = strings.Join(parts, "  ") + " °C"
	}
	if n := len(read.TempsOff); n > 0 {
		temps += fmt.Sprintf("  %d\u00a0off", n)
	}
	slowed, over := "throttled "+page.YesNo(read.Heat), "over-current "+p.overCurrentText()
	if read.Heat.Or(false) {
		slowed = widget.StyleBad.Render(slowed + " (thermal)")
	}
	if p.overCurrents() > 0 {
		over = widget.StyleBad.Render(over)
	}
	lines := []string{slowed + "  " + over}
	if ansi.StringWidth(lines[0]) > w {
		lines = []string{slowed, over}
	}
	if why := read.Hot(); why != "" && !read.Heat.Or(false) {
		lines = append([]string{widget.StyleBad.Render("HOT: " + why)}, lines...)
	}
	lines = append(lines, strings.Split(widget.Wrap("fan "+page.Num(read.FanPct, 0)+"\u00a0%  "+temps, w), "\n")...)
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

// overCurrents counts the over-current events since the program began.
func (p *Page) overCurrents() int64 {
	now, before := p.read.Sample().Reading.OverCurrents, p.read.Readings().Before
	if !now.OK || !before.OK {
		return 0
	}
	return max(0, now.V-before.V)
}

// overCurrentText says how often the power supply's limit has slowed the board.
func (p *Page) overCurrentText() string {
	switch n := p.overCurrents(); {
	case !p.read.Sample().Reading.OverCurrents.OK:
		return widget.Dash
	case n > 0:
		return fmt.Sprintf("%d× since %s", n, p.read.Readings().Since.Format("15:04"))
	}
	return "no"
}

// gpuText names who uses the GPU, or says why that is not known.
func (p *Page) gpuText() string {
	g := p.read.Readings().GPU
	switch {
	case !g.Asked:
		return widget.Dash
	case g.Why != "":
		return widget.Dash + " " + g.Why
	case len(g.Processes) == 0:
		return "nobody"
	}
	var parts []string
	for _, p := range g.Processes {
		parts = append(parts, p.Name+" "+widget.MemorySize(p.Bytes))
	}
	return strings.Join(parts, ", ")
}

func (p *Page) memory(w, h int) string {
	read := p.read.Sample().Reading
	frac := math.NaN()
	if read.RAMUsed.OK && read.RAMTotal.Or(0) > 0 {
		frac = float64(read.RAMUsed.V) / float64(read.RAMTotal.V)
	}
	lines := []string{
		fmt.Sprintf("RAM %s of %s, cache %s GB",
			page.Gigabytes(read.RAMUsed), page.Gigabytes(read.RAMTotal), page.Gigabytes(read.RAMCached)),
		page.DiskText(p.read.Readings().Disk),
		"on the GPU: " + p.gpuText(),
	}
	if h > len(lines) {
		lines = append(lines[:1:1], append([]string{chart.Bar(frac, min(w, 40))}, lines[1:]...)...)
	}
	if list := p.read.Readings().GPU.Processes; len(list) > 1 && h >= len(lines)+len(list) {
		lines[len(lines)-1] = widget.StyleDim.Render(widget.Row("on the GPU, by memory", "PID  memory", min(w, tableW)))
		for _, q := range list {
			numbers := fmt.Sprintf("%7d %7s", q.PID, widget.MemorySize(q.Bytes))
			lines = append(lines, widget.Row(q.Name, numbers, min(w, tableW)))
		}
	}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

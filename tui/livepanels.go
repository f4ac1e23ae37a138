package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"jtune/tegra"
	"jtune/tui/chart"
)

// covers says what the total is made of and what it stands for.
func (p *livePage) covers() string {
	b := p.sh.board
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
func (p *livePage) coversLines(w int) int {
	text := p.covers()
	if text == "" {
		return 0
	}
	return strings.Count(wrap(text, w), "\n") + 1
}

// summand marks a rail that makes the total or a part of it.
func (p *livePage) summand(rail string) string {
	rule := p.sh.board.TotalRule
	parts, isSum := strings.CutPrefix(rule, "SUM:")
	switch {
	case isSum && slices.Contains(strings.Split(parts, ","), rail):
		return "+ "
	case rail == rule:
		return "= "
	}
	return "  "
}

func onlineCores(r tegra.Reading) int {
	n := 0
	for _, c := range r.Cores {
		if c.Online {
			n++
		}
	}
	return n
}

// cpuLoad is the mean load of the online cores.
func cpuLoad(r tegra.Reading) tegra.Val[float64] {
	sum, n := 0.0, 0
	for _, c := range r.Cores {
		if c.Online && c.LoadPct.OK {
			sum, n = sum+c.LoadPct.V, n+1
		}
	}
	return tegra.Val[float64]{V: sum / float64(max(n, 1)), OK: n > 0}
}

// tableW is how wide a table of numbers grows: across more, eyes lose the line.
const tableW = 58

func (p *livePage) clocks(w, h int) string {
	read := p.sh.sample.Reading
	w = min(w, 2*tableW)
	wide := w >= 56
	line := func(name string, c tegra.ClockReading, load tegra.Val[float64]) string {
		asked := ghz(c.Max)
		if wide && c.Min.OK && c.Max.OK && c.Min.V != c.Max.V {
			asked = ghz(c.Min) + "–" + ghz(c.Max)
		}
		return row(name, clockColumns(wide, ghz(c.Actual), asked, ghz(c.Cap), num(load, 0)+" %"), min(w, tableW))
	}
	lines := []string{
		styleDim.Render(row("GHz", clockColumns(wide, "actual", "asked", "cap", "busy"), min(w, tableW))),
		line(fmt.Sprintf("CPU %d/%d on", onlineCores(read), len(read.Cores)), read.CPU, cpuLoad(read)),
		line("GPU", read.GPU, read.GPU.LoadPct),
		line("EMC (memory)", read.EMC, read.EMC.LoadPct),
		"per core " + p.coreBars(),
		"mode " + styleBold.Render(p.modeText()),
	}
	if why := p.differs(); why != "" {
		lines = append(lines, styleWarn.Render(why))
	}
	lines = append(lines, "governor "+p.governor())
	switch {
	case h >= len(lines)+len(read.Cores) && w >= 56:
		lines = append(lines, p.coreTable(min(w, 80)), styleDim.Render(p.sh.boardText()))
	case h > 9:
		lines = append(lines, p.coreList(w), styleDim.Render(p.sh.boardText()))
	}
	return fit(strings.Join(lines, "\n"), w, h)
}

func clockColumns(wide bool, actual, asked, most, busy string) string {
	room := 5
	if wide {
		room = 10
	}
	return fmt.Sprintf("%6s %*s %5s %6s", actual, room, asked, most, busy)
}

// boardText names the board in full, as far as it is known.
func (sh *shared) boardText() string {
	b := sh.board
	parts := []string{b.Model}
	for _, part := range []struct{ name, value string }{{"module", b.Module}, {"", b.SoC}, {"L4T", b.L4T}, {"JetPack", b.JetPack}} {
		if part.value != "" {
			parts = append(parts, strings.TrimSpace(part.name+" "+part.value))
		}
	}
	return strings.Join(parts, ", ")
}

// coreBars draws each core's load; a core that is off is a cross.
func (p *livePage) coreBars() string {
	var b strings.Builder
	for _, c := range p.sh.sample.Reading.Cores {
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

func (p *livePage) coreList(w int) string {
	var parts []string
	for i, c := range p.sh.sample.Reading.Cores {
		text := fmt.Sprintf("%d off", i)
		if c.Online {
			text = fmt.Sprintf("%d %s %s%%", i, ghz(c.Freq), num(c.LoadPct, 0))
		}
		parts = append(parts, cut(text, 12))
	}
	perLine := max(1, w/13)
	var lines []string
	for len(parts) > perLine {
		lines, parts = append(lines, strings.Join(parts[:perLine], " ")), parts[perLine:]
	}
	return strings.Join(append(lines, strings.Join(parts, " ")), "\n")
}

// coreTable gives each core a line with its clock, its load and a bar.
func (p *livePage) coreTable(w int) string {
	var lines []string
	for i, c := range p.sh.sample.Reading.Cores {
		if !c.Online {
			lines = append(lines, fmt.Sprintf("core %-3d off", i))
			continue
		}
		frac := math.NaN()
		if c.LoadPct.OK {
			frac = c.LoadPct.V / 100
		}
		lines = append(lines, fmt.Sprintf("core %-3d %5s GHz %4s %% ", i, ghz(c.Freq), num(c.LoadPct, 0))+chart.Bar(frac, max(4, w-28)))
	}
	return strings.Join(lines, "\n")
}

func (p *livePage) governor() string {
	switch l := p.sh.sample.Reading.Locked; {
	case !l.OK:
		return dash
	case l.V:
		return "locked (min = max)"
	}
	return "free to scale (min < max)"
}

// differs says which clock does not run as asked while it is locked, and why.
func (p *livePage) differs() string {
	read := p.sh.sample.Reading
	if !read.Locked.Or(false) {
		return ""
	}
	for _, c := range []struct {
		name string
		tegra.ClockReading
	}{{"CPU", read.CPU}, {"GPU", read.GPU}, {"EMC", read.EMC}} {
		if !c.Actual.OK || !c.Max.OK || math.Abs(c.Actual.V.GHz()-c.Max.V.GHz()) <= 0.03*c.Max.V.GHz() {
			continue
		}
		why := "reason not told"
		if read.Heat.Or(false) {
			why = "slowed by heat"
		} else if read.Throttled.Or(false) {
			why = "throttled"
		} else if c.Cap.OK && c.Cap.V < c.Max.V {
			why = "capped"
		}
		return fmt.Sprintf("%s runs at %s, asked %s: %s", c.name, ghz(c.Actual), ghz(c.Max), why)
	}
	return ""
}

func (p *livePage) power(w, h int) string {
	read := p.sh.sample.Reading
	full := w
	w = min(w, tableW)
	line := func(name, rail string, v tegra.Val[float64]) string {
		text := row(name, fmt.Sprintf("%5s W %5s W", num(v, 1), num(p.sh.meanW(rail), 1)), w)
		if room := full - w - 2; room >= 16 {
			text += "  " + p.railSpark(rail, room)
		}
		return text
	}
	head := ends("", "now   1 min", w)
	if full-w >= 18 {
		head += "  last 2 min"
	}
	lines := []string{styleDim.Render(head), styleBold.Render(line("module total", "", read.TotalW))}
	rails := read.Rails
	room := h - 3 - p.coversLines(full)
	for i, r := range rails {
		if i >= room {
			break
		}
		lines = append(lines, line(p.summand(r.Name)+r.Name, r.Name, r.PowerW))
	}
	lines = append(lines, row("energy since "+p.sh.since.Format("15:04"), joules(p.sh.energyJ), w))
	if c := p.covers(); c != "" {
		lines = append(lines, styleDim.Render(wrap(c, full)))
	}
	return fit(strings.Join(lines, "\n"), full, h)
}

// hottest names the hottest sensor and the junction.
func (p *livePage) hottest() string {
	temps := p.sh.sample.Reading.Temps
	if len(temps) == 0 {
		return "no temperature told"
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

func (p *livePage) heat(w, h int) string {
	read := p.sh.sample.Reading
	var parts []string
	for _, t := range read.Temps {
		parts = append(parts, fmt.Sprintf("%s\u00a0%.0f", shortTemp(t.Name), t.C))
	}
	temps := dash
	if len(parts) > 0 {
		temps = strings.Join(parts, "  ") + " °C"
	}
	if n := len(read.TempsOff); n > 0 {
		temps += fmt.Sprintf("  %d\u00a0off", n)
	}
	slowed, over := "throttled "+yesNo(read.Heat), "over-current "+p.sh.overCurrentText()
	if read.Heat.Or(false) {
		slowed = styleBad.Render(slowed + " (heat)")
	}
	if p.sh.overCurrents() > 0 {
		over = styleBad.Render(over)
	}
	lines := []string{slowed + "  " + over}
	if ansi.StringWidth(lines[0]) > w {
		lines = []string{slowed, over}
	}
	lines = append(lines, strings.Split(wrap("fan "+num(read.FanPct, 0)+"\u00a0%  "+temps, w), "\n")...)
	return fit(strings.Join(lines, "\n"), w, h)
}

// overCurrents counts the over-current events since the program began.
func (sh *shared) overCurrents() int64 {
	now := sh.sample.Reading.OverCurrents
	if !now.OK || !sh.ocBefore.OK {
		return 0
	}
	return max(0, now.V-sh.ocBefore.V)
}

// overCurrentText tells whether the power supply's limit has slowed the board.
func (sh *shared) overCurrentText() string {
	switch n := sh.overCurrents(); {
	case !sh.sample.Reading.OverCurrents.OK:
		return dash
	case n > 0:
		return fmt.Sprintf("%d× since %s", n, sh.since.Format("15:04"))
	}
	return "no"
}

// gpuText names who uses the GPU, or says why that is not known.
func (sh *shared) gpuText() string {
	g := sh.gpu
	switch {
	case !g.asked:
		return dash
	case g.why != "":
		return dash + " " + g.why
	case len(g.list) == 0:
		return "nobody"
	}
	var parts []string
	for _, p := range g.list {
		parts = append(parts, p.Name+" "+memorySize(p.Bytes))
	}
	return strings.Join(parts, ", ")
}

func (p *livePage) memory(w, h int) string {
	read := p.sh.sample.Reading
	frac := math.NaN()
	if read.RAMUsed.OK && read.RAMTotal.Or(0) > 0 {
		frac = float64(read.RAMUsed.V) / float64(read.RAMTotal.V)
	}
	lines := []string{
		fmt.Sprintf("RAM %s of %s, cache %s GB", gigabytes(read.RAMUsed), gigabytes(read.RAMTotal), gigabytes(read.RAMCached)),
		p.sh.diskText(),
		"on the GPU: " + p.sh.gpuText(),
	}
	if h > len(lines) {
		lines = append(lines[:1:1], append([]string{chart.Bar(frac, min(w, 40))}, lines[1:]...)...)
	}
	if list := p.sh.gpu.list; len(list) > 1 && h >= len(lines)+len(list) {
		lines[len(lines)-1] = styleDim.Render(row("on the GPU, by memory", "PID  memory", min(w, tableW)))
		for _, q := range list {
			lines = append(lines, row(q.Name, fmt.Sprintf("%7d %7s", q.PID, memorySize(q.Bytes)), min(w, tableW)))
		}
	}
	return fit(strings.Join(lines, "\n"), w, h)
}

// diskText tells what the disks read: a dataset that the page cache holds is
// read once.
func (sh *shared) diskText() string {
	if !sh.disk.ReadsPerS.OK {
		return "disk reads " + dash
	}
	return fmt.Sprintf("disk %.0f reads/s, %.1f MB/s", sh.disk.ReadsPerS.V, sh.disk.BytesPerS.V/1e6)
}

// cacheText tells how much of the memory holds files read before.
func (sh *shared) cacheText() string {
	read := sh.sample.Reading
	if !read.RAMCached.OK || read.RAMTotal.Or(0) <= 0 {
		return dash
	}
	return fmt.Sprintf("%s GB, %.0f %% of RAM", gigabytes(read.RAMCached), 100*float64(read.RAMCached.V)/float64(read.RAMTotal.V))
}

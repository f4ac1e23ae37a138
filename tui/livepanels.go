package tui

import (
	"fmt"
	"math"
	"strings"

	"jtune/tegra"
	"jtune/tui/chart"
)

// coversLines is how many lines it takes to say what the total covers.
func (p *livePage) coversLines(w int) int {
	if p.sh.board.TotalCovers == "" {
		return 0
	}
	return strings.Count(wrap("covers "+p.sh.board.TotalCovers, w), "\n") + 1
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

func (p *livePage) clocks(w, h int) string {
	read := p.sh.sample.Reading
	line := func(name string, c tegra.ClockReading, load tegra.Val[float64]) string {
		return row(name, clockColumns(ghz(c.Actual), ghz(c.Max), ghz(c.Cap), num(load, 0)+" %"), w)
	}
	lines := []string{
		styleDim.Render(row("GHz", clockColumns("actual", "asked", "cap", "busy"), w)),
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
	if h > 9 {
		lines = append(lines, p.coreList(w))
	}
	return fit(strings.Join(lines, "\n"), w, h)
}

func clockColumns(actual, asked, most, busy string) string {
	return fmt.Sprintf("%6s %5s %5s %6s", actual, asked, most, busy)
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
		if read.Throttled.Or(false) {
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
	line := func(name, rail string, v tegra.Val[float64]) string {
		return row(name, fmt.Sprintf("%5s W %5s W", num(v, 1), num(p.sh.meanW(rail), 1)), w)
	}
	lines := []string{styleDim.Render(ends("", "now   1 min", w)), styleBold.Render(line("module total", "", read.TotalW))}
	rails := read.Rails
	room := h - 3 - p.coversLines(w)
	for i, r := range rails {
		if i >= room {
			break
		}
		lines = append(lines, line(r.Name, r.Name, r.PowerW))
	}
	lines = append(lines, row("energy since "+p.sh.since.Format("15:04"), joules(p.sh.energyJ), w))
	if c := p.sh.board.TotalCovers; c != "" {
		lines = append(lines, styleDim.Render(wrap("covers "+c, w)))
	}
	return fit(strings.Join(lines, "\n"), w, h)
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
	throttled := "throttling " + yesNo(read.Throttled)
	if read.Throttled.Or(false) {
		throttled = styleBad.Render(throttled + ": slower than asked")
	}
	lines := []string{throttled + "   fan " + num(read.FanPct, 0) + " %"}
	lines = append(lines, strings.Split(wrap(temps, w), "\n")...)
	return fit(strings.Join(lines, "\n"), w, h)
}

func (p *livePage) memory(w, h int) string {
	read := p.sh.sample.Reading
	frac := math.NaN()
	if read.RAMUsed.OK && read.RAMTotal.Or(0) > 0 {
		frac = float64(read.RAMUsed.V) / float64(read.RAMTotal.V)
	}
	lines := []string{
		fmt.Sprintf("RAM %s of %s GB  cache %s", gigabytes(read.RAMUsed), gigabytes(read.RAMTotal), gigabytes(read.RAMCached)),
		chart.Bar(frac, min(w, 40)),
		p.sh.diskText(),
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

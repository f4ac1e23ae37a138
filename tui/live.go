package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
)

// livePage shows what the board does now.
type livePage struct {
	sh    *shared
	large int // panel that fills the page; 0: all panels
}

func newLivePage(sh *shared) *livePage { return &livePage{sh: sh} }

func (p *livePage) title() string { return "Live" }

func (p *livePage) update(tea.Msg) tea.Cmd { return nil }

func (p *livePage) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch {
	case key.Matches(k, keys.Enlarge):
		p.large = (p.large + 1) % (len(p.panels()) + 1)
	case key.Matches(k, keys.Back) && p.large != 0:
		p.large = 0
	default:
		return nil, false
	}
	return nil, true
}

func (p *livePage) hints() []hint {
	freeze := keys.Freeze
	if p.sh.frozen {
		freeze = named(freeze, "unfreeze")
	}
	return append(valid(freeze, keys.Enlarge), speedHints(p.sh)...)
}

// speedHints offers the clock's speed where it can be changed.
func speedHints(sh *shared) []hint {
	if sh.rate == nil {
		return nil
	}
	return valid(both(keys.Slower, keys.Faster, "speed"))
}

func (p *livePage) copied() string {
	if m := p.sh.present(); m.OK {
		return p.sh.mode(m.V)
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
	panelHeatChart
)

func (p *livePage) panels() []panel {
	bare := p.sh.narrow
	return []panel{
		panelClocks:     {"Clocks", "", p.clocks, bare},
		panelPower:      {"Power", "", p.power, bare},
		panelPowerChart: {"Power, last 2 min", "", p.powerChart, bare},
		panelHeat:       {"Heat", "", p.heat, bare},
		panelMemory:     {"Memory, disk, GPU", "", p.memory, bare},
		panelBusyChart:  {"Busy, last 2 min", "", p.busyChart, bare},
		panelHeatChart:  {"Temperature, last 2 min", "the hottest", p.heatChart, bare},
	}
}

// Render draws the page.
func (p *livePage) Render(w, h int) string {
	if !p.sh.sampled {
		return fit("\n waiting for the first reading …", w, h)
	}
	if p.large > 0 {
		return p.panels()[p.large-1].Render(w, h)
	}
	if w < 70 || h < 16 {
		return p.compact(w, h)
	}
	b := p.panels()
	left := 44
	roomy := w >= 110 && h >= 36
	if w >= 110 {
		left = w / 2
	}
	rows := h - 2
	rails := min(len(p.sh.sample.Reading.Rails)+5+p.coversLines(w-left-4), rows-7)
	clocks := 9
	if roomy {
		clocks += 1 + strings.Count(p.coreList(left-4), "\n") + 1
		if p.differs() != "" {
			clocks++
		}
	}
	heat := max(3, min(5, rows-rails-3))
	memory := rows - rails - heat
	column := under(b[panelClocks].Render(left, clocks), b[panelPowerChart].Render(left, rows-clocks))
	right := w - left
	other := under(b[panelPower].Render(right, rails), b[panelHeat].Render(right, heat), b[panelMemory].Render(right, memory))
	if roomy {
		heat = max(heat, 4)
		fixed := max(6, min(6+len(p.sh.gpu.list), 11)) // the memory panel
		memory = rows - rails - heat
		free := rows - clocks
		column = under(b[panelClocks].Render(left, clocks), b[panelPowerChart].Render(left, free/2), b[panelBusyChart].Render(left, free-free/2))
		other = under(b[panelPower].Render(right, rails), b[panelHeat].Render(right, heat), b[panelMemory].Render(right, fixed),
			b[panelHeatChart].Render(right, memory-fixed))
	}
	return under(beside(column, other), cut(p.workloadLine(), w), cut(p.ownLine(), w))
}

// compact answers what it draws, what is set and whether it is all right in
// 40×10.
func (p *livePage) compact(w, h int) string {
	read := p.sh.sample.Reading
	clock := func(name string, c tegra.ClockReading) string {
		return fmt.Sprintf("%-4s%s GHz  of %s  busy %s %%", name, ghz(c.Actual), ghz(c.Max), num(c.LoadPct, 0))
	}
	cpu := read.CPU
	cpu.LoadPct = cpuLoad(read)
	lines := []string{
		fmt.Sprintf("%-8s%s W   1 min %s W", "module", styleBold.Render(num(read.TotalW, 1)), num(p.sh.meanW(""), 1)),
		clock("CPU", cpu) + fmt.Sprintf("  %d/%d", onlineCores(read), len(read.Cores)),
		clock("GPU", read.GPU),
		clock("EMC", read.EMC),
		"mode " + p.modeText(),
		p.health(),
		p.hottest() + "  fan " + num(read.FanPct, 0) + " %",
		"RAM " + gigabytes(read.RAMUsed) + " of " + gigabytes(read.RAMTotal) + " GB",
		"energy since " + p.sh.since.Format("15:04") + "  " + joules(p.sh.energyJ),
	}
	if h > len(lines)+4 {
		lines = append(lines, strings.Split(p.powerChart(w, h-len(lines)), "\n")...)
	} else {
		lines = append(lines, p.powerSpark(w))
	}
	return fit(strings.Join(lines, "\n"), w, h)
}

// health is one line: all right, or what is not.
func (p *livePage) health() string {
	switch t := p.sh.sample.Reading.Throttled; {
	case p.differs() != "":
		return styleWarn.Render(p.differs())
	case !p.sh.sample.Valid:
		return styleWarn.Render("reading not valid: " + p.sh.sample.Why)
	case p.sh.sample.Reading.Heat.Or(false):
		return styleBad.Render("THROTTLED by heat: slower than asked")
	case t.OK && t.V:
		return styleBad.Render("THROTTLED: slower than asked")
	case p.sh.overCurrents() > 0:
		return styleWarn.Render("over-current " + p.sh.overCurrentText())
	case !t.OK:
		return "throttling " + dash + " (not told)"
	}
	return styleGood.Render("all right") + ": not throttled"
}

func (p *livePage) modeText() string {
	m := p.sh.present()
	if !m.OK {
		return "free (no power mode expresses it)"
	}
	text := p.sh.mode(m.V)
	if name := p.sh.nameOf(m.V); name != "" {
		text += " = " + name
	}
	return text
}

// workloadLine tells what runs.
func (p *livePage) workloadLine() string {
	j := p.sh.job
	if f := p.sh.follow; (j == nil || j.done) && f != nil && !f.done {
		return fmt.Sprintf(" another jtune (process %d) measures %s here: %s shows it", f.follows.PID, f.workload.Name, styleKey.Render("3"))
	}
	if j == nil || j.done {
		return " no workload of ours runs; " + press(keys.Tune) + " tunes one, " + styleKey.Render("2") + " starts one"
	}
	text := fmt.Sprintf(" %s, %s: %s", j.kind, j.workload.Name, j.progress.Phase)
	if t := j.progress.TimeMS; t > 0 {
		text += fmt.Sprintf(", %s ms/minibatch", ms(t))
		if w := p.sh.sample.Reading.TotalW; w.OK {
			text += ", " + joules(t*w.V/1000)
		}
	}
	if l := j.last; l != nil && l.TimeMS > 0 && l.StallMS.OK {
		text += fmt.Sprintf(", stall %.0f %%", 100*l.StallMS.V/l.TimeMS)
	}
	return text
}

func (p *livePage) ownLine() string {
	return styleDim.Render(" " + p.sh.cost.String())
}

package tui

import (
	"fmt"
	"slices"
	"strings"

	"jtune/tegra"
	"jtune/tegra/figures"
)

// Render draws the page.
func (p *modesPage) Render(w, h int) string {
	title, note := p.fill()
	if c := p.compared; c != nil {
		room := w - 4
		if p.sh.narrow {
			room = w
		}
		title, note = fmt.Sprintf("%d modes side by side", len(c.modes)), c.note(room)
	}
	body := func(w, h int) string {
		text := ""
		if p.compared != nil {
			text = p.compared.Render(w, h)
		} else {
			text = p.tab.Render(w, h)
		}
		if p.compose != nil {
			text = over(text, p.compose.Render(w, h), w, h)
		}
		if p.boot != nil {
			text = over(text, p.boot.Render(w, h), w, h)
		}
		return text
	}
	if h < 4 {
		return body(w, h)
	}
	list := panel{title, note, body, p.sh.narrow}
	if c := p.aside(); c != nil && w >= asideFrom {
		wide := compareName + asideModes*compareCell + 4
		beside := beside(list.Render(w-wide, h-1), panel{title: "the mode at the cursor", render: c.Render}.Render(wide, h-1))
		return under(beside, cut(p.filterLine(), w))
	}
	return under(list.Render(w, h-1), cut(p.filterLine(), w))
}

// From asideFrom columns on, the mode at the cursor stands beside the list with
// those that one would have without it, asideModes in all.
const (
	asideFrom  = 150
	asideModes = 3
)

// aside compares the mode at the cursor with MAXN and the present mode; nil
// while something else takes the room.
func (p *modesPage) aside() *comparer {
	m, ok := p.chosen()
	if !ok || p.compared != nil || p.boot != nil || p.compose != nil {
		return nil
	}
	list := []tegra.Mode{p.sh.space.Max()}
	if !slices.Contains(list, m) {
		list = append(list, m)
	}
	if now := p.sh.present(); now.OK && !slices.Contains(list, now.V) {
		list = append(list, now.V)
	}
	c := newComparer(p.sh, list)
	c.cursor = slices.Index(list, m)
	return c
}

// fill points the table at the list that shows.
func (p *modesPage) fill() (title, note string) {
	if !p.built || p.view != p.sh.view {
		p.build()
	}
	switch p.list {
	case listPresets:
		p.tab.rows, p.tab.empty = len(p.sh.presets), "the board names no presets"
		p.tab.cell = func(row, col int) string {
			return p.cell(p.sh.presets[row].Mode, modesColumn(col), presetText(p.sh.presets[row]))
		}
		return "Presets of this board", ""
	case listHistory:
		hist := p.sh.dev.history
		p.tab.rows, p.tab.empty = len(hist), "nothing was applied yet"
		p.tab.cell = func(row, col int) string {
			c := hist[len(hist)-1-row]
			return p.cell(c.mode, modesColumn(col), c.at.Format("15:04 ")+c.what)
		}
		return "Applied in this session, newest first", ""
	}
	p.tab.rows, p.tab.empty = len(p.order), "no mode passes the filter"
	if p.sh.view == nil {
		p.tab.empty += "; without a model no mode has time, power or energy"
	}
	p.tab.cell = func(row, col int) string {
		m := p.sh.space.At(p.order[row])
		return p.cell(m, modesColumn(col), p.isWhat(m))
	}
	title = figures.Thousands(len(p.order)) + " of " + figures.Count(p.sh.space.Len(), "mode")
	if n := len(p.marked); n > 0 {
		title += fmt.Sprintf(", %d marked", n)
	}
	if p.sh.view == nil {
		return title, "no model: knobs only, " + p.sortText()
	}
	return title, "for " + p.sh.view.workload + batchText(p.sh.view.size()) + ", " + p.sortText()
}

func (p *modesPage) filterLine() string {
	switch {
	case p.edit:
		text := styleAsk.Render(" filter: ") + p.typed + "█"
		if p.problem != "" {
			return text + styleDim.Render("   not yet: "+p.problem)
		}
		return text + styleDim.Render("   such as cores>=8 gpu<900MHz power<30")
	case p.problem != "":
		return styleBad.Render(" " + p.problem)
	case p.compared != nil:
		return p.compareLine()
	case p.filter != "":
		return " filter " + styleBold.Render(p.filter) + styleDim.Render("   "+keys.Back.Help().Key+" shows all modes again")
	}
	return styleDim.Render(" " + keys.Filter.Help().Key + " filters: cores>=8 gpu<900MHz power<30 time<100")
}

// compareLine says what the comparison compares.
func (p *modesPage) compareLine() string {
	at := " " + letter(p.compared.cursor) + " is " + p.sh.mode(p.compared.modes[p.compared.cursor])
	if p.sh.view == nil {
		return at + styleDim.Render("   without a model only the knobs are known")
	}
	return at + styleDim.Render("   to A: measured where it is known, else predicted")
}

// presetText calls a preset by its name.
func presetText(pr tegra.Preset) string {
	if pr.NeedsReboot {
		return pr.Name + ", reboot"
	}
	return pr.Name
}

func (p *modesPage) cell(m tegra.Mode, col modesColumn, what string) string {
	switch col {
	case columnMark:
		if slices.Contains(p.marked, m) {
			return "●"
		}
		return " "
	case columnMode:
		return p.sh.mode(m)
	case columnCores, columnCPU, columnGPU, columnEMC:
		return knobText(m, tegra.Knob(col-columnCores))
	case columnIs:
		return what
	}
	i, ok := p.sh.space.Index(m)
	if !ok {
		return dash
	}
	if col == columnTimeBand || col == columnPowerBand {
		return p.band(i, col)
	}
	r := p.row(i, m)
	switch col {
	case columnTime:
		return ms(r.TimeMS)
	case columnPower:
		return positive(r.PowerW, 1)
	}
	return positive(r.EnergyJ(), 2)
}

// band is where the true value of a prediction lies 95 times in 100; a dash for
// what was measured and without a model.
func (p *modesPage) band(i int, col modesColumn) string {
	v := p.sh.view
	switch {
	case v == nil || i >= len(v.known):
		return dash
	case col == columnTimeBand:
		return between(ms(v.known[i].TimeLoMS), ms(v.known[i].TimeHiMS))
	}
	return between(positive(v.known[i].PowerLoW, 1), positive(v.known[i].PowerHiW, 1))
}

// click puts the cursor on a row.
func (p *modesPage) click(_, y int) bool {
	row := p.tab.top + y - 2 // the frame or the title, and the head of the table
	if p.compose != nil || p.compared != nil || p.boot != nil || y < 2 || row >= p.tab.rows {
		return false
	}
	p.tab.cursor = row
	return true
}

// wheel leaves the wheel to the arrow keys.
func (p *modesPage) wheel(_, _, _ int) bool { return false }

func (p *modesPage) isWhat(m tegra.Mode) string {
	var words []string
	if now := p.sh.present(); now.OK && now.V == m {
		words = append(words, "now")
	}
	if name := p.sh.nameOf(m); name != "" {
		words = append(words, name)
	}
	if v := p.sh.view; v != nil {
		if _, ok := v.measured[m]; ok {
			words = append(words, "measured")
		}
	}
	return strings.Join(words, " ")
}

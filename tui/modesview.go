package tui

import (
	"fmt"
	"strings"

	"jtune/tegra"
)

// Render draws the page.
func (p *modesPage) Render(w, h int) string {
	title, note := p.fill()
	body := func(w, h int) string {
		text := p.tab.Render(w, h)
		if p.compose != nil {
			text = over(text, p.compose.Render(w, h), w, h)
		}
		return text
	}
	if h < 4 {
		return body(w, h)
	}
	return under(panel{title, note, body, p.sh.narrow}.Render(w, h-1), cut(p.filterLine(), w))
}

// fill points the table at the list that shows.
func (p *modesPage) fill() (title, note string) {
	if !p.built || p.view != p.sh.view {
		p.build()
	}
	switch p.list {
	case listPresets:
		p.tab.rows = len(p.sh.presets)
		p.tab.cell = func(row, col int) string { return p.cell(p.sh.presets[row].Mode, col, p.sh.presets[row].Name) }
		return "Presets of this board", ""
	case listHistory:
		hist := p.sh.dev.history
		p.tab.rows = len(hist)
		p.tab.cell = func(row, col int) string {
			c := hist[len(hist)-1-row]
			return p.cell(c.mode, col, c.at.Format("15:04 ")+c.what)
		}
		return "Applied in this session, newest first", ""
	}
	p.tab.rows = len(p.order)
	p.tab.cell = func(row, col int) string {
		m := p.sh.space.At(p.order[row])
		return p.cell(m, col, p.isWhat(m))
	}
	title = fmt.Sprintf("%d of %d modes", len(p.order), p.sh.space.Len())
	if p.sh.view == nil {
		return title, "no model: knobs only"
	}
	return title, "predicted for " + p.sh.view.workload + ", by " + sortNames[p.sortBy]
}

func (p *modesPage) filterLine() string {
	switch {
	case p.edit:
		return styleAsk.Render(" filter: ") + p.typed + "█" + styleDim.Render("   such as cores>=8 gpu<900MHz power<30")
	case p.problem != "":
		return styleBad.Render(" " + p.problem)
	case p.filter != "":
		return " filter " + styleBold.Render(p.filter) + styleDim.Render("   "+keys.Back.Help().Key+" shows all modes again")
	}
	return styleDim.Render(" / filters: cores>=8 gpu<900MHz power<30 time<100")
}

func (p *modesPage) cell(m tegra.Mode, col int, what string) string {
	switch col {
	case 0:
		return p.sh.mode(m)
	case 1, 2, 3, 4:
		return knobText(m, tegra.Knob(col-1))
	case 8:
		return what
	}
	i, ok := p.sh.space.Index(m)
	if !ok {
		return dash
	}
	r := p.row(i, m)
	switch col {
	case 5:
		return ms(r.TimeMS)
	case 6:
		return positive(r.PowerW, 1)
	}
	return positive(r.EnergyJ(), 2)
}

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

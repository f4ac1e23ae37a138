package models

import (
	"fmt"
	"math"
	"strings"

	"jtune/learn"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// Render draws the page.
func (p *Page) Render(w, h int) string {
	if p.fit != nil {
		return widget.Over(p.render(w, h), p.fit.Render(w, h), w, h)
	}
	return p.render(w, h)
}

func (p *Page) render(w, h int) string {
	p.tab.Cell = p.cell
	switch name := &p.tab.Cols[0].Width; { // what models are called apart stands at the end
	case w >= 100:
		*name = 40
	case w >= 70:
		*name = 24
	default:
		*name = 17
	}
	note := "cross-validated errors"
	if search := p.tab.Search.Note(); search != "" {
		note = search
	} else if p.fitting != "" {
		note = "fitting " + p.fitting + " …"
	}
	list := p.read.Panel("Models", note, p.tab.Render)
	about := p.read.Panel("About", "", p.about)
	of := fmt.Sprintf("%d/%d", p.view+1, numModelPlots)
	plot := p.read.Panel(plotTitles[p.view], of, p.picture)
	top := min(max(4, len(p.list)+3), h/2)
	rest := h - top
	switch {
	case p.large == 1:
		return plot.Render(w, h)
	case p.large == 2:
		return about.Render(w, h)
	case rest < 3:
		return list.Render(w, h)
	case w < 70 || rest < 8:
		return widget.Under(list.Render(w, top), about.Render(w, rest))
	}
	left := w / 2
	text := about.Render(left, rest)
	if info, ok := p.chosen(); ok && rest >= 34 && p.view != plotRegions && p.parted(info) {
		const table = 4*int(tegra.NumKnobs) + 5
		regions := p.read.Panel(plotTitles[plotRegions], "", func(w, h int) string {
			return widget.FitMore(regionTable(*p.studies[idOf(info)], w), p.showsRest(), w, h)
		})
		text = widget.Under(about.Render(left, rest-table), regions.Render(left, table))
	}
	return widget.Under(list.Render(w, top), widget.Beside(text, plot.Render(w-left, rest)))
}

func (p *Page) cell(row, col int) string {
	info := p.list[row]
	m, age := info.Model, widget.Age(p.read.Now().Sub(info.Modified))
	if m == nil {
		return [...]string{info.Name, "unreadable", widget.Dash, widget.Dash, widget.Dash, age, widget.Dash}[col]
	}
	name := info.Name
	if idOf(info) == p.marked {
		name = "+" + name
	}
	return [...]string{name, string(m.Method), fmt.Sprint(len(m.Samples)), page.ErrorText(m.CV.TimeMAPEPct),
		page.ErrorText(m.CV.PowerMAPEPct), age, m.Provenance.Device}[col]
}

// about shows where the chosen model comes from, what to be wary of, and what
// each knob does to this workload.
func (p *Page) about(w, h int) string {
	info, ok := p.chosen()
	if !ok {
		return widget.Wrap("a model predicts time and power of every mode from a few measured ones", w)
	}
	if info.Model == nil {
		return widget.StyleWarn.Render(widget.Wrap(fmt.Sprint(info.Err), w))
	}
	m := info.Model
	what := info.Workload() + page.BatchText(m.Batch)
	lines := []string{fmt.Sprintf("%s, from %d modes on %s", what, len(m.Samples), m.Provenance.Device)}
	if from := m.Provenance; from.Virtual && !strings.Contains(strings.Join(m.Warnings, " "), "virtual") {
		text := widget.StyleBadge.Render("VIRTUAL") + ": fitted to a simulation, not from measurements"
		if from.Replay != "" {
			text = widget.StyleBadge.Render("REPLAY") + ": fitted to modes " + from.Origin()
		}
		lines = append(lines, widget.Wrap(text, w))
	}
	if weak := m.Weakness(); weak != "" {
		lines = append(lines, widget.StyleWarn.Render("! "+weak))
	}
	if m.CV.How != "" {
		lines = append(lines, widget.StyleDim.Render("errors: "+m.CV.How))
	}
	if s := p.studies[idOf(info)]; s == nil {
		lines = append(lines, widget.StyleDim.Render("working out what matters …"))
	} else {
		if n := len(s.Left); n >= learn.LeastJudged && w >= 36 {
			time, power := s.Held()
			text := fmt.Sprintf("left out, within its 95 %% bands: %d of %d times", time, n)
			if m.HasPower() {
				text += fmt.Sprintf(", %d powers", power)
			}
			lines = append(lines, widget.Wrap(text, w))
		}
		lines = append(lines, knobBars(*s, w))
	}
	if v := p.read.Outlook(); v == nil || v.Model != m {
		load := widget.Press(p.read.Keys().Load)
		lines = append(lines, widget.Wrap(load+" loads it: its predictions on Front and Modes", w))
	}
	for _, text := range m.Warnings {
		lines = append(lines, widget.StyleWarn.Render(widget.Wrap("! "+text, w)))
	}
	return widget.FitMore(strings.Join(lines, "\n"), p.showsRest(), w, h)
}

// parted reports whether there is a table of a model's regions to show.
func (p *Page) parted(info session.ModelInfo) bool {
	s := p.studies[idOf(info)]
	return s != nil && s.Regions() != nil
}

// knobBars draws how much each knob alone changes time and power, the others
// at their largest, and what the workload waits for there.
func knobBars(s session.Assessment, w int) string {
	most := 1.01
	for _, e := range s.Effects {
		most = max(most, e.TimeX, finiteOr(e.PowerX, 1))
	}
	room := min(max(4, (w-24)/2), 20)
	lines := []string{widget.StyleDim.Render(widget.Cut("knob", 7) + widget.Cut("time ×", room+8) + "power ×")}
	for _, e := range s.Effects {
		part := func(x float64) string {
			if math.IsNaN(x) {
				return widget.Cut("    "+widget.Dash, room+8)
			}
			return widget.Cut(fmt.Sprintf("%5.1f ", x)+chart.Bar(math.Log(max(x, 1))/math.Log(most), room), room+8)
		}
		lines = append(lines, widget.Cut(e.Knob.String(), 7)+part(e.TimeX)+part(e.PowerX))
	}
	if s.Bound != "" {
		lines = append(lines, widget.Wrap("at their largest: "+s.Bound, w))
	}
	return strings.Join(lines, "\n")
}

// picture is the panel beside the description.
func (p *Page) picture(w, h int) string {
	info, ok := p.chosen()
	if !ok || info.Model == nil {
		return ""
	}
	id := idOf(info)
	switch p.view {
	case plotCompare:
		return p.compared(info, w)
	case plotCurve:
		return p.curve(info, w, h)
	}
	s := p.studies[id]
	switch why := session.TooSlow(info.Model); {
	case s == nil:
		return "working it out …"
	case why != "":
		return widget.Wrap(why, w)
	case s.Err != nil:
		return widget.StyleBad.Render(widget.Wrap(s.Err.Error(), w))
	case p.view == plotRegions:
		return widget.FitMore(regionTable(*s, w), p.showsRest(), w, h)
	}
	if h >= 8 {
		return widget.Under(widget.StyleDim.Render(widget.Cut("each mode left out, then predicted", w)),
			predictedPlot(*s, p.view == plotPower, w, h-1))
	}
	return predictedPlot(*s, p.view == plotPower, w, h)
}

func (p *Page) curve(info session.ModelInfo, w, h int) string {
	c := p.curves[idOf(info)]
	switch why := session.TooSlow(info.Model); {
	case why != "":
		return widget.Wrap(why, w)
	case c == nil:
		return "working it out …"
	case c.err != nil:
		return widget.StyleBad.Render(widget.Wrap(c.err.Error(), w))
	}
	return c.plot(w, h)
}

func (p *Page) compared(info session.ModelInfo, w int) string {
	other, ok := p.markedInfo()
	switch why := session.Foreign(info.Model, p.read.Space()); {
	case !ok:
		mark := p.read.Keys().Mark.Label()
		return widget.Wrap(mark+" marks a model; the one under the cursor is then compared with it here", w)
	case p.marked == idOf(info):
		return widget.Wrap(info.Name+" is marked: move to another model to compare", w)
	case why != "":
		return widget.Wrap(why, w)
	case !p.versus.of(other, info):
		return "working it out …"
	}
	return p.versus.text(p.read, w)
}

// showsRest says how to see what has no room.
func (p *Page) showsRest() string {
	return "… " + p.read.Keys().Enlarge.Label() + " shows the rest"
}

// Numbers is page.Page's.
func (p *Page) Numbers() string {
	return "time, power ±: the mean error for modes left out of the fit. time ×, power ×: how much a knob " +
		"alone changes them over its range. within its 95 % bands: left-out modes whose true value lies in the " +
		"range that was predicted; 95 of 100 should."
}

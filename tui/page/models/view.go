package models

import (
	"fmt"
	"strings"

	"jtune/internal/figure"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session/models"
	"jtune/tui/session/plots"
	"jtune/tui/widget"
)

// Render draws the page.
func (p *Page) Render(w, h int) string {
	switch name := &p.tab.Cols[0].Width; { // names differ at their end
	case w >= 100:
		*name = 40
	case w >= 80:
		*name = 33 // fits a workload, its board and the fit method
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
	title := "Models"
	if p.deleted {
		title = "deleted, newest first: " + p.read.Keys().Restore.Label() + " restores"
	}
	list := p.read.Panel(title, note, p.tab.Render)
	about := p.read.Panel("About", "", p.about)
	of := fmt.Sprintf("%d/%d", p.view+1, numModelPlots)
	plot := p.read.Panel(drawings[p.view].title, of, p.picture)
	top := min(max(4, p.tab.Rows+3), h/2)
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
		regions := p.read.Panel(drawings[plotRegions].title, "", func(w, h int) string {
			return widget.Figure(plots.ByRegion(*p.studies[idOf(info)]), w, h, widget.Paint)
		})
		text = widget.Under(about.Render(left, rest-table), regions.Render(left, table))
	}
	return widget.Under(list.Render(w, top), widget.Beside(text, plot.Render(w-left, rest)))
}

// about shows where the chosen model comes from, its warnings, and what each knob does to its workload.
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
	lines := []string{fmt.Sprintf("%s, from %s on %s", what, m.Learned(), m.Provenance.Device)}
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
		lines = append(lines, widget.StyleDim.Render("cross-validation: "+m.CV.How))
	}
	if s := p.studies[idOf(info)]; s == nil {
		lines = append(lines, widget.StyleDim.Render("working out what matters …"))
	} else {
		if n := len(s.Left); n >= learn.LeastJudged && w >= 36 {
			time, power := s.Held()
			text := fmt.Sprintf("right for %d of %d times", time, n)
			if m.HasPower() {
				text += fmt.Sprintf(" and %d of %d powers", power, n)
			}
			lines = append(lines, widget.Wrap(text, w))
		}
		lines = append(lines, widget.Figure(plots.Importance(*s), w, 1+len(s.Effects), widget.Paint))
	}
	if v := p.read.Outlook(); !p.deleted && (v == nil || v.Model != m) {
		load := widget.Press(p.read.Keys().Load)
		lines = append(lines, widget.Wrap(load+" loads it: its predictions on Front and Modes", w))
	}
	if s := p.studies[idOf(info)]; s != nil && s.Decides != "" {
		lines = append(lines, widget.Wrap(s.Decides, w))
	}
	for _, text := range m.Warnings {
		lines = append(lines, widget.StyleWarn.Render(widget.Wrap("! "+text, w)))
	}
	return widget.FitMore(strings.Join(lines, "\n"), p.read.Keys().ShowsRest(), w, h)
}

// parted reports whether a model has a table of regions.
func (p *Page) parted(info models.Info) bool {
	s := p.studies[idOf(info)]
	return s != nil && s.Regions() != nil
}

// picture renders the panel beside the description.
func (p *Page) picture(w, h int) string {
	info, ok := p.chosen()
	if !ok || info.Model == nil {
		return ""
	}
	if p.view == plotCompare {
		return p.compared(info, w)
	}
	f, ok := p.figure()
	if !ok {
		return "working it out …"
	}
	return widget.Figure(f, w, h, widget.Paint)
}

func (p *Page) compared(info models.Info, w int) string {
	other, ok := p.markedInfo()
	switch why := models.Foreign(info.Model, p.read.Space()); {
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

// Files exports the shown plot.
func (p *Page) Files() ([]page.File, error) {
	f, ok := p.figure()
	if !ok {
		return nil, nil
	}
	return page.FigureFiles(f)
}

// figure returns the shown plot; false while it is computed, and for the comparison.
func (p *Page) figure() (figure.Figure, bool) {
	info, ok := p.chosen()
	if !ok || info.Model == nil {
		return figure.Figure{}, false
	}
	at, s := drawings[p.view], p.studies[idOf(info)]
	switch {
	case at.works != nil:
		f := p.plots[plotKey{idOf(info), p.view}]
		if f == nil {
			return figure.Figure{}, false
		}
		return *f, true
	case s == nil || at.assessed == nil:
		return figure.Figure{}, false
	}
	return at.assessed(*s), true
}

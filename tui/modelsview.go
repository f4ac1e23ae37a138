package tui

import (
	"fmt"
	"math"
	"strings"

	"jtune/tegra"
	"jtune/tui/chart"
	"jtune/tui/session"
)

// Render draws the page.
func (p *modelsPage) Render(w, h int) string {
	if p.fit != nil {
		return over(p.render(w, h), p.fit.Render(w, h), w, h)
	}
	return p.render(w, h)
}

func (p *modelsPage) render(w, h int) string {
	p.tab.cell = p.cell
	switch name := &p.tab.cols[0].width; { // what models are called apart stands at the end
	case w >= 100:
		*name = 40
	case w >= 70:
		*name = 24
	default:
		*name = 17
	}
	note := "cross-validated errors"
	if p.fitting != "" {
		note = "fitting " + p.fitting + " …"
	}
	list := panel{"Models", note, p.tab.Render, p.sh.narrow}
	about := panel{"About", "", p.about, p.sh.narrow}
	plot := panel{plotTitles[p.view], fmt.Sprintf("%d/%d", p.view+1, numModelPlots), p.picture, p.sh.narrow}
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
		return under(list.Render(w, top), about.Render(w, rest))
	}
	left := w / 2
	text := about.Render(left, rest)
	if info, ok := p.chosen(); ok && rest >= 34 && p.view != plotRegions && p.studies[idOf(info)].parts() {
		const table = 4*int(tegra.NumKnobs) + 5
		regions := panel{plotTitles[plotRegions], "", func(w, h int) string { return fitMore(p.studies[idOf(info)].regionTable(w), w, h) }, false}
		text = under(about.Render(left, rest-table), regions.Render(left, table))
	}
	return under(list.Render(w, top), beside(text, plot.Render(w-left, rest)))
}

func (p *modelsPage) cell(row, col int) string {
	info := p.list[row]
	m := info.Model
	if m == nil {
		return [...]string{info.Name, "unreadable", dash, dash, dash, age(p.sh.now().Sub(info.Modified)), dash}[col]
	}
	switch col {
	case 0:
		if idOf(info) == p.marked {
			return "+" + info.Name
		}
		return info.Name
	case 1:
		return string(m.Method)
	case 2:
		return fmt.Sprint(len(m.Samples))
	case 3:
		return errorText(m.CV.TimeMAPEPct)
	case 4:
		return errorText(m.CV.PowerMAPEPct)
	case 5:
		return age(p.sh.now().Sub(info.Modified))
	}
	return m.Provenance.Device
}

func errorText(pct float64) string {
	if math.IsNaN(pct) || pct <= 0 {
		return dash
	}
	if pct >= 100 {
		return fmt.Sprintf("±%.0f %%", pct)
	}
	return fmt.Sprintf("±%.1f %%", pct)
}

// about tells where the chosen model comes from, what to be wary of, and what
// each knob does to this workload.
func (p *modelsPage) about(w, h int) string {
	info, ok := p.chosen()
	if !ok {
		return wrap("a model predicts time and power of every mode from a few measured ones", w)
	}
	if info.Model == nil {
		return styleWarn.Render(wrap(fmt.Sprint(info.Err), w))
	}
	m := info.Model
	lines := []string{fmt.Sprintf("%s%s, from %d modes on %s", workloadOf(info), batchText(m.Batch), len(m.Samples), m.Provenance.Device)}
	if from := m.Provenance; from.Virtual && !strings.Contains(strings.Join(m.Warnings, " "), "virtual") {
		text := styleBadge.Render("VIRTUAL") + ": learnt from a simulation, not from measurements"
		if from.Replay != "" {
			text = styleBadge.Render("REPLAY") + ": learnt from modes " + from.Origin()
		}
		lines = append(lines, wrap(text, w))
	}
	if m.CV.How != "" {
		lines = append(lines, styleDim.Render("errors: "+m.CV.How))
	}
	if s := p.studies[idOf(info)]; s == nil {
		lines = append(lines, styleDim.Render("working out what matters …"))
	} else {
		if n := len(s.left); n > 0 && w >= 36 {
			time, power := s.held()
			text := fmt.Sprintf("left out, within its 95 %% bands: %d of %d times", time, n)
			if m.HasPower() {
				text += fmt.Sprintf(", %d powers", power)
			}
			lines = append(lines, wrap(text, w))
		}
		lines = append(lines, s.knobBars(w))
	}
	if v := p.sh.view; v == nil || v.model != m {
		lines = append(lines, wrap(press(keys.Load)+" loads it: its predictions on Front and Modes", w))
	}
	for _, text := range m.Warnings {
		lines = append(lines, styleWarn.Render(wrap("! "+text, w)))
	}
	if len(m.Samples) < 8 {
		lines = append(lines, styleWarn.Render("! too few modes to say how large the error is"))
	}
	return fitMore(strings.Join(lines, "\n"), w, h)
}

// knobBars draws how much each knob alone changes time and power, the others
// at their largest, and what the workload waits for there.
func (s study) knobBars(w int) string {
	most := 1.01
	for _, e := range s.effects {
		most = max(most, e.TimeX, finiteOr(e.PowerX, 1))
	}
	room := min(max(4, (w-24)/2), 20)
	lines := []string{styleDim.Render(cut("knob", 7) + cut("time ×", room+8) + "power ×")}
	for _, e := range s.effects {
		part := func(x float64) string {
			if math.IsNaN(x) {
				return cut("    "+dash, room+8)
			}
			return cut(fmt.Sprintf("%5.1f ", x)+chart.Bar(math.Log(max(x, 1))/math.Log(most), room), room+8)
		}
		lines = append(lines, cut(e.Knob.String(), 7)+part(e.TimeX)+part(e.PowerX))
	}
	if s.bound != "" {
		lines = append(lines, wrap("at their largest: "+s.bound, w))
	}
	return strings.Join(lines, "\n")
}

// picture is the panel beside the description.
func (p *modelsPage) picture(w, h int) string {
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
	switch why := slowToStudy(info.Model); {
	case s == nil:
		return "working it out …"
	case why != "":
		return wrap(why, w)
	case s.err != nil:
		return styleBad.Render(wrap(s.err.Error(), w))
	case p.view == plotRegions:
		return fitMore(s.regionTable(w), w, h)
	}
	if h >= 8 {
		return under(styleDim.Render(cut("each mode left out, then predicted", w)), s.predictedPlot(p.view == plotPower, w, h-1))
	}
	return s.predictedPlot(p.view == plotPower, w, h)
}

func (p *modelsPage) curve(info session.ModelInfo, w, h int) string {
	c := p.curves[idOf(info)]
	switch why := slowToStudy(info.Model); {
	case why != "":
		return wrap(why, w)
	case c == nil:
		return "working it out …"
	case c.err != nil:
		return styleBad.Render(wrap(c.err.Error(), w))
	}
	return c.plot(w, h)
}

func (p *modelsPage) compared(info session.ModelInfo, w int) string {
	other, ok := p.markedInfo()
	switch why := p.foreign(info.Model); {
	case !ok:
		return wrap(keys.Mark.Help().Key+" marks a model; the one under the cursor is then compared with it here", w)
	case p.marked == idOf(info):
		return wrap(info.Name+" is marked: move to another model to compare", w)
	case why != "":
		return wrap(why, w)
	case !p.versus.of(other, info):
		return "working it out …"
	}
	return p.versus.text(p.sh, w)
}

package tui

import (
	"fmt"
	"math"
	"strings"

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
	list := panel{"Models", "cross-validated errors", p.tab.Render, p.sh.narrow}
	about := panel{"About", "", p.about, p.sh.narrow}
	plot := panel{plotTitles[p.view], fmt.Sprintf("%d/%d", p.view+1, numModelPlots), p.picture, p.sh.narrow}
	top := min(max(4, len(p.list)+3), h/2)
	rest := h - top
	switch {
	case p.wide:
		return plot.Render(w, h)
	case rest < 3:
		return list.Render(w, h)
	case w < 70 || rest < 8:
		return under(list.Render(w, top), about.Render(w, rest))
	}
	left := w / 2
	return under(list.Render(w, top), beside(about.Render(left, rest), plot.Render(w-left, rest)))
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
	return fmt.Sprintf("±%.1f %%", pct)
}

// about tells where the chosen model comes from, what to be wary of, and what
// each knob does to this workload.
func (p *modelsPage) about(w, h int) string {
	info, ok := p.chosen()
	if !ok {
		return "a model predicts time and power of every mode from a few measured ones"
	}
	if info.Model == nil {
		return styleWarn.Render(wrap(fmt.Sprint(info.Err), w))
	}
	m := info.Model
	lines := []string{fmt.Sprintf("%s, from %d modes on %s", workloadOf(info), len(m.Samples), m.Provenance.Device)}
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
	if v := p.sh.view; v != nil && v.model == m || v != nil && v.workload == workloadOf(info) {
		lines = append(lines, knobBars(v, w))
	} else {
		lines = append(lines, wrap(press(keys.Load)+" loads it: knob bars here, predictions on Front and Modes", w))
	}
	for _, text := range m.Warnings {
		lines = append(lines, styleWarn.Render(wrap("! "+text, w)))
	}
	if len(m.Samples) < 8 {
		lines = append(lines, styleWarn.Render("! too few modes to say how large the error is"))
	}
	for _, a := range m.Suspicious {
		lines = append(lines, styleWarn.Render("! measure again: "+p.sh.mode(a.Mode)))
	}
	return fit(strings.Join(lines, "\n"), w, h)
}

// knobBars draws how much each knob alone changes time and power, the others
// at their largest, and what the workload waits for there.
func knobBars(v *mapView, w int) string {
	most := 1.01
	for _, e := range v.effects {
		most = max(most, e.TimeX, e.PowerX)
	}
	room := min(max(4, (w-24)/2), 20)
	lines := []string{styleDim.Render(cut("knob", 7) + cut("time ×", room+8) + "power ×")}
	for _, e := range v.effects {
		part := func(x float64) string {
			return cut(fmt.Sprintf("%5.1f ", x)+chart.Bar(math.Log(max(x, 1))/math.Log(most), room), room+8)
		}
		lines = append(lines, cut(e.Knob.String(), 7)+part(e.TimeX)+part(e.PowerX))
	}
	if v.bound != "" {
		lines = append(lines, wrap("at their largest: "+v.bound, w))
	}
	return strings.Join(lines, "\n")
}

// picture is the panel beside the description.
func (p *modelsPage) picture(w, h int) string {
	info, ok := p.chosen()
	if !ok || info.Model == nil {
		return ""
	}
	switch p.view {
	case plotPredicted:
		return p.plot(w, h)
	case plotCompare:
		return p.compared(info, w)
	}
	if why := slowToStudy(info.Model); why != "" {
		return wrap(why, w)
	}
	s := p.studies[idOf(info)]
	switch {
	case s == nil:
		return "working it out …"
	case s.err != nil:
		return styleBad.Render(wrap(s.err.Error(), w))
	case p.view == plotRegions:
		return s.regionTable(w)
	}
	return s.curvePlot(w, h)
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

// plot draws predicted over measured time of the model's own samples.
func (p *modelsPage) plot(w, h int) string {
	info, ok := p.chosen()
	if !ok || info.Model == nil || len(info.Model.Samples) == 0 {
		return ""
	}
	v := p.sh.view
	if v == nil || v.workload != workloadOf(info) {
		return wrap(keys.Load.Help().Key+" loads the model and draws its predictions here", w)
	}
	var xs, ys []float64
	for _, s := range info.Model.Samples {
		if i, ok := v.at(s.Mode); ok {
			xs, ys = append(xs, s.TimeMS), append(ys, v.preds[i].TimeMS)
		}
	}
	scale := chart.NewScale(append(append([]float64{}, xs...), ys...), true)
	plot := chart.Plot{X: scale, Y: scale, XName: "measured ms", YName: "ms"}
	plot.Line([]float64{scale.Lo, scale.Hi}, []float64{scale.Lo, scale.Hi}, chart.InkAxis)
	for i := range xs {
		plot.Mark(xs[i], ys[i], '●', chart.InkMeasured)
	}
	return plot.Render(w, h, paint)
}

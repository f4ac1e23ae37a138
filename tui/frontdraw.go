package tui

import (
	"fmt"
	"slices"
	"strings"

	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/chart"
)

// Render draws the front page.
func (p *frontPage) Render(w, h int) string {
	if p.sh.view == nil {
		return fit("\n"+wrap(" No model yet. Press t to tune a workload: this page then shows every power mode's predicted time and power, the front of the best ones, and the mode to apply. 4 loads a model of an earlier day.", w), w, h)
	}
	head := p.head(w)
	rest := h - 1
	if h < 10 || w < 44 {
		card := fit(p.card(w, true), w, min(rest, 5))
		if rest > 5 {
			card = under(card, p.picture(w, rest-5))
		}
		return fit(under(head, card), w, h)
	}
	if p.large {
		return under(head, p.picture(w, rest))
	}
	side := 34
	if w > 120 {
		side = 44
	}
	if w < 70 {
		low := min(8, rest/2)
		return under(head, p.picture(w, rest-low), box("choice", "", p.card(w-4, false), w, low))
	}
	card := p.card(side-4, false)
	high := min(rest, strings.Count(card, "\n")+3)
	right := box("choice", "", card, side, high)
	if rest > high {
		right = under(right, fit("\n"+p.legend(side), side, rest-high))
	}
	return under(head, beside(p.picture(w-side-1, rest), fit("", 1, rest), right))
}

// head says what the page speaks of, how sure it is, and the limit.
func (p *frontPage) head(w int) string {
	v := p.sh.view
	text := " " + v.workload
	if m := v.model; m != nil {
		text += fmt.Sprintf("  %s, %d modes", m.Method, len(m.Samples))
		if e := errorText(m.CV.TimeMAPEPct); e != dash && w >= 72 {
			text += fmt.Sprintf("  error %s time %s power", e, errorText(m.CV.PowerMAPEPct))
		}
	}
	if p.group > 0 {
		k := tegra.Knob(p.group - 1)
		text += fmt.Sprintf("  group %s %s", k, knobText(v.points[p.cursor].Mode, k))
	}
	return ends(styleBold.Render(text), "limit "+limitText(p.sh.limit), w)
}

func limitText(l optimize.Limit) string {
	switch {
	case l.TimeMS > 0:
		return ms(l.TimeMS) + " ms"
	case l.PowerW > 0:
		return fmt.Sprintf("%.1f W", l.PowerW)
	}
	return "least energy"
}

func (p *frontPage) picture(w, h int) string {
	if p.asTab || w < chart.MinPlotW+8 || h < chart.MinPlotH+1 {
		return p.twin(w, h)
	}
	return p.plot(w, h)
}

// plot draws the cloud of all modes, the front over it, the limit, presets
// and the cursor.
func (p *frontPage) plot(w, h int) string {
	v := p.sh.view
	ys, name := v.powerW, "W"
	if p.axis == optimize.Energy {
		ys, name = v.energyJ, "J"
	}
	plot := chart.Plot{X: chart.NewScale(v.timeMS, true), Y: chart.NewScale(ys, p.axis == optimize.Energy), XName: "ms", YName: name}
	plot.Points(v.timeMS, ys, chart.InkCloud)
	if p.group > 0 {
		gx, gy := p.grouped(ys)
		plot.Points(gx, gy, chart.InkBand)
	}
	limit := p.sh.limit
	if p.axis == optimize.Energy {
		limit.PowerW = 0
	}
	limitLines(&plot, limit)
	var fx, fy []float64
	for _, i := range v.fronts[p.axis] {
		fx, fy = append(fx, v.timeMS[i]), append(fy, ys[i])
	}
	plot.Line(fx, fy, chart.InkFront)
	if p.sh.frontByGlyph() {
		for i := range fx {
			plot.Mark(fx[i], fy[i], '○', chart.InkFront)
		}
	}
	for m, got := range v.measured {
		y := got.PowerW
		if p.axis == optimize.Energy {
			y = got.EnergyJ()
		}
		if _, ok := v.at(m); ok {
			plot.Mark(got.TimeMS, y, '●', chart.InkMeasured)
		}
	}
	for _, mark := range p.marks() {
		plot.Mark(v.timeMS[mark.at], ys[mark.at], mark.glyph, chart.InkPreset)
	}
	plot.Mark(v.timeMS[p.cursor], ys[p.cursor], '◉', chart.InkCursor)
	return plot.Render(w, h, paint)
}

// frontByGlyph tells whether the front needs a glyph of its own: without
// colours, or with blocks for dots, its line cannot be told from the cloud.
func (sh *shared) frontByGlyph() bool { return sh.colourless || sh.glyphs >= GlyphsBlocks }

// grouped gives the points that share the cursor's setting of a knob.
func (p *frontPage) grouped(ys []float64) (gx, gy []float64) {
	v, k := p.sh.view, tegra.Knob(p.group-1)
	want := v.points[p.cursor].Mode.Value(k)
	for i := range v.points {
		if v.points[i].Mode.Value(k) == want {
			gx, gy = append(gx, v.timeMS[i]), append(gy, ys[i])
		}
	}
	return gx, gy
}

// mark is a known mode in the plot.
type mark struct {
	at    int
	glyph rune
	name  string
}

// marks are MAXN and the presets that have a prediction, by their first digit
// or letter.
func (p *frontPage) marks() []mark {
	v := p.sh.view
	var out []mark
	if i, ok := v.at(p.sh.space.Max()); ok {
		out = append(out, mark{i, 'M', "MAXN"})
	}
	for _, preset := range p.sh.presets {
		if i, ok := v.at(preset.Mode); ok && preset.Mode != p.sh.space.Max() {
			out = append(out, mark{i, presetGlyph(preset), preset.Name})
		}
	}
	return out
}

// presetGlyph is the preset's id where that is a digit.
func presetGlyph(preset tegra.Preset) rune {
	if preset.ID >= 0 && preset.ID <= 9 {
		return rune('0' + preset.ID)
	}
	return 'P'
}

func (p *frontPage) legend(w int) string {
	text := "· predicted  ● measured  ◉ here\n"
	if p.sh.frontByGlyph() {
		text = "· predicted  ○ front\n● measured   ◉ here\n"
	}
	var names []string
	for _, m := range p.marks() {
		names = append(names, string(m.glyph)+"\u00a0"+m.name)
	}
	return styleDim.Render(text + wrap(strings.Join(names, "  "), w))
}

// card tells of the mode under the cursor: predicted, measured, and against
// what one would have without it.
func (p *frontPage) card(w int, short bool) string {
	v := p.sh.view
	pr := v.preds[p.cursor]
	got, measured := v.measured[pr.Mode]
	title := styleBold.Render(p.sh.mode(pr.Mode))
	if name := p.sh.nameOf(pr.Mode); name != "" {
		title += " = " + name
	}
	lines := []string{title}
	if measured {
		lines = append(lines, styleDim.Render(fmt.Sprintf("%-5s %10s %10s", "", "predicted", "measured")),
			fmt.Sprintf("%-5s %10s %10s", "ms/mb", ms(pr.TimeMS), ms(got.TimeMS)),
			fmt.Sprintf("%-5s %10.1f %10.1f", "W", pr.PowerW, got.PowerW),
			fmt.Sprintf("%-5s %10.2f %10.2f", "J/mb", pr.EnergyJ(), got.EnergyJ()))
	} else {
		lines = append(lines,
			fmt.Sprintf("%7s ms/mb (%s – %s)", ms(pr.TimeMS), ms(pr.TimeLoMS), ms(pr.TimeHiMS)),
			fmt.Sprintf("%7.1f W     (%.1f – %.1f)", pr.PowerW, pr.PowerLoW, pr.PowerHiW),
			fmt.Sprintf("%7.2f J/mb", pr.EnergyJ()))
	}
	if short {
		return strings.Join(lines, "\n")
	}
	if w, ok := workloadNamed(p.sh.workloads, v.workload); ok {
		if n := w.MinibatchesPerEpoch(); n > 0 {
			lines = append(lines, fmt.Sprintf("%7.1f min/epoch", pr.TimeMS*float64(n)/60000))
		}
	}
	lines = append(lines, p.status(measured, got))
	return strings.Join(append(lines, p.versus()...), "\n")
}

// status says whether the mode meets the limit, whether it was measured, and
// whether the board runs in it.
func (p *frontPage) status(measured bool, got tegra.Measured) string {
	v := p.sh.view
	point := v.points[p.cursor]
	how := "predicted"
	if measured {
		point, how = optimize.MeasuredPoint(got), "measured"
	}
	text := styleGood.Render("✓ within the limit, " + how)
	if p.sh.limit.PowerW == 0 && p.sh.limit.TimeMS == 0 {
		text = how
	} else if !p.sh.limit.Met(point) {
		text = styleWarn.Render("✗ over the limit, " + how)
	}
	if !measured {
		text += "\n" + styleDim.Render("not measured yet: v measures")
	}
	if m := p.sh.present(); m.OK && m.V == point.Mode {
		text += "\n" + styleGood.Render("the board is in it now")
		if w := p.sh.sample.Reading.TotalW; w.OK {
			text += fmt.Sprintf(": %.1f W", w.V)
			if !p.sh.busy() {
				text += " idle"
			}
		}
	}
	return text
}

// versus compares the cursor's mode with MAXN, the presets and the present.
func (p *frontPage) versus() []string {
	v := p.sh.view
	here := v.points[p.cursor]
	lines := []string{styleDim.Render(fmt.Sprintf("%-10s %7s %7s", "against", "time", "power"))}
	row := func(name string, at int) {
		if at == p.cursor {
			return
		}
		lines = append(lines, fmt.Sprintf("%-10s %7s %7s", cut(name, 10), signedPct(100*(here.TimeMS/v.timeMS[at]-1)), signedPct(100*(here.PowerW/v.powerW[at]-1))))
	}
	for _, m := range p.marks() {
		row(m.name, m.at)
	}
	if m := p.sh.present(); m.OK && p.sh.nameOf(m.V) == "" {
		if i, ok := v.at(m.V); ok {
			row("now", i)
		}
	}
	return lines
}

// twin is the front as a table, fastest first.
func (p *frontPage) twin(w, h int) string {
	v, f := p.sh.view, p.front()
	p.tab.rows = len(f)
	p.tab.cursor = p.nearOnFront(f)
	p.tab.noMark = !slices.Contains(f, p.cursor)
	p.tab.cell = func(row, col int) string {
		pr := v.preds[f[row]]
		switch col {
		case 0:
			return p.sh.mode(pr.Mode)
		case 1:
			return ms(pr.TimeMS)
		case 2:
			return ms(pr.TimeLoMS) + "–" + ms(pr.TimeHiMS)
		case 3:
			return positive(pr.PowerW, 1)
		case 4:
			return positive(pr.PowerLoW, 1) + "–" + positive(pr.PowerHiW, 1)
		case 5:
			return positive(pr.EnergyJ(), 2)
		}
		return p.isWhat(pr.Mode, v.points[f[row]])
	}
	return p.tab.Render(w, h)
}

func (p *frontPage) isWhat(m tegra.Mode, point optimize.Point) string {
	var words []string
	if name := p.sh.nameOf(m); name != "" {
		words = append(words, name)
	}
	if _, ok := p.sh.view.measured[m]; ok {
		words = append(words, "measured")
	}
	if !p.sh.limit.Met(point) {
		words = append(words, "over")
	}
	return strings.Join(words, " ")
}

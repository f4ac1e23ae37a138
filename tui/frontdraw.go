package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/tegra/figures"
	"jtune/tui/chart"
)

// Render draws the front page.
func (p *frontPage) Render(w, h int) string {
	p.place = plotPlace{}
	if p.sh.view == nil {
		return fit("\n"+wrap(" No model yet. Press "+keys.Tune.Help().Key+" to tune a workload: this page then shows every power mode's predicted time and power, the front of the best ones, and the mode to apply. 4 loads a model of an earlier day.", w), w, h)
	}
	head := p.head(w)
	rest := h - 1
	switch {
	case h < 4: // the mode and its numbers alone
		return fit(wrap(ansi.Strip(p.line()), w), w, h)
	case h < 10 || w < 44:
		card := fit(p.card(w, true), w, min(rest, 5))
		if rest > 5 {
			card = under(card, p.picture(w, rest-5, 6))
		}
		return fit(under(head, card), w, h)
	case p.large:
		return under(head, cut(" "+p.line(), w), p.picture(w, rest-2, 2), cut(" "+strings.ReplaceAll(p.legend(1000), "\n", "  "), w))
	case w < 70:
		low := min(8, rest/2)
		return under(head, p.picture(w, rest-low, 1), box(p.cardTitle(), "", p.card(w-4, false), w, low))
	}
	side := 34
	if w > 120 {
		side = 44
	}
	return under(head, beside(p.picture(w-side-1, rest, 1), fit("", 1, rest), p.side(side, rest)))
}

// side is what stands beside the plot: the card, what the glyphs mean, and
// where there is room the front around the cursor in numbers.
func (p *frontPage) side(w, h int) string {
	card := p.card(w-4, false)
	high := min(h, strings.Count(card, "\n")+3)
	right, legend := box(p.cardTitle(), "", card, w, high), "\n"+p.legend(w)
	rows := strings.Count(legend, "\n") + 2 // a blank one below it
	if list := h - high - rows; list >= 8 && !p.asTab {
		_, at := p.listed()
		p.tab.top = max(0, at-list/2+1) // the cursor in the middle
		return under(right, fit(legend, w, rows), box("front", fmt.Sprintf("%d modes", len(p.front())), p.twin(w-4, list-2), w, list))
	}
	if h == high {
		return right
	}
	return under(right, fit(legend, w, h-high))
}

// head says what the page speaks of, how sure it is, what part shows, and the
// limit, which always stays.
func (p *frontPage) head(w int) string {
	limit := "limit " + limitText(p.sh.limit)
	if p.zoom.steps > 0 {
		limit = fmt.Sprintf("zoom ×%.1f  %s", p.zoom.factor(), limit)
	}
	words := p.about()
	for len(words) > 1 && ansi.StringWidth(" "+strings.Join(words, "  ")+" "+limit) > w {
		words = words[:len(words)-1]
	}
	left := " " + strings.Join(words, "  ")
	if room := w - ansi.StringWidth(limit) - 1; room >= 12 {
		left = strings.TrimRight(cut(left, min(room, ansi.StringWidth(left))), " ")
	}
	return ends(styleBold.Render(left), limit, w)
}

// about says what the page speaks of, the most needed first.
func (p *frontPage) about() []string {
	v := p.sh.view
	words := []string{v.workload + batchText(v.size())}
	if p.group > 0 {
		k := tegra.Knob(p.group - 1)
		words = append(words, fmt.Sprintf("%s %s: %d modes", k, knobText(v.points[p.cursor].Mode, k), len(p.grouped())))
	}
	if m := v.model; m != nil {
		learned := figures.Count(len(m.Samples), "mode")
		if v.sizes() != nil {
			learned = figures.Count(len(m.Whole().Samples), "setting")
		}
		words = append(words, fmt.Sprintf("%s, %s", m.Method, learned))
		if e := errorText(m.CV.TimeMAPEPct); e != dash {
			words = append(words, fmt.Sprintf("error %s time %s power", e, errorText(m.CV.PowerMAPEPct)))
		}
		if sizes := v.sizes(); sizes != nil {
			words = append(words, "sizes "+strings.Trim(fmt.Sprint(sizes), "[]"))
		}
	}
	return words
}

// cardTitle says which mode the card speaks of. With several minibatch sizes the
// best mode of the one that is shown is the answer only where tuning found it.
func (p *frontPage) cardTitle() string {
	v := p.sh.view
	n, met := v.size(), p.sh.limit.Met(v.points[p.cursor])
	switch {
	case p.cursor != p.answer() && n > 0:
		return fmt.Sprintf("at the cursor, batch %d", n)
	case p.cursor != p.answer():
		return "at the cursor"
	case met && n > 0 && v.foundFor(p.sh.limit):
		return fmt.Sprintf("the answer, batch %d", n)
	case met && n > 0:
		return fmt.Sprintf("best of batch %d", n)
	case met:
		return "the answer to the limit"
	case n > 0:
		return fmt.Sprintf("nearest of batch %d", n)
	}
	return "nearest to the limit"
}

// answer is the view's answer to the limit, worked out once for each.
func (p *frontPage) answer() int {
	if of := (answerKey{p.sh.view, p.sh.limit}); p.answered.of != of {
		p.answered.of, p.answered.at = of, of.view.answer(of.limit)
	}
	return p.answered.at
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

// picture is the plot, or its table twin; y is its first row on the page.
func (p *frontPage) picture(w, h, y int) string {
	if p.asTab || w < chart.MinPlotW+8 || h < chart.MinPlotH+1 {
		return p.twin(w, h)
	}
	p.place.y = y
	return p.plot(w, h)
}

// legend says what the glyphs of the plot mean; the table has none.
func (p *frontPage) legend(w int) string {
	if p.asTab {
		return ""
	}
	here := p.sh.view.points[p.cursor].Mode
	words := []string{"· predicted", "● measured", "◉ here"}
	if p.group > 0 {
		k := tegra.Knob(p.group - 1)
		words[0] = "⠿ " + k.String() + " " + knobText(here, k)
		if !p.sh.frontByGlyph() {
			words[0] += "  ⠠ others"
		}
	}
	if p.sh.frontByGlyph() {
		words = append(words, "○ front")
	}
	if _, measured := p.sh.view.measured[here]; !measured {
		words = append(words, "├─┤ 95 % band")
	}
	if len(p.sh.view.doubted) > 0 {
		words = append(words, "? measured, in doubt")
	}
	var names []string
	for _, m := range p.marks() {
		names = append(names, string(m.glyph)+" "+m.name)
	}
	return styleDim.Render(flow(words, w) + "\n" + flow(names, w))
}

// flow sets words that belong together side by side, in lines of w columns.
func flow(words []string, w int) string {
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, " ", "\u00a0")
	}
	return wrap(strings.Join(words, "  "), w)
}

// line is the card in one line.
func (p *frontPage) line() string {
	v := p.sh.view
	pr := v.known[p.cursor]
	text := styleBold.Render(p.sh.mode(pr.Mode)) + batchText(v.size()) + fmt.Sprintf("  %s ms/mb  %.1f W  %.2f J/mb  ", ms(pr.TimeMS), pr.PowerW, pr.EnergyJ())
	if _, measured := v.measured[pr.Mode]; measured {
		return text + "measured"
	}
	return text + fmt.Sprintf("predicted (%s – %s ms, %.1f – %.1f W)", ms(pr.TimeLoMS), ms(pr.TimeHiMS), pr.PowerLoW, pr.PowerHiW)
}

// card tells of the mode under the cursor: predicted, measured, and against
// what one would have without it.
func (p *frontPage) card(w int, short bool) string {
	v := p.sh.view
	pr, fitted := v.expected(p.cursor)
	got, measured := v.measured[pr.Mode]
	title := styleBold.Render(p.sh.mode(pr.Mode))
	if name := p.sh.nameOf(pr.Mode); name != "" {
		title += " = " + name
	}
	lines := []string{title}
	if measured {
		row := func(name, predicted, measured string, off float64) string {
			return fmt.Sprintf("%-5s%9s %8s %6s", name, predicted, measured, signedPct(100*off))
		}
		said := "predicted"
		if fitted {
			said = "fitted"
		}
		lines = append(lines, styleDim.Render(fmt.Sprintf("%-5s%9s %8s %6s", "", said, "measured", "off")),
			row("ms/mb", ms(pr.TimeMS), ms(got.TimeMS), got.TimeMS/pr.TimeMS-1),
			row("W", positive(pr.PowerW, 1), positive(got.PowerW, 1), got.PowerW/pr.PowerW-1),
			row("J/mb", positive(pr.EnergyJ(), 2), positive(got.EnergyJ(), 2), got.EnergyJ()/pr.EnergyJ()-1))
	} else {
		lines = append(lines,
			fmt.Sprintf("%7s ms/mb (%s – %s)", ms(pr.TimeMS), ms(pr.TimeLoMS), ms(pr.TimeHiMS)),
			fmt.Sprintf("%7.1f W     (%.1f – %.1f)", pr.PowerW, pr.PowerLoW, pr.PowerHiW),
			fmt.Sprintf("%7.2f J/mb", pr.EnergyJ()))
	}
	if got, doubted := v.doubted[pr.Mode]; doubted {
		lines = append(lines, styleWarn.Render(fmt.Sprintf("read %s ms/mb, %.1f W", ms(got.TimeMS), got.PowerW)), styleWarn.Render("disagrees with all others"))
	}
	if short {
		verdict, _, _ := strings.Cut(p.status(measured), "\n")
		return strings.Join(append(lines, verdict), "\n")
	}
	if n := v.size(); n > 0 {
		lines = append(lines, fmt.Sprintf("%7s ms/sample", figures.Of(v.points[p.cursor].TimeMS/float64(n))))
	}
	if w, ok := workloadNamed(p.sh.workloads, v.workload); ok {
		if v.size() > 0 {
			w.Batch = v.size()
		}
		if n := w.MinibatchesPerEpoch(); n > 0 {
			lines = append(lines, fmt.Sprintf("%7.1f min/epoch", v.points[p.cursor].TimeMS*float64(n)/60000))
		}
	}
	lines = append(lines, p.status(measured))
	return strings.Join(append(lines, p.versus()...), "\n")
}

// status says whether the mode meets the limit, whether it was measured, and
// whether the board runs in it.
func (p *frontPage) status(measured bool) string {
	point, how := p.sh.view.points[p.cursor], "predicted"
	if measured {
		how = "measured"
	}
	text := styleGood.Render("✓ within the limit, " + how)
	if p.sh.limit.PowerW == 0 && p.sh.limit.TimeMS == 0 {
		text = how
	} else if !p.sh.limit.Met(point) {
		text = styleWarn.Render("✗ over the limit, " + how)
	}
	if j := p.sh.job; p.sh.busy() && j.kind == jobVerify && j.progress.Step.Mode == point.Mode {
		text += "\n" + styleAsk.Render(phaseText(j.progress))
	} else if _, doubted := p.sh.view.doubted[point.Mode]; doubted {
		text += "\n" + styleWarn.Render("in doubt: "+keys.Verify.Help().Key+" measures again")
	} else if !measured {
		text += "\n" + styleDim.Render("not measured yet: "+keys.Verify.Help().Key+" measures")
	}
	if m := p.sh.present(); m.OK && m.V == point.Mode {
		text += "\n" + styleGood.Render("the board is in it")
		if w := p.sh.sample.Reading.TotalW; w.OK {
			text += fmt.Sprintf(": %.1f W", w.V)
			if !p.sh.busy() {
				text += " idle"
			}
		}
	}
	return text
}

// phaseText is where the measurement of a mode stands.
func phaseText(pr profiles.Progress) string {
	if pr.Phase == profiles.Measuring && pr.Of > 0 {
		return fmt.Sprintf("%s %d of %d", pr.Phase, pr.Minibatch, pr.Of)
	}
	return pr.Phase.String() + " …"
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
		lines = append(lines, fmt.Sprintf("%-10s %7s %7s", cut(name, 10), signedPct(100*(here.TimeMS/v.points[at].TimeMS-1)), signedPct(100*(here.PowerW/v.points[at].PowerW-1))))
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

// twin is the front as a table, in the order of the plot.
func (p *frontPage) twin(w, h int) string {
	v, front := p.sh.view, p.front()
	f, at := p.listed()
	p.tab.rows, p.tab.cursor = len(f), at
	p.tab.cell = func(row, col int) string {
		pr := v.known[f[row]]
		switch col {
		case 0:
			return p.sh.mode(pr.Mode)
		case 1:
			return ms(pr.TimeMS)
		case 2:
			return between(ms(pr.TimeLoMS), ms(pr.TimeHiMS))
		case 3:
			return positive(pr.PowerW, 1)
		case 4:
			return between(positive(pr.PowerLoW, 1), positive(pr.PowerHiW, 1))
		case 5:
			return positive(pr.EnergyJ(), 2)
		}
		what := p.isWhat(pr.Mode, v.points[f[row]])
		if len(f) > len(front) && row == at {
			what = strings.TrimRight("off it "+what, " ")
		}
		return what
	}
	return p.tab.Render(w, h)
}

// between is a band; a dash where there is none.
func between(lo, hi string) string {
	if lo == dash || hi == dash {
		return dash
	}
	return lo + "–" + hi
}

func (p *frontPage) isWhat(m tegra.Mode, point optimize.Point) string {
	var words []string
	if name := p.sh.nameOf(m); name != "" {
		words = append(words, name)
	}
	if _, ok := p.sh.view.measured[m]; ok {
		words = append(words, "measured")
	}
	if _, ok := p.sh.view.doubted[m]; ok {
		words = append(words, "in doubt")
	}
	if !p.sh.limit.Met(point) {
		words = append(words, "over")
	}
	return strings.Join(words, " ")
}

package front

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/text"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// Render draws the front page.
func (p *Page) Render(w, h int) string {
	if m := p.mixed(); m != nil {
		return p.mixPage(m, w, h)
	}
	if p.read.Outlook() != nil && h >= 5 {
		line := p.filterLine(w)
		if p.load.line.Typing() {
			line = p.load.line.Render(p.read, w)
		}
		if line != "" {
			return widget.Under(p.render(w, h-1), line)
		}
	}
	return p.render(w, h)
}

func (p *Page) render(w, h int) string {
	p.cloud.Hide()
	if p.onStudy() {
		return p.renderStudy(w, h)
	}
	if p.read.Outlook() == nil {
		none := "No model is loaded. Press " + p.read.Keys().Tune.Label() + " to tune a workload: this page then " +
			"shows every power mode's predicted time and power, the Pareto front of the best, and the mode to apply."
		if p.kept > 0 {
			none += " 4 lists the kept ones: " + text.Count(p.kept, "model") + "."
		}
		if l, any := p.studied(); any {
			none += " " + p.read.Keys().Picture.Label() + " shows the energy study of " + l.Header.Workload.Name + "."
		}
		return widget.Fit("\n"+widget.Wrap(none, w), w, h)
	}
	head := p.head(w)
	rest := h - 1
	switch {
	case h < 4: // the mode and its numbers alone
		return widget.Fit(widget.Wrap(ansi.Strip(p.line()), w), w, h)
	case h < 10 || w < 44:
		high := 5
		if p.read.Served() != nil {
			high++
		}
		card := widget.Fit(p.card(w, true), w, min(rest, high))
		if rest > high {
			card = widget.Under(card, p.picture(w, rest-high, high+1))
		}
		return widget.Fit(widget.Under(head, card), w, h)
	case p.large:
		return widget.Under(head, widget.Cut(" "+p.line(), w), p.picture(w, rest-2, 2),
			widget.Cut(" "+strings.ReplaceAll(p.legend(1000), "\n", "  "), w))
	case w < 70:
		low := min(8, rest/2)
		return widget.Under(head, p.picture(w, rest-low, 1), widget.Box(p.cardTitle(), "", p.card(w-4, false), w, low))
	}
	side := 34
	if w >= 110 {
		side = 44
	}
	return widget.Under(head, widget.Beside(p.picture(w-side-1, rest, 1), widget.Fit("", 1, rest), p.side(side, rest)))
}

// side is what is next to the plot: the card, what the glyphs mean, and
// where there is room the front around the cursor in numbers.
func (p *Page) side(w, h int) string {
	if len(p.rivalled()) > 0 {
		return p.rivalSide(w, h)
	}
	card := p.card(w-4, false)
	high := min(h, strings.Count(card, "\n")+3)
	right, legend := widget.Box(p.cardTitle(), "", card, w, high), "\n"+p.legend(w)
	rows := strings.Count(legend, "\n") + 2 // a blank one below it
	if list := h - high - rows; list >= 8 && !p.asTab {
		_, at := p.listed()
		p.tab.Top = max(0, at-list/2+1) // the cursor in the middle
		return widget.Under(right, widget.Fit(legend, w, rows),
			widget.Box("front", fmt.Sprintf("%d modes", len(p.front())), p.twin(w-4, list-2), w, list))
	}
	if h == high {
		return right
	}
	return widget.Under(right, widget.Fit(legend, w, h-high))
}

// rivalSide is side with other models: the card in short, and what each of them chooses.
func (p *Page) rivalSide(w, h int) string {
	card, choices := p.card(w-4, true), p.readout(w-4)
	high := min(h, strings.Count(card, "\n")+3)
	rest := min(h-high, strings.Count(choices, "\n")+3)
	right := widget.Box(p.cardTitle(), "", card, w, high)
	if rest < 4 {
		return widget.Fit(right, w, h)
	}
	right = widget.Under(right, widget.Box("choices", page.LimitText(p.read.Limit()), choices, w, rest))
	if left := h - high - rest; left > 0 {
		right = widget.Under(right, widget.Fit("\n"+p.legend(w), w, left))
	}
	return right
}

// head says what the page speaks of, how sure it is, what part shows, and the
// limit, which always stays.
func (p *Page) head(w int) string {
	limit := "limit " + page.AskedText(p.read.Asked())
	if p.cloud.Zoom.Steps > 0 {
		limit = fmt.Sprintf("zoom ×%.1f  %s", p.cloud.Zoom.Factor(), limit)
	}
	words := p.about()
	for len(words) > 1 && ansi.StringWidth(" "+strings.Join(words, "  ")+" "+limit) > w {
		words = words[:len(words)-1]
	}
	left := " " + strings.Join(words, "  ")
	if room := w - ansi.StringWidth(limit) - 1; room >= 12 {
		left = strings.TrimRight(widget.Cut(left, min(room, ansi.StringWidth(left))), " ")
	}
	return widget.Ends(widget.StyleBold.Render(left), limit, w)
}

// about says what the page speaks of, the most needed first.
func (p *Page) about() []string {
	v := p.read.Outlook()
	words := []string{v.Workload + page.BatchText(v.Batch)}
	words[0] += p.loadTitle()
	if p.drawn == drawCloud && p.asTab {
		at := p.trade()
		words = append(words, fmt.Sprintf("front of %s and %s", at.Across.Word, at.Up.Word))
	}
	if p.drawn != drawCloud {
		words = append(words, p.drawnText())
	} else if pass := p.filtered(); pass != nil && p.group == 0 {
		words = append(words, fmt.Sprintf("%s of %s", text.Thousands(len(pass)), text.Count(len(v.Known), "mode")))
	} else if p.group > 0 {
		k := tegra.Knob(p.group - 1)
		setting := page.KnobText(v.Known[p.cursor].Mode, k)
		words = append(words, fmt.Sprintf("%s %s: %d modes", k, setting, len(p.grouped())))
	}
	if m := v.Model; m != nil {
		learned := text.Count(len(m.Samples), "mode")
		if v.Batches() != nil {
			learned = text.Count(len(m.Whole().Samples), "setting")
		}
		words = append(words, fmt.Sprintf("%s, %s", m.Method, learned))
		switch e, weak := page.ErrorText(m.CV.TimeMAPEPct), m.Weakness(); {
		case e != widget.Dash:
			words = append(words, fmt.Sprintf("error %s time %s power", e, page.ErrorText(m.CV.PowerMAPEPct)))
		case weak != "":
			words[len(words)-1] = string(m.Method) + ", " + weak
		}
		if sizes := v.Batches(); sizes != nil {
			words = append(words, "sizes "+strings.Trim(fmt.Sprint(sizes), "[]"))
		}
	}
	return words
}

// cardTitle says which mode the card speaks of. With several batch sizes the
// best mode of the one that is shown is the answer only where tuning found it.
func (p *Page) cardTitle() string {
	v := p.read.Outlook()
	if s := p.read.Served(); s != nil {
		if title := p.bestTitle(s); title != "" {
			return title
		}
	}
	n, met := v.Batch, p.standing(p.cursor).Within()
	switch {
	case p.pending():
		return "at the cursor"
	case p.cursor != p.answer() && n > 0:
		return fmt.Sprintf("at the cursor, batch %d", n)
	case p.cursor != p.answer():
		return "at the cursor"
	case met && n > 0 && v.Tuned(p.read.Limit()):
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

// standing is where mode i stands against the limit.
func (p *Page) standing(i int) optimize.Standing {
	return p.read.Standing(p.read.Outlook().Known[i].Mode)
}

// answer is the view's answer to the limit.
func (p *Page) answer() int {
	pass := p.filtered()
	of := answerKey{p.read.Outlook(), p.read.Served(), p.read.Limit(), p.filter.of.text}
	switch {
	case p.answered.of == of:
	case of.served != nil:
		p.answered.of, p.answered.at = of, of.served.AnswerAmong(pass)
	default:
		p.answered.of, p.answered.at = of, of.view.AnswerAmong(of.limit, pass)
	}
	return p.answered.at
}

// picture is the plot, or its table twin; y is its first row on the page.
func (p *Page) picture(w, h, y int) string {
	if p.drawn != drawCloud {
		return widget.Figure(p.figure(), w, h, widget.Paint)
	}
	if p.asTab || w < chart.MinPlotW+8 || h < chart.MinPlotH+1 {
		return p.twin(w, h)
	}
	p.top = y
	return p.plot(w, h)
}

// legend says what the glyphs of the plot mean; the table has none.
func (p *Page) legend(w int) string {
	if p.asTab || p.drawn != drawCloud { // they have their own
		return ""
	}
	here := p.read.Outlook().Known[p.cursor].Mode
	words := []string{"· predicted", "● measured", "◉ here"}
	if p.filtered() != nil && p.group == 0 {
		words[0] = "⠿ pass the filter"
		if !p.frontByGlyph() {
			words[0] += "  ⠠ others"
		}
	}
	if p.group > 0 {
		k := tegra.Knob(p.group - 1)
		words[0] = "⠿ " + k.String() + " " + page.KnobText(here, k)
		if !p.frontByGlyph() {
			words[0] += "  ⠠ others"
		}
	}
	if p.frontByGlyph() {
		words = append(words, "○ front")
	}
	if !p.read.Outlook().About(here).Measured() {
		words = append(words, "├─┤ 95 % band")
	}
	if len(p.read.Outlook().Doubted()) > 0 {
		words = append(words, "? measured, in doubt")
	}
	if len(p.rivalled()) > 0 {
		words = append(words, "a b chosen by models, lines their fronts", "A B measured of these")
	}
	var names []string
	for _, m := range p.marks() {
		names = append(names, string(m.Glyph)+" "+m.Name)
	}
	return widget.StyleDim.Render(flow(words, w) + "\n" + flow(names, w))
}

// flow sets words that belong together side by side, in lines of w columns.
func flow(words []string, w int) string {
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, " ", "\u00a0")
	}
	return widget.Wrap(strings.Join(words, "  "), w)
}

// job is the workload that the page speaks of; none has no name.
func (p *Page) job() workload.Workload { return page.Job(p.read) }

// line is the card in one line.
func (p *Page) line() string {
	v := p.read.Outlook()
	pr := v.Known[p.cursor]
	time, energy := page.Heads(p.job())
	text := widget.StyleBold.Render(p.read.ModeText(pr.Mode)) + page.BatchText(v.Batch) +
		fmt.Sprintf("  %s %s  %.1f W  %.2f %s  ", widget.MS(pr.TimeMS), time, pr.PowerW, pr.EnergyJ(), energy)
	if under := p.lineUnderLoad(); under != "" {
		text += under + "  "
	}
	if v.About(pr.Mode).Measured() {
		return text + "measured"
	}
	return text + fmt.Sprintf("predicted (%s – %s ms, %.1f – %.1f W)", widget.MS(pr.TimeLoMS),
		widget.MS(pr.TimeHiMS), pr.PowerLoW, pr.PowerHiW)
}

// card describes the mode under the cursor: predicted, measured, and against
// what one would have without it.
func (p *Page) card(w int, short bool) string {
	v := p.read.Outlook()
	about := v.About(v.Known[p.cursor].Mode)
	pr, got, measured := about.Predicted, about.Reading, about.Measured()
	job := p.job()
	perTime, perEnergy := page.Heads(job)
	title := widget.StyleBold.Render(p.read.ModeText(pr.Mode))
	if name := p.read.NameOf(pr.Mode); name != "" {
		title += " = " + name
	}
	lines := []string{title}
	if measured {
		row := func(name, predicted, measured string, off float64) string {
			return fmt.Sprintf("%-5s%9s %8s %6s", name, predicted, measured, widget.SignedPct(off))
		}
		off, said := session.Against(got.Measured, pr.Measured), "predicted"
		told, read := page.FiguresIn(pr), page.FiguresOf(got.Measured)
		if about.Fitted {
			said = "fitted"
		}
		lines = append(lines, widget.StyleDim.Render(fmt.Sprintf("%-5s%9s %8s %6s", "", said, "measured", "off")),
			row(perTime, told.MS, read.MS, off.TimePct),
			row("W", told.W, read.W, off.PowerPct),
			row(perEnergy, told.J, read.J, off.EnergyPct))
	} else {
		lines = append(lines,
			fmt.Sprintf("%7s %-5s (%s – %s)", widget.MS(pr.TimeMS), perTime, widget.MS(pr.TimeLoMS),
				widget.MS(pr.TimeHiMS)),
			fmt.Sprintf("%7.1f W     (%.1f – %.1f)", pr.PowerW, pr.PowerLoW, pr.PowerHiW),
			fmt.Sprintf("%7.2f %s", pr.EnergyJ(), perEnergy))
	}
	if got := about.Doubted.V; about.Doubted.OK {
		lines = append(lines,
			widget.StyleWarn.Render("read "+page.Takes(job, got)), widget.StyleWarn.Render("disagrees with all others"))
	}
	under := p.loadLines(short)
	if short && under != nil && !about.Doubted.OK { // in the place of the energy, for the verdict to stay
		lines = lines[:len(lines)-1]
	}
	lines = append(lines, under...)
	if short {
		verdict, _, _ := strings.Cut(p.status(), "\n")
		return strings.Join(append(lines, verdict), "\n")
	}
	if n := v.Batch; n > 0 {
		lines = append(lines, fmt.Sprintf("%7s ms/sample", text.Of(v.Known[p.cursor].TimeMS/float64(n))))
	}
	if speed, energy := page.PerUnit(job, v.Known[p.cursor].Measured, v.Batch); speed != "" {
		lines = append(lines, speed, energy)
	}
	if n := session.MinibatchesPerEpoch(v.Model, p.read.Work().List); n > 0 {
		lines = append(lines, fmt.Sprintf("%7.1f min/epoch", v.Known[p.cursor].TimeMS*float64(n)/60000))
	}
	lines = append(lines, p.status())
	return strings.Join(append(lines, p.versus(w)...), "\n")
}

// status says where the mode stands against the limit, and whether the board runs in it.
func (p *Page) status() string {
	point, standing := p.read.Outlook().Known[p.cursor], p.standing(p.cursor)
	text := page.StandingText(standing)
	if p.pending() {
		text = widget.StyleDim.Render("working out the load …")
	}
	if standing.Limited && !standing.Within() && p.standing(p.answer()).Within() {
		text += "\n" + widget.StyleDim.Render(p.read.Keys().Answer.Label()+" goes to the best within")
	}
	if j := p.read.Task(); p.read.Busy() && j.Kind == session.Verifying && j.Progress.Step.Mode == point.Mode {
		text += "\n" + widget.StyleAsk.Render(phaseText(j.Progress))
	} else if p.read.Outlook().About(point.Mode).Doubted.OK {
		text += "\n" + widget.StyleWarn.Render("in doubt: "+p.read.Keys().Verify.Label()+" measures again")
	} else if standing.Predicted() {
		if weak := p.read.Outlook().Model.Weakness(); weak != "" {
			text += "\n" + widget.StyleWarn.Render("a guess: "+weak)
		}
		text += "\n" + widget.StyleDim.Render("not measured yet: "+p.read.Keys().Verify.Label()+" measures")
	}
	if m := p.read.Present(); m.OK && m.V == point.Mode {
		text += "\n" + widget.StyleGood.Render("the board is in it")
		if w := p.read.Sample().Reading.TotalW; w.OK {
			text += fmt.Sprintf(": %.1f W", w.V)
			if !p.read.Busy() {
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

// twin is the front as a table, in the order of the plot.
func (p *Page) twin(w, h int) string {
	v, front := p.read.Outlook(), p.front()
	p.tab.Cols[2].Title, p.tab.Cols[6].Title = page.Heads(p.job())
	s := p.read.Served()
	if p.tab.Cols[3].Off = s != nil; s != nil {
		p.tab.Cols[2].Title = page.LatencyHead(s)
	}
	f, at := p.listed()
	p.tab.Rows, p.tab.Cursor = len(f), at
	p.tab.Cell = func(row, col int) string {
		pr := v.Known[f[row]]
		n := page.FiguresIn(pr)
		if col < columnIs {
			standing, ms := p.standing(f[row]), n.MS
			if s != nil {
				ms = page.LatencyCell(s, f[row], row == at)
			}
			return [...]string{p.read.ModeText(pr.Mode), page.StandingMark(standing), ms, n.BandMS, n.W, n.BandW, n.J,
				standing.Brief()}[col]
		}
		what := p.isWhat(f[row])
		if len(f) > len(front) && row == at {
			what = strings.TrimRight("off it "+what, " ")
		}
		return what
	}
	return p.tab.Render(w, h)
}

func (p *Page) isWhat(i int) string {
	var words []string
	v := p.read.Outlook()
	m := v.Known[i].Mode
	if name := p.read.NameOf(m); name != "" {
		words = append(words, name)
	}
	if v.About(m).Doubted.OK {
		words = append(words, "in doubt")
	}
	return strings.Join(words, " ")
}

// Numbers is page.Page's.
func (p *Page) Numbers() string {
	if p.mixed() != nil {
		return mixNumbers
	}
	return "V draws the cloud, a map, curves, and what the newest energy study of the workload found (jtune " +
		"experiment energy): its map, ◆ the least measured, ● measured, the others predicted, and latency and " +
		"energy over a clock (K the other one). O draws the fronts of other models of the workload over the cloud, " +
		"what was measured of their modes, and what each chooses for the limit; / keeps modes that pass a " +
		"filter. Map: a quantity over two knobs, the others as at the cursor; ◆ its least value. Curves: time, " +
		"power and energy over one knob, in their 95 % bands. X takes another quantity, K other knobs, the " +
		"arrows walk along them. Each dot of the cloud is a power mode: time of one minibatch to the right, " +
		"watts upward (X takes other axes); left and low is good. The Pareto front, the cloud's lower left edge: " +
		"modes that no other beats in both. In brackets, and as bars at the cursor: where the true value lies 95 " +
		"times in 100. What was measured stands in the place of its prediction and has no band, but for ?: a " +
		"reading that disagrees with all others counts for nothing until a second agrees. predicted: before the " +
		"mode was measured; fitted: the model was fitted to this very mode. off: measured against that. ms/mb, " +
		"J/mb: time and energy per minibatch; W: what the module draws meanwhile; min/epoch: all of the training " +
		"data once. gp, 12 modes: the method, and how many measured modes it was fitted to. error: of modes left " +
		"out of the fit. against: this mode compared with others, minus is less; from … to where the other was " +
		"not measured, with the uncertainty of its prediction. present, locked: the present mode, whose clocks " +
		"are free now, as it is with locked ones, of which models are. limit: the answer is the best mode within " +
		"it: the fastest within watts, the one of least power within a time. measured: the mean of its readings " +
		"keeps the limit; surely within: the upper end of the 95 % band does; likely: the chance of exceeding is " +
		"16 % at most; doubtful: a half at most; over: more, or measured over."
}

package front

import (
	"fmt"
	"strings"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session/answers"
	"jtune/tui/session/study"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// card describes one mode: predicted, measured, and compared with the modes one would use otherwise.
type card struct {
	modes
	at     int // index of the mode
	answer int // index of best within the limit
}

// title says what the mode is. With several batch sizes, the best mode of the shown one is called the answer only if
// tuning found it.
func (c card) title() string {
	v := c.read.Outlook()
	if s := c.read.Served(); s != nil {
		if title := c.loadedTitle(s); title != "" {
			return title
		}
	}
	n, met := v.Batch, c.standing(c.at).Within()
	switch {
	case c.pending():
		return "at the cursor"
	case c.at != c.answer && n > 0:
		return fmt.Sprintf("at the cursor, batch %d", n)
	case c.at != c.answer:
		return "at the cursor"
	case met && n > 0 && v.Tuned(c.read.Limit()):
		return fmt.Sprintf("the answer, batch %d", n)
	case met && n > 0:
		return fmt.Sprintf("best of batch %d", n)
	case met:
		return "best within the limit"
	case n > 0:
		return fmt.Sprintf("nearest of batch %d", n)
	}
	return "nearest to the limit"
}

// loadedTitle describes the mode under a load; "" if it is not the best of its batch size.
func (c card) loadedTitle(s *serving.LoadView) string {
	n := c.read.Outlook().Batch
	switch {
	case c.at != c.answer:
		return ""
	case s.Best.Mode == c.read.Outlook().Known[c.at].Mode && c.sizesTo(s.Best.Batch) == 0:
		if s.None != nil {
			return "nearest to the limits"
		}
		return "the answer under the load"
	case c.standing(c.at).Within():
		return fmt.Sprintf("best of batch %d", n)
	}
	return fmt.Sprintf("nearest of batch %d", n)
}

// line renders the card in one line.
func (c card) line() string {
	v := c.read.Outlook()
	pr := v.Known[c.at]
	time, energy := page.Heads(c.job())
	text := widget.StyleBold.Render(c.read.ModeText(pr.Mode)) + page.BatchText(v.Batch) +
		fmt.Sprintf("  %s %s  %.1f W  %.2f %s  ", widget.MS(pr.TimeMS), time, pr.PowerW, pr.EnergyJ(), energy)
	if under := strings.Join(strings.Fields(strings.Join(c.loadLines(true), " ")), " "); under != "" {
		text += under + "  "
	}
	if v.About(pr.Mode).Measured() {
		return text + "measured"
	}
	return text + fmt.Sprintf("predicted (%s – %s ms, %.1f – %.1f W)", widget.MS(pr.TimeLoMS),
		widget.MS(pr.TimeHiMS), pr.PowerLoW, pr.PowerHiW)
}

// lines renders the card in w columns; a short one has only the numbers and the verdict.
func (c card) lines(w int, short bool) string {
	v := c.read.Outlook()
	about, job := v.About(v.Known[c.at].Mode), c.job()
	title := widget.StyleBold.Render(c.read.ModeText(about.Predicted.Mode))
	if name := c.read.NameOf(about.Predicted.Mode); name != "" {
		title += " = " + name
	}
	lines := append([]string{title}, c.numbers(about)...)
	if got := about.Doubted.V; about.Doubted.OK {
		lines = append(lines,
			widget.StyleWarn.Render("read "+page.Takes(job, got)), widget.StyleWarn.Render("disagrees with all others"))
	}
	under := c.loadLines(short)
	if short && under != nil && !about.Doubted.OK { // replaces the energy, so that the verdict still fits
		lines = lines[:len(lines)-1]
	}
	lines = append(lines, under...)
	if short {
		verdict, _, _ := strings.Cut(c.status(), "\n")
		return strings.Join(append(lines, verdict), "\n")
	}
	if n := v.Batch; n > 0 {
		lines = append(lines, fmt.Sprintf("%7s ms/sample", text.Of(v.Known[c.at].TimeMS/float64(n))))
	}
	if speed, energy := page.PerUnit(job, v.Known[c.at].Measured, v.Batch); speed != "" {
		lines = append(lines, speed, energy)
	}
	if n := workloads.MinibatchesPerEpoch(v.Model, c.read.Work().List); n > 0 {
		lines = append(lines, fmt.Sprintf("%7.1f min/epoch", v.Known[c.at].TimeMS*float64(n)/60000))
	}
	lines = append(lines, c.status())
	return strings.Join(append(lines, c.versus(w)...), "\n")
}

// numbers renders time, power and energy: predicted with their bands, or beside the measured values.
func (c card) numbers(about outlook.About) []string {
	perTime, perEnergy := page.Heads(c.job())
	pr, got := about.Predicted, about.Reading
	if !about.Measured() {
		return []string{
			fmt.Sprintf("%7s %-7s (%s – %s)", widget.MS(pr.TimeMS), perTime, widget.MS(pr.TimeLoMS),
				widget.MS(pr.TimeHiMS)),
			fmt.Sprintf("%7.1f W       (%.1f – %.1f)", pr.PowerW, pr.PowerLoW, pr.PowerHiW),
			fmt.Sprintf("%7.2f %s", pr.EnergyJ(), perEnergy),
		}
	}
	row := func(name, predicted, measured, off string) string { // fills the panel's 30 columns
		if len(off) > 4 {
			off = strings.ReplaceAll(off, " ", "")
		}
		return fmt.Sprintf("%-7s%9s%9s%5s", name, predicted, measured, off)
	}
	off := outlook.Against(got.Measured, pr.Measured)
	predicted, measured := page.FiguresIn(pr), page.FiguresOf(got.Measured)
	return []string{
		widget.StyleDim.Render(row("", "predicted", "measured", "off")),
		row(perTime, predicted.MS, measured.MS, widget.SignedPct(off.TimePct)),
		row("W", predicted.W, measured.W, widget.SignedPct(off.PowerPct)),
		row(perEnergy, predicted.J, measured.J, widget.SignedPct(off.EnergyPct)),
	}
}

// loadLines renders the card's lines about the load; nil without a load.
func (c card) loadLines(short bool) []string {
	s := c.read.Served()
	if s == nil {
		return nil
	}
	o := s.AtMode(c.at)
	late := "the queue only grows"
	if ms := widget.MS(o.LatencyMS); o.Rho <= 1 && ms != widget.Dash {
		late = fmt.Sprintf("%7s ms %s", ms, serving.QuantileText(s.Quantile))
	}
	lines := []string{late}
	if short {
		return lines
	}
	if s.Load.Open() {
		lines = append(lines, fmt.Sprintf("%7.0f %% busy", 100*min(o.Rho, 1)))
	}
	unit := workloads.UnitOf(c.job(), c.read.Outlook().Batch)
	if per := s.UnitsPerRequest(unit); o.JPerUnit > 0 && s.Load.Open() { // else shown below as the time of a batch
		lines = append(lines, fmt.Sprintf("%7s/%s with waiting", study.UnitEnergyText(o.JPerUnit/per), unit.Name))
	}
	if by := c.sizesTo(s.Best.Batch); by != 0 {
		lines = append(lines, widget.StyleDim.Render(fmt.Sprintf("batch %d is better: %s shows it", s.Best.Batch,
			c.read.Keys().Answer.Label())))
	}
	return lines
}

// status compares the mode with the limit, and says whether the board runs in it.
func (c card) status() string {
	point, standing := c.read.Outlook().Known[c.at], c.standing(c.at)
	text := page.StandingText(standing)
	if c.pending() {
		text = widget.StyleDim.Render("working out the load …")
	}
	if standing.Limited && !standing.Within() && c.standing(c.answer).Within() {
		text += "\n" + widget.StyleDim.Render(c.read.Keys().Answer.Label()+" goes to the best within")
	}
	if j := c.read.Task(); c.read.Busy() && j.Kind == task.Verifying && j.Progress.Step.Mode == point.Mode {
		text += "\n" + widget.StyleAsk.Render(phaseText(j.Progress))
	} else if c.read.Outlook().About(point.Mode).Doubted.OK {
		text += "\n" + widget.StyleWarn.Render("in doubt: "+c.read.Keys().Verify.Label()+" measures again")
	} else if standing.Predicted() {
		if weak := c.read.Outlook().Model.Weakness(); weak != "" {
			text += "\n" + widget.StyleWarn.Render("a guess: "+weak)
		}
		text += "\n" + widget.StyleDim.Render("not measured yet: "+c.read.Keys().Verify.Label()+" measures")
	}
	if m := c.read.Present(); m.OK && m.V == point.Mode {
		text += "\n" + widget.StyleGood.Render("the board is in it")
		if w := c.read.Sample().Reading.TotalW; w.OK {
			text += fmt.Sprintf(": %.1f W", w.V)
			if !c.read.Busy() && !c.read.Dropping() {
				text += " idle"
			}
		}
	}
	return text
}

// phaseText describes the progress of measuring a mode.
func phaseText(pr profiles.Progress) string {
	if pr.Phase == profiles.Measuring && pr.Of > 0 {
		return fmt.Sprintf("%s %d of %d", pr.Phase, pr.Minibatch, pr.Of)
	}
	return pr.Phase.String() + " …"
}

// versus lists today's mode, MAXN and the presets, each in its own numbers, judged by the limit.
func (c card) versus(w int) []string {
	v, predicted, rows := c.read.Outlook(), false, []outlook.Comparison(nil)
	for _, d := range v.Compare(c.at, c.read.Presets(), c.read.Setup()).Distinct() {
		if d.Other.Mode != v.Known[c.at].Mode {
			predicted, rows = predicted || !d.Measured, append(rows, d)
		}
	}
	head, name := "beside it", min(24, w-15)
	for _, legend := range []string{"○ predicted", "beside it (○ predicted)"} {
		if predicted && widget.Width(legend) <= name {
			head = legend
		}
	}
	type x = outlook.Comparison
	return widget.Grid(report.Table[x]{
		{Title: head, Width: name,
			Text: func(d x) string { return short(answers.Short(answers.Said(d.Name, answers.Today)), name) }},
		{Title: "ms", Width: 5, Right: true, Text: func(d x) string { return widget.MS(d.Other.TimeMS) }},
		{Title: "W", Width: 4, Right: true, Text: func(d x) string { return widget.Number(d.Other.PowerW, 1) }},
		{Width: 3, Whole: true, Text: func(d x) string {
			fits := answers.Fits(c.read.Limit(), d.Other.Measured)
			if i, known := v.Index(d.Other.Mode); known && c.read.Served() != nil {
				fits = tegra.Some(c.standing(i).Within())
			}
			return answers.Marks(d.Measured, fits)
		}},
	}, rows, w)
}

// short shortens the names of a mode to w columns: first it drops the common prefix of preset names, then the mode's
// other names.
func short(name string, w int) string {
	if widget.Width(name) > w {
		name = strings.ReplaceAll(name, "MODE_", "")
	}
	if widget.Width(name) > w {
		name, _, _ = strings.Cut(name, " = ")
	}
	return strings.TrimRight(widget.Cut(name, w), " ")
}

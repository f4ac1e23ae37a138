package profile

import (
	"strings"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// narrowW is the width below which the lines of a search are shorter.
const narrowW = 60

// searchLines describes what a running search has found, why it measures the present mode, and what comes next, as far
// as known, in at most that many lines. In a narrow window sentences are wrapped instead of cut.
func (p *Page) searchLines(j *page.Task, w, most int) string {
	if j.Done() || j.Follows != nil {
		return ""
	}
	best, why := " best so far ", " why this one: "
	switch {
	case w < 44: // a narrow window
		best, why = " best ", " why: "
	case w < narrowW: // below the list, under "so far"
		best = " best "
	}
	var lines []string
	if b := j.Best; b != nil {
		lines = append(lines, best+p.bestText(b))
	}
	if h := j.Halved; h != nil {
		lines = append(lines, widget.StyleDim.Render(" halved ")+h.String())
	}
	if s := j.Step; s != nil {
		lines = append(lines, widget.StyleDim.Render(why)+s.String())
	}
	if list := j.Coming(); len(list) > 0 {
		after := tegra.Val[tegra.Mode]{V: j.Progress.Step.Mode, OK: j.Progress.Step.Mode.Cores > 0}
		then := ""
		for n := max(1, w/24); n > 0 && (then == "" || widget.Width(then) > w); n-- {
			then = widget.StyleDim.Render(" then ") + campaigns.OrderText(list, after, p.read.ModeText, n)
		}
		lines = append(lines, then)
	}
	var out []string
	for _, line := range lines {
		parts := []string{widget.CutClause(line, w)}
		if w < narrowW {
			parts = hanging(line, w)
		}
		if len(out)+len(parts) > most {
			parts = []string{widget.CutClause(line, w)}
		}
		if len(out)+len(parts) > most {
			break
		}
		for _, part := range parts {
			out = append(out, widget.Cut(part, w))
		}
	}
	return strings.Join(out, "\n")
}

// searchRows returns how many lines a page of this size has for a search.
func searchRows(w, h int) int {
	if w < narrowW { // keep room for the newest rows
		return max(h/5, min(4, h-6))
	}
	return h / 5
}

// hanging wraps a line to w columns and indents continuation lines.
func hanging(line string, w int) []string {
	const in = "   "
	lines := strings.Split(widget.Wrap(line, w), "\n")
	if len(lines) == 1 {
		return lines
	}
	rest := widget.Wrap(strings.Join(lines[1:], " "), w-len(in))
	return append(lines[:1], strings.Split(in+strings.ReplaceAll(rest, "\n", "\n"+in), "\n")...)
}

// bestText describes the best mode so far.
func (p *Page) bestText(b *answers.Answer) string {
	limit := ""
	if j := p.read.Task(); j != nil && len(j.Limits) > 1 {
		limit = "for " + b.Limit.Brief() + ": "
	}
	unit := " ms, "
	if b.Batch > 0 {
		unit = " ms/sample, "
	}
	best := limit + widget.StyleBold.Render(takes(b.Reading.SampleMS(), unit, b.Reading.PowerW))
	switch j, top := p.read.Task(), b.Versus.MaxN; {
	case j != nil && j.Load.Any(): // performance under the load is known only at the end
		return "the answer under the load is known at the end"
	case !b.Measured():
		return limit + "none fits " + b.Limit.Brief() + " yet"
	case top == nil && b.Mode == p.read.Space().Max():
		return best + ": MAXN itself"
	case top == nil:
		return best
	case top.Measured:
		return best + "; " + top.Name + " " + takes(top.Other.SampleMS(), unit, top.Other.PowerW)
	default:
		return best + "; " + top.Name + " ~" + takes(top.Other.SampleMS(), unit, top.Other.PowerW)
	}
}

// takes formats time and power of a mode.
func takes(ms float64, unit string, watts float64) string {
	return widget.MS(ms) + unit + widget.Number(watts, 1) + " W"
}

// markBest marks the best mode so far in the chart.
func markBest(j *page.Task, plot *chart.Plot) {
	if b := j.Best; b != nil && b.Measured() {
		plot.Mark(b.Reading.SampleMS(), b.Reading.PowerW, '◉', chart.InkCursor)
	}
}

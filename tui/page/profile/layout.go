package profile

import (
	"fmt"
	"strings"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// Render draws the page.
func (p *Page) Render(w, h int) string {
	j := p.shown()
	switch {
	case p.view == viewTwo:
		return p.compared(w, h)
	case j == nil:
		return p.campaigns(w, h)
	}
	head := p.head(j, w)
	if j.Kind == task.Soaking {
		return soakView{p.read, j, j == p.open}.render(w, h)
	}
	if p.answers() != nil {
		return widget.Under(head, cardAbove(p, j, w, h-strings.Count(head, "\n")-1))
	}
	brief := w >= besideW && w < wideW && h < comingH && p.large == 0 && !j.Done()
	if !brief {
		head = widget.Under(head, p.searchLines(j, w, searchRows(w, h)))
	}
	rest := h - strings.Count(head, "\n") - 1
	list, front := measuredAndFront(p, j, brief)
	coming := p.read.Panel("to come, in order", "↑ raises a clock", func(w, h int) string { return p.coming(j, w, h) })
	switch {
	case rest < 3:
		return widget.Fit(head, w, h)
	case p.large == 3:
		return widget.Under(head, coming.Render(w, rest))
	case p.large == 1 || p.large == 0 && w < besideW:
		return widget.Under(head, list.Render(w, rest))
	case p.large == 2:
		return widget.Under(head, front.Render(w, rest))
	}
	left := listW(p.tab, w)
	side := list.Render(left, rest)
	if low := rest - briefRows - 3; brief && low >= 3 {
		so := p.read.Panel("so far", "", func(w, h int) string { return widget.Fit(p.searchLines(j, w, h), w, h) })
		side = widget.Under(list.Render(left, briefRows+3), so.Render(left, low))
	} else if n := len(j.Coming()); n > 0 && h >= comingH {
		low := min(rest/3, n+2)
		side = widget.Under(list.Render(left, rest-low), coming.Render(left, low))
	}
	return widget.Under(head, widget.Beside(side, front.Render(w-left, rest)))
}

// From besideW columns on the measurements have the front beside them; a usual window shows the newest briefRows, and
// what the search has found below them.
const (
	besideW   = 78
	briefRows = 7
)

// measuredAndFront returns the panels with a campaign's measurements.
func measuredAndFront(p *Page, j *page.Task, brief bool) (list, front widget.Panel) {
	p.tab.Rows, p.tab.Cols = len(j.Rows), readings(p, j, brief)
	return p.read.Panel("measured, newest first", p.tab.Search.Note(), p.tab.Render),
		p.read.Panel("front so far", "● measured ◉ best ─ expected",
			func(w, h int) string { return p.front(j, w, h) })
}

// listW returns the width of the list of measured modes beside the front.
func listW(t widget.Table, w int) int {
	if w > 130 {
		return 78 + t.Cols[0].Width
	}
	return 52 + t.Cols[0].Width
}

// historyH is the minimum height of the search's history below its card.
const historyH = 9

// cardAbove draws the card and, if there is room below it, the search's measurements and front.
func cardAbove(p *Page, j *page.Task, w, h int) string {
	card := p.read.Panel("the answer", "", p.card)
	drawn := strings.TrimRight(p.card(w-4, h-2), " \n")
	left := h - 2 - strings.Count(drawn, "\n") - 1
	if racing(p) != nil || left < historyH || w < allW {
		return card.Render(w, h)
	}
	list, front := measuredAndFront(p, j, false)
	side := listW(p.tab, w)
	return widget.Under(card.Render(w, h-left), widget.Beside(list.Render(side, left), front.Render(w-side, left)))
}

// comingH is the minimum height for the upcoming modes beside the measurements.
const comingH = 30

// coming lists the upcoming modes, and marks those that raise a clock.
func (p *Page) coming(j *page.Task, w, h int) string {
	list := j.Coming()
	if len(list) == 0 {
		return widget.Fit(widget.Wrap("not known before: each is chosen from the results so far", w), w, h)
	}
	after := tegra.Val[tegra.Mode]{V: j.Progress.Step.Mode, OK: j.Progress.Step.Mode.Cores > 0}
	up := campaigns.Raised(list, after)
	var lines []string
	for i, at := range list[:min(len(list), h)] {
		mark := "  "
		if up[i] {
			mark = "↑ "
		}
		lines = append(lines, mark+p.read.ModeText(at.Mode)+page.BatchText(at.Batch))
	}
	if more := len(list) - h; more > 0 {
		lines[h-1] = fmt.Sprintf("  and %d more", more+1)
	}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

package front

import (
	"strings"

	"jtune/internal/report"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// table renders the front as a table, in the order of the plot.
func (c *cloudView) table(w, h int) string {
	v, front, s := c.read.Outlook(), c.front(), c.read.Served()
	list, at := c.listed()
	time, energy := page.ListHeads(c.job(), s)
	figures := func(of func(page.Figures) string) func(i int) string {
		return func(i int) string { return of(page.FiguresIn(v.Known[i])) }
	}
	c.tab.Rows, c.tab.Cursor = len(list), at
	c.tab.Cols = report.Table[int]{
		{Title: "front mode", Width: 20, Whole: true,
			Text: func(i int) string { return c.read.ModeText(v.Known[i].Mode) }},
		{Title: "", Width: 1, Text: func(i int) string { return page.StandingMark(c.standing(i)) }},
		{Title: time, Width: 7, Right: true, Text: func(i int) string {
			if s != nil {
				return page.LatencyCell(s, i, i == c.cursor)
			}
			return widget.MS(v.Known[i].TimeMS)
		}},
		{Title: "95 %", Width: 15, Drop: 4, Off: s != nil,
			Text: figures(func(f page.Figures) string { return f.BandMS })},
		{Title: "W", Width: 5, Right: true, Text: figures(func(f page.Figures) string { return f.W })},
		{Title: "95 %", Width: 13, Drop: 5, Text: figures(func(f page.Figures) string { return f.BandW })},
		{Title: energy, Width: 6, Right: true, Drop: 1, Text: figures(func(f page.Figures) string { return f.J })},
		{Title: "state", Width: 13, Drop: 2, Text: func(i int) string { return c.standing(i).Brief() }},
		{Title: "name", Width: 10, Drop: 3, Text: func(i int) string {
			if len(list) > len(front) && i == c.cursor {
				return strings.TrimRight("off front "+c.called(i), " ")
			}
			return c.called(i)
		}},
	}.At(func(row int) int { return list[row] })
	return c.tab.Render(w, h)
}

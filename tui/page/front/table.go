package front

import (
	"strings"

	"jtune/tui/page"
)

// columnIs is the index of the table's last column.
const columnIs = 8

// table renders the front as a table, in the order of the plot.
func (c *cloudView) table(w, h int) string {
	v, front := c.read.Outlook(), c.front()
	c.tab.Cols[2].Title, c.tab.Cols[6].Title = page.Heads(c.job())
	s := c.read.Served()
	if c.tab.Cols[3].Off = s != nil; s != nil {
		c.tab.Cols[2].Title = page.LatencyHead(s)
	}
	f, at := c.listed()
	c.tab.Rows, c.tab.Cursor = len(f), at
	c.tab.Cell = func(row, col int) string {
		pr := v.Known[f[row]]
		n := page.FiguresIn(pr)
		if col < columnIs {
			standing, ms := c.standing(f[row]), n.MS
			if s != nil {
				ms = page.LatencyCell(s, f[row], row == at)
			}
			return [...]string{c.read.ModeText(pr.Mode), page.StandingMark(standing), ms, n.BandMS, n.W, n.BandW, n.J,
				standing.Brief()}[col]
		}
		what := c.called(f[row])
		if len(f) > len(front) && row == at {
			what = strings.TrimRight("off front "+what, " ")
		}
		return what
	}
	return c.tab.Render(w, h)
}

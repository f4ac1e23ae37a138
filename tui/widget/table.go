package widget

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/report"
)

// Table draws rows on demand, so that 18,000 rows cost no more than the visible ones. The cursor row has a glyph and is
// reversed.
type Table struct {
	Keys    ListKeys
	Cols    report.Table[int] // of a row by its index
	Rows    int
	Parted  int    // the row below Parting; at Rows there is none
	Parting string // a line that the cursor passes over; "": none
	Cursor  int
	Top     int
	page    int    // rows of the last drawing
	cols    []int  // columns of the last drawing
	widths  []int  // their widths
	Empty   string // shown if there are no rows
	Search  Search
}

// Step returns the row that a key moves to, at most last; the page keys move by page rows, the half-page keys by half
// as many. It returns false for other keys.
func (l ListKeys) Step(k tea.KeyPressMsg, at, page, last int) (int, bool) {
	switch {
	case l.Up.Matches(k):
		at--
	case l.Down.Matches(k):
		at++
	case l.PageUp.Matches(k):
		at -= page
	case l.PageDown.Matches(k):
		at += page
	case l.HalfUp.Matches(k):
		at -= max(1, page/2)
	case l.HalfDown.Matches(k):
		at += max(1, page/2)
	case l.Home.Matches(k):
		at = 0
	case l.End.Matches(k):
		at = last
	default:
		return at, false
	}
	return max(0, min(at, last)), true
}

// Key moves through the rows or searches them; false for other keys.
func (t *Table) Key(k tea.KeyPressMsg) (taken bool) {
	if t.Cursor, taken = t.Search.Key(k, t.Keys, t.Cursor, t.Rows, t.text); taken {
		return true
	}
	t.Cursor, taken = t.Keys.Step(k, t.Cursor, max(1, t.page-1), t.Rows-1)
	return taken
}

// Paste handles text pasted into the search.
func (t *Table) Paste(m tea.PasteMsg) { t.Cursor = t.Search.Paste(m, t.Cursor, t.Rows, t.text) }

// text returns a row's text for the search.
func (t *Table) text(row int) string {
	var cells []string
	for _, c := range t.Cols {
		if !c.Off {
			cells = append(cells, c.Cell(row))
		}
	}
	return strings.Join(cells, " ")
}

// Move moves the cursor within the rows.
func (t *Table) Move(by int) { t.Cursor = min(max(0, t.Cursor+by), max(0, t.Rows-1)) }

// fitted returns the columns that fit w and their widths. Numbers are never cut, so their columns are as wide as their
// widest visible cell. If room is short it drops the least needed columns, those of equal need together, then narrows
// texts, then drops the last columns of numbers. Remaining room goes to texts that are cut.
func (t *Table) fitted(w int, cells [][]string) (cols, widths []int) {
	worst := 0
	for i, c := range t.Cols {
		if c.Off {
			continue
		}
		need := c.Width
		for _, row := range cells {
			if c.Right || c.Whole {
				need = max(need, Width(row[i]))
			}
		}
		cols, widths, worst = append(cols, i), append(widths, need), max(worst, c.Drop)
	}
	over := func() int {
		sum := len(cols)
		for _, n := range widths {
			sum += n
		}
		return sum - w
	}
	drop := func(at int) {
		cols, widths = slices.Delete(cols, at, at+1), slices.Delete(widths, at, at+1)
	}
	for ; over() > 0 && worst > 0; worst-- {
		for at := len(cols) - 1; at >= 0; at-- {
			if t.Cols[cols[at]].Drop == worst {
				drop(at)
			}
		}
	}
	for at := range cols {
		if c := t.Cols[cols[at]]; !c.Right && !c.Whole && over() > 0 {
			widths[at] = max(min(widths[at], leastText), widths[at]-over())
		}
	}
	for at := len(cols) - 1; at > 0 && over() > 0; at-- {
		if t.Cols[cols[at]].Right {
			drop(at)
		}
	}
	// Remaining room goes to texts that are cut, then to the last text.
	for at, i := range cols {
		if c := t.Cols[i]; !c.Right && !c.Whole {
			for _, row := range cells {
				widths[at] += min(max(0, Width(row[i])-widths[at]), max(0, -over()))
			}
		}
	}
	if n := len(cols) - 1; n >= 0 && !t.Cols[cols[n]].Right && !t.Cols[cols[n]].Whole {
		widths[n] = max(0, widths[n]-over())
	}
	return cols, widths
}

// leastText is the minimum width of a text that is narrowed for numbers.
const leastText = 8

// Render draws head and rows in exactly w×h cells, scrolled to the cursor.
func (t *Table) Render(w, h int) string {
	t.Move(0)
	room := max(1, h-1)
	t.page = room
	at := t.lineOf(t.Cursor)
	t.Top = min(max(t.Top, at-room+1), at)
	if t.lineOf(t.Cursor) > t.lineOf(t.Cursor-1)+1 && room > 1 { // Parting is above it
		t.Top = min(t.Top, at-1)
	}
	t.Top = max(0, min(t.Top, t.lineOf(t.Rows-1)+1-room))
	var cells [][]string
	first := t.rowOf(t.Top)
	for i := first; i < min(t.Rows, t.rowOf(t.Top+room)); i++ {
		cells = append(cells, t.Cols.Cells(i))
	}
	cols, widths := t.fitted(w, cells)
	t.cols, t.widths = cols, widths
	lines := []string{StyleDim.Render(Cut(" "+t.line(cols, widths, t.Cols.Titles()), w))}
	if t.Rows == 0 {
		return Fit(lines[0]+"\n"+Wrap(t.Empty, w), w, h)
	}
	for i, row := range cells {
		if first+i == t.Parted && t.lineOf(t.Parted) > t.Top {
			lines = append(lines, StyleDim.Render(Cut(" "+t.Parting, w)))
		}
		text := t.line(cols, widths, row)
		if first+i == t.Cursor {
			lines = append(lines, StyleCursor.Render(Cut("▸"+text, w)))
		} else {
			lines = append(lines, Cut(" "+text, w))
		}
	}
	return Fit(strings.Join(lines, "\n"), w, h)
}

// lineOf returns the line of a row below the head: one more after Parting.
func (t *Table) lineOf(row int) int {
	if t.Parting != "" && row >= t.Parted {
		row++
	}
	return row
}

// rowOf returns the row in a line below the head, or that below Parting.
func (t *Table) rowOf(line int) int {
	if t.Parting != "" && line > t.Parted {
		line--
	}
	return line
}

// ColumnAt returns the column that was drawn at x; false for none.
func (t *Table) ColumnAt(x int) (column int, ok bool) {
	for i, c := range t.cols {
		if x--; x < t.widths[i] {
			return c, x >= 0
		}
		x -= t.widths[i]
	}
	return 0, false
}

func (t *Table) line(cols, widths []int, cells []string) string {
	var parts []string
	for i, c := range cols {
		if t.Cols[c].Right {
			parts = append(parts, Right(cells[c], widths[i]))
		} else {
			parts = append(parts, Cut(cells[c], widths[i]))
		}
	}
	return strings.Join(parts, " ")
}

// Grid returns the lines of a table without a cursor, at most w columns wide: its head, then its rows.
func Grid[T any](columns report.Table[T], rows []T, w int) (lines []string) {
	t := Table{Cols: columns.At(func(i int) T { return rows[i] })}
	var cells [][]string
	for i := range rows {
		cells = append(cells, t.Cols.Cells(i))
	}
	cols, widths := t.fitted(w+1, cells) // no column for the cursor
	lines = []string{StyleDim.Render(t.line(cols, widths, t.Cols.Titles()))}
	for _, row := range cells {
		lines = append(lines, t.line(cols, widths, row))
	}
	return lines
}

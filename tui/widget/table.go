package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Column is one column of a table.
type Column struct {
	Title string
	Width int
	Right bool // numbers stand right
	Drop  int  // the highest go first where room is short; 0 never goes
	Off   bool // has nothing to show now
}

// ListKeys are the keys that walk rows.
type ListKeys struct {
	Up, Down, PageUp, PageDown, Home, End Action
}

// Table draws rows that it asks for one by one, so that 18,000 cost no more
// than those on screen. The cursor row is marked by a glyph and by reverse.
type Table struct {
	Keys   ListKeys
	Cols   []Column
	Rows   int
	Cell   func(row, col int) string
	Cursor int
	Top    int
	room   int    // columns of the last visible column, as drawn
	Empty  string // said when there are no rows
}

// Step is where a key leads from a row, page rows at a time by the page keys, at
// most to the last one; false for keys that do something else.
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
	case l.Home.Matches(k):
		at = 0
	case l.End.Matches(k):
		at = last
	default:
		return at, false
	}
	return max(0, min(at, last)), true
}

// Key walks the rows; false for keys that do something else.
func (t *Table) Key(k tea.KeyPressMsg) (taken bool) {
	t.Cursor, taken = t.Keys.Step(k, t.Cursor, 10, t.Rows-1)
	return taken
}

// Move shifts the cursor, staying within the rows.
func (t *Table) Move(by int) { t.Cursor = min(max(0, t.Cursor+by), max(0, t.Rows-1)) }

// visible returns the columns that fit w. The least needed ones go first, those
// of equal need together.
func (t *Table) visible(w int) []int {
	keep := 0
	for _, c := range t.Cols {
		keep = max(keep, c.Drop)
	}
	for {
		var out []int
		need, worst := 0, 0
		for i, c := range t.Cols {
			if c.Drop <= keep && !c.Off {
				out = append(out, i)
				need += c.Width + 1
				worst = max(worst, c.Drop)
			}
		}
		if need <= w || worst == 0 {
			return out
		}
		keep = worst - 1
	}
}

// Render draws head and rows in exactly w×h cells and scrolls so that the
// cursor shows.
func (t *Table) Render(w, h int) string {
	cols := t.visible(w)
	t.room = w - 1
	for _, c := range cols[:len(cols)-1] {
		t.room -= t.Cols[c].Width + 1
	}
	lines := []string{StyleDim.Render(Cut(" "+t.line(cols, func(c int) string { return t.Cols[c].Title }), w))}
	if t.Rows == 0 {
		return Fit(lines[0]+"\n"+Wrap(t.Empty, w), w, h)
	}
	t.Move(0)
	room := max(1, h-1)
	t.Top = min(max(t.Top, t.Cursor-room+1), t.Cursor)
	t.Top = max(0, min(t.Top, t.Rows-room))
	for i := t.Top; i < min(t.Rows, t.Top+room); i++ {
		text := t.line(cols, func(c int) string { return t.Cell(i, c) })
		if i == t.Cursor {
			lines = append(lines, StyleCursor.Render(Cut("▸"+text, w)))
		} else {
			lines = append(lines, Cut(" "+text, w))
		}
	}
	return Fit(strings.Join(lines, "\n"), w, h)
}

func (t *Table) line(cols []int, cell func(col int) string) string {
	var b strings.Builder
	for i, c := range cols {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case t.Cols[c].Right:
			b.WriteString(Right(cell(c), t.Cols[c].Width))
		case i == len(cols)-1: // the last text takes the room that is left
			b.WriteString(Cut(cell(c), max(t.room, t.Cols[c].Width)))
		default:
			b.WriteString(Cut(cell(c), t.Cols[c].Width))
		}
	}
	return b.String()
}

package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// column is one column of a table.
type column struct {
	title string
	width int
	right bool // numbers stand right
	drop  int  // the highest go first where room is short; 0 never goes
	off   bool // has nothing to show now
}

// table draws rows that it asks for one by one, so that 18,000 cost no more
// than those on screen. The cursor row is marked by a glyph and by reverse.
type table struct {
	cols   []column
	rows   int
	cell   func(row, col int) string
	cursor int
	top    int
	room   int    // columns of the last visible column, as drawn
	empty  string // said when there are no rows
}

// key walks the rows; false for keys that do something else.
func (t *table) key(k tea.KeyPressMsg) bool {
	switch {
	case key.Matches(k, keys.Up):
		t.move(-1)
	case key.Matches(k, keys.Down):
		t.move(1)
	case key.Matches(k, keys.PageUp):
		t.move(-10)
	case key.Matches(k, keys.PageDown):
		t.move(10)
	case key.Matches(k, keys.Home):
		t.cursor = 0
	case key.Matches(k, keys.End):
		t.cursor = max(0, t.rows-1)
	default:
		return false
	}
	return true
}

// move shifts the cursor, staying within the rows.
func (t *table) move(by int) { t.cursor = min(max(0, t.cursor+by), max(0, t.rows-1)) }

// visible gives the columns that fit w. The least needed ones go first, those
// of equal need together.
func (t *table) visible(w int) []int {
	keep := 0
	for _, c := range t.cols {
		keep = max(keep, c.drop)
	}
	for {
		var out []int
		need, worst := 0, 0
		for i, c := range t.cols {
			if c.drop <= keep && !c.off {
				out = append(out, i)
				need += c.width + 1
				worst = max(worst, c.drop)
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
func (t *table) Render(w, h int) string {
	cols := t.visible(w)
	t.room = w - 1
	for _, c := range cols[:len(cols)-1] {
		t.room -= t.cols[c].width + 1
	}
	lines := []string{styleDim.Render(cut(" "+t.line(cols, func(c int) string { return t.cols[c].title }), w))}
	if t.rows == 0 {
		return fit(lines[0]+"\n"+wrap(t.empty, w), w, h)
	}
	t.move(0)
	room := max(1, h-1)
	t.top = min(max(t.top, t.cursor-room+1), t.cursor)
	t.top = max(0, min(t.top, t.rows-room))
	for i := t.top; i < min(t.rows, t.top+room); i++ {
		text := t.line(cols, func(c int) string { return t.cell(i, c) })
		if i == t.cursor {
			lines = append(lines, styleCursor.Render(cut("▸"+text, w)))
		} else {
			lines = append(lines, cut(" "+text, w))
		}
	}
	return fit(strings.Join(lines, "\n"), w, h)
}

func (t *table) line(cols []int, cell func(col int) string) string {
	var b strings.Builder
	for i, c := range cols {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case t.cols[c].right:
			b.WriteString(right(cell(c), t.cols[c].width))
		case i == len(cols)-1: // the last text takes the room that is left
			b.WriteString(cut(cell(c), max(t.room, t.cols[c].width)))
		default:
			b.WriteString(cut(cell(c), t.cols[c].width))
		}
	}
	return b.String()
}

package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"jtune/internal/text"
)

// Columns returns the width of the terminal that a writer shows text on; 0 if it is none.
func Columns(w io.Writer) int {
	if screen, ok := w.(interface{ Columns() int }); ok {
		return screen.Columns()
	}
	return 0
}

// fitted writes rows in columns, whose first one is the heading if they are headed, in the first form that is no wider
// than the terminal: unchanged, closer together, with cells of several lines, or each row below its first cell.
func fitted(w io.Writer, rows [][]string, headed bool) error {
	width := Columns(w)
	lines := aligned(rows, 2)
	if width > 0 && widest(lines) > width {
		if lines = aligned(rows, 1); widest(lines) > width {
			lines = narrowed(rows, width, headed)
		}
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// aligned returns the lines of rows whose columns stand a gap apart.
func aligned(rows [][]string, gap int) (lines []string) {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 8, gap, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	t.Flush()
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return lines
}

func widest(lines []string) (n int) {
	for _, line := range lines {
		n = max(n, utf8.RuneCountInString(line))
	}
	return n
}

// narrowed folds the rows in columns; those that are too wide even so are listed, and all if these are many.
func narrowed(rows [][]string, width int, headed bool) (lines []string) {
	var heads []string
	if headed {
		heads = rows[0]
	}
	apart := make([]bool, len(rows))
	columns := columnsIn(rows, apart, width)
	for n := 1; columns == nil; n++ {
		if 4*n > len(rows) {
			if headed {
				rows = rows[1:]
			}
			for _, r := range rows {
				lines = append(lines, listed(r, heads, width)...)
			}
			return lines
		}
		apart[widestOf(rows, apart)] = true
		columns = columnsIn(rows, apart, width)
	}
	var cells [][]string
	heights := make([]int, len(rows))
	for i, r := range rows {
		if apart[i] {
			continue
		}
		top := len(cells)
		for k, cell := range r {
			for n, line := range strings.Split(text.Fold(cell, "", roomOf(r, k, columns, width)), "\n") {
				if top+n == len(cells) {
					cells = append(cells, make([]string, len(r)))
				}
				cells[top+n][k] = line
			}
		}
		heights[i] = len(cells) - top
	}
	done := aligned(cells, 2)
	for i, r := range rows {
		if apart[i] {
			lines = append(lines, listed(r, heads, width)...)
		}
		lines, done = append(lines, done[:heights[i]]...), done[heights[i]:]
	}
	return lines
}

// widestOf returns the row, of those in columns, that needs most room.
func widestOf(rows [][]string, apart []bool) (at int) {
	most := 0
	for i, r := range rows {
		n := 0
		for _, cell := range r {
			n += narrowest(cell) + 2
		}
		if n > most && !apart[i] {
			at, most = i, n
		}
	}
	return at
}

// readable is how wide the last cell of a row stays at least, if it is that long.
const readable = 20

// columnsIn returns the widths of columns in which all rows fit but those apart; nil if there are none.
func columnsIn(all [][]string, apart []bool, width int) []int {
	var rows [][]string
	for i, r := range all {
		if !apart[i] {
			rows = append(rows, r)
		}
	}
	var columns, least []int // of all cells but the last of each row
	for _, r := range rows {
		for i, cell := range r[:len(r)-1] {
			if i == len(columns) {
				columns, least = append(columns, 0), append(least, 0)
			}
			columns[i], least[i] = max(columns[i], utf8.RuneCountInString(cell)), max(least[i], narrowest(cell))
		}
	}
	for _, r := range rows {
		n := len(r) - 1
		for roomOf(r, n, columns, width) < min(utf8.RuneCountInString(r[n]), max(narrowest(r[n]), readable)) {
			most := -1
			for i, w := range columns[:n] {
				if w > least[i] && (most < 0 || w > columns[most]) {
					most = i
				}
			}
			if most < 0 {
				return nil
			}
			columns[most]--
		}
	}
	return append([]int{}, columns...)
}

// roomOf returns how wide a cell of a row may be: as its column, or the last one as what is left.
func roomOf(row []string, i int, columns []int, width int) int {
	if i < len(row)-1 {
		return columns[i]
	}
	for _, w := range columns[:i] {
		width -= w + 2
	}
	return width
}

// narrowest returns how narrow a cell can be: words have lines of their own, figures stay with their units and bands.
func narrowest(cell string) (n int) {
	words := strings.Fields(cell)
	if len(words) < 4 && strings.ContainsAny(cell, "0123456789") {
		return utf8.RuneCountInString(cell)
	}
	for _, word := range words {
		n = max(n, utf8.RuneCountInString(word))
	}
	return n
}

// listed returns a row as text, with the heading, if there is one, before each cell but the first.
func listed(row, heads []string, width int) []string {
	var parts []string
	for i, cell := range row {
		if 0 < i && i < len(heads) && heads[i] != "" && cell != "" {
			cell = heads[i] + " " + cell
		}
		parts = append(parts, cell)
	}
	parts = text.Said(parts...)
	var lines []string
	if heads != nil && heads[0] != "" && len(parts) > 1 {
		lines, parts[0] = append(lines, text.FoldRow(parts[0], "  ", width)), ""
	}
	return append(lines, text.FoldRow(strings.Join(parts, "  "), "  ", width))
}

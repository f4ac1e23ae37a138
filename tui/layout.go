package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// cut makes a line exactly w columns wide.
func cut(line string, w int) string {
	if w <= 0 {
		return ""
	}
	n := ansi.StringWidth(line)
	if n > w {
		line = ansi.Truncate(line, w, "…")
		n = ansi.StringWidth(line)
	}
	return line + strings.Repeat(" ", w-n)
}

// right aligns a line at the right end of w columns.
func right(line string, w int) string {
	n := ansi.StringWidth(line)
	if n >= w {
		return cut(line, w)
	}
	return strings.Repeat(" ", w-n) + line
}

// fit makes text exactly w columns by h rows.
func fit(text string, w, h int) string {
	if h <= 0 {
		return ""
	}
	lines := strings.Split(text, "\n")
	out := make([]string, h)
	for i := range out {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		out[i] = cut(line, w)
	}
	return strings.Join(out, "\n")
}

// ends puts one text at the left and one at the right end of w columns; the
// right one gives way.
func ends(left, rightText string, w int) string {
	room := w - ansi.StringWidth(left) - 1
	if room < ansi.StringWidth(rightText) {
		return cut(left, w)
	}
	return left + " " + right(rightText, room)
}

// row puts numbers at the right end of w columns; the name gives way.
func row(name, numbers string, w int) string {
	n := ansi.StringWidth(numbers)
	if n+2 > w {
		return cut(name+" "+numbers, w)
	}
	return cut(name, w-n-1) + " " + numbers
}

// box frames text in exactly w×h cells, the title in its upper edge; text is
// to be made for w-4 columns. Where there is no room for a frame the bare
// text is given.
func box(title, note, text string, w, h int) string {
	if w < 8 || h < 3 {
		return fit(text, w, h)
	}
	inner := w - 2
	head := "─ " + styleTitle.Render(ansi.Truncate(title, inner-3, "…")) + " "
	tail := ""
	if note != "" && ansi.StringWidth(head)+ansi.StringWidth(note)+3 <= inner {
		tail = " " + note + " " + styleFrame.Render("─")
	}
	if title == "" {
		head = ""
	}
	fill := max(0, inner-ansi.StringWidth(head)-ansi.StringWidth(tail))
	var b strings.Builder
	b.WriteString(styleFrame.Render("┌") + head + styleFrame.Render(strings.Repeat("─", fill)) + tail + styleFrame.Render("┐") + "\n")
	side := styleFrame.Render("│")
	for _, line := range strings.Split(fit(text, inner-2, h-2), "\n") {
		b.WriteString(side + " " + line + " " + side + "\n")
	}
	b.WriteString(styleFrame.Render("└" + strings.Repeat("─", inner) + "┘"))
	return b.String()
}

// panel is a framed part of a page.
type panel struct {
	title, note string
	render      func(w, h int) string
	bare        bool // a title line instead of a frame
}

// Render draws the panel in exactly w×h cells.
func (b panel) Render(w, h int) string {
	if b.bare {
		return fit(ends(styleTitle.Render(b.title), b.note, w)+"\n"+b.render(w, h-1), w, h)
	}
	return box(b.title, b.note, b.render(w-4, h-2), w, h)
}

// beside joins blocks of equal height left to right.
func beside(blocks ...string) string {
	var columns [][]string
	rows := 0
	for _, b := range blocks {
		lines := strings.Split(b, "\n")
		columns = append(columns, lines)
		rows = max(rows, len(lines))
	}
	out := make([]string, rows)
	for _, lines := range columns {
		for i := range lines {
			out[i] += lines[i]
		}
	}
	return strings.Join(out, "\n")
}

// under joins blocks top to bottom, leaving out empty ones.
func under(blocks ...string) string {
	var kept []string
	for _, b := range blocks {
		if b != "" {
			kept = append(kept, b)
		}
	}
	return strings.Join(kept, "\n")
}

// over lays top upon the middle of base, which is w×h cells.
func over(base, top string, w, h int) string {
	lines := strings.Split(fit(base, w, h), "\n")
	topLines := strings.Split(top, "\n")
	topW := 0
	for _, l := range topLines {
		topW = max(topW, ansi.StringWidth(l))
	}
	if topW >= w {
		return fit(top, w, h)
	}
	x, y := max(0, (w-topW)/2), max(0, (h-len(topLines))/2)
	for i, l := range topLines {
		if y+i >= len(lines) {
			break
		}
		below := lines[y+i]
		lines[y+i] = cut(ansi.Cut(below, 0, x)+cut(l, min(topW, w))+ansi.Cut(below, x+topW, w), w)
	}
	return strings.Join(lines, "\n")
}

// wrap breaks plain text into lines of at most w columns.
func wrap(text string, w int) string {
	if w < 4 {
		return text
	}
	return ansi.Wordwrap(text, w, "")
}

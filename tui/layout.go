package tui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// width is how many columns a line takes. What is drawn is nearly all colour
// codes and runes of one column, which needs no search for grapheme clusters:
// half the time that a frame takes would go there. Anything else is measured
// by package ansi.
func width(line string) int {
	n := 0
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case ' ' <= c && c <= '~':
			i++
			n++
		case c == '\x1b':
			end := colourCode(line[i:])
			if end == 0 {
				return ansi.StringWidth(line)
			}
			i += end
		default:
			r, size := utf8.DecodeRuneInString(line[i:])
			if !oneColumn(r) {
				return ansi.StringWidth(line)
			}
			i += size
			n++
		}
	}
	return n
}

// colourCode is the length of the SGR sequence that a text begins with, or 0.
func colourCode(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';':
			return 0
		}
	}
	return 0
}

// oneColumn tells of runes that take one column and join with no neighbour:
// signs of Latin-1 and general punctuation, arrows and mathematics, frames,
// blocks, shapes and braille.
func oneColumn(r rune) bool {
	return 0xa1 <= r && r <= 0xff && r != 0xad || 0x2010 <= r && r <= 0x2027 || 0x2190 <= r && r <= 0x22ff ||
		0x2500 <= r && r < 0x25fd || 0x2800 <= r && r <= 0x28ff
}

// cut makes a line exactly w columns wide.
func cut(line string, w int) string {
	if w <= 0 {
		return ""
	}
	n := width(line)
	if n > w {
		line = ansi.Truncate(line, w, "…")
		n = width(line)
	}
	return line + strings.Repeat(" ", w-n)
}

// cutFront drops the front of a line that is wider than w, for names that
// differ at their ends.
func cutFront(line string, w int) string {
	if n := width(line); n > w {
		return ansi.TruncateLeft(line, n-w+1, "…")
	}
	return line
}

// right aligns a line at the right end of w columns.
func right(line string, w int) string {
	n := width(line)
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

// fitMore is fit for text that may be longer than its place: the last line
// then says how to see the rest.
func fitMore(text string, w, h int) string {
	lines := strings.Split(text, "\n")
	if h > 1 && len(lines) > h {
		text = strings.Join(append(lines[:h-1:h-1], styleDim.Render("… "+keys.Enlarge.Help().Key+" shows the rest")), "\n")
	}
	return fit(text, w, h)
}

// ends puts one text at the left and one at the right end of w columns; the
// right one gives way.
func ends(left, rightText string, w int) string {
	room := w - width(left) - 1
	if room < width(rightText) {
		return cut(left, w)
	}
	return left + " " + right(rightText, room)
}

// row puts numbers at the right end of w columns; the name gives way.
func row(name, numbers string, w int) string {
	n := width(numbers)
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
	if note != "" && width(head)+width(note)+3 <= inner {
		tail = " " + note + " " + styleFrame.Render("─")
	}
	if title == "" {
		head = ""
	}
	fill := max(0, inner-width(head)-width(tail))
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
		topW = max(topW, width(l))
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

// noBreak keeps the dashes of a flag and the sign of a number with what
// follows them: a line may break after any other hyphen.
var noBreak = struct{ there, back *strings.Replacer }{strings.NewReplacer("--", "\u2011\u2011", " -", " \u2011"), strings.NewReplacer("\u2011", "-")}

// wrap breaks plain text into lines of at most w columns.
func wrap(text string, w int) string {
	if w < 4 {
		return text
	}
	return noBreak.back.Replace(ansi.Wrap(noBreak.there.Replace(text), w, ""))
}

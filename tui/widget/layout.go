package widget

import (
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Width is how many columns a line takes. What is drawn is nearly all colour
// codes and runes of one column, which needs no search for grapheme clusters:
// half the time that a frame takes would go there. Anything else is measured
// by package ansi.
func Width(line string) int {
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

// oneColumn reports whether a rune is known to take one column and to join no neighbour:
// signs of Latin-1 and general punctuation, arrows and mathematics, frames,
// blocks, shapes and braille.
func oneColumn(r rune) bool {
	return 0xa1 <= r && r <= 0xff && r != 0xad || 0x2010 <= r && r <= 0x2027 || 0x2190 <= r && r <= 0x22ff ||
		0x2500 <= r && r < 0x25fd || 0x2800 <= r && r <= 0x28ff
}

// Cut makes a line exactly w columns wide.
func Cut(line string, w int) string {
	if w <= 0 {
		return ""
	}
	n := Width(line)
	if n > w {
		line = ansi.Truncate(line, w, "…")
		n = Width(line)
	}
	return line + strings.Repeat(" ", w-n)
}

// CutFront drops the front of a line that is wider than w, for names that
// differ at their ends.
func CutFront(line string, w int) string {
	if n := Width(line); n > w {
		return ansi.TruncateLeft(line, n-w+1, "…")
	}
	return line
}

// clauseEnds are what the clauses and the columns of a line end before.
var clauseEnds = []string{", ", ": ", "; ", " (", " against ", "  "}

// CutClause shortens a line to w columns at the end of a clause or a column, so that no value is
// cut; one whose first clause is wider is cut anywhere.
func CutClause(line string, w int) string {
	plain := ansi.Strip(line)
	if Width(plain) <= w {
		return line
	}
	whole := ""
	for i := range plain {
		ends := func(end string) bool { return strings.HasPrefix(plain[i:], end) }
		if Width(plain[:i]) <= w && slices.ContainsFunc(clauseEnds, ends) {
			whole = strings.TrimRight(plain[:i], " ")
		}
	}
	if strings.TrimSpace(whole) == "" {
		return Cut(line, w)
	}
	return ansi.Truncate(line, Width(whole), "")
}

// Right aligns a line at the right end of w columns.
func Right(line string, w int) string {
	n := Width(line)
	if n >= w {
		return Cut(line, w)
	}
	return strings.Repeat(" ", w-n) + line
}

// Fit makes text exactly w columns by h rows.
func Fit(text string, w, h int) string {
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
		out[i] = Cut(line, w)
	}
	return strings.Join(out, "\n")
}

// FitMore is fit for text that may be longer than its place: the last line
// then is what says how to see the rest.
func FitMore(text, more string, w, h int) string {
	lines := strings.Split(text, "\n")
	if h > 1 && len(lines) > h {
		text = strings.Join(append(lines[:h-1:h-1], StyleDim.Render(more)), "\n")
	}
	return Fit(text, w, h)
}

// Ends puts one text at the left and one at the right end of w columns; the
// right one gives way.
func Ends(left, rightText string, w int) string {
	room := w - Width(left) - 1
	if room < Width(rightText) {
		return Cut(left, w)
	}
	return left + " " + Right(rightText, room)
}

// Pinned puts one text at the left and one at the right end of w columns; the left one gives way, clause by clause.
func Pinned(left, rightText string, w int) string {
	if rightText == "" {
		return CutClause(left, w)
	}
	return Ends(CutClause(left, max(0, w-Width(rightText)-1)), rightText, w)
}

// Row puts numbers at the right end of w columns; the name gives way.
func Row(name, numbers string, w int) string {
	n := Width(numbers)
	if n+2 > w {
		return Cut(name+" "+numbers, w)
	}
	return Cut(name, w-n-1) + " " + numbers
}

// frame is the border of a box; its upper edge is drawn apart, with the title in it.
var frame = StylePlain.Border(lipgloss.NormalBorder(), false, true, true).BorderForeground(border).Padding(0, 1)

// Box frames text in exactly w×h cells, the title in its upper edge; text is to be made for w-4 columns. If there is no
// room for a frame the bare text is given.
func Box(title, note, text string, w, h int) string {
	if w < 8 || h < 3 {
		return Fit(text, w, h)
	}
	inner := w - 2
	head, tail := "", ""
	if title != "" {
		head = "─ " + StyleTitle.Render(ansi.Truncate(title, inner-3, "…")) + " "
	}
	if note != "" && Width(head)+Width(note)+3 <= inner {
		tail = " " + note + " " + styleFrame.Render("─")
	}
	edge := strings.Repeat("─", max(0, inner-Width(head)-Width(tail)))
	return Under(
		styleFrame.Render("┌")+head+styleFrame.Render(edge)+tail+styleFrame.Render("┐"),
		frame.Render(Fit(text, inner-2, h-2)))
}

// Panel is a framed part of a page.
type Panel struct {
	Title, Note string
	Body        func(w, h int) string
	Bare        bool // a title line instead of a frame
}

// Render draws the panel in exactly w×h cells.
func (b Panel) Render(w, h int) string {
	if b.Bare {
		return Fit(Ends(StyleTitle.Render(b.Title), b.Note, w)+"\n"+b.Body(w, h-1), w, h)
	}
	return Box(b.Title, b.Note, b.Body(w-4, h-2), w, h)
}

// Beside joins blocks left to right.
func Beside(blocks ...string) string { return lipgloss.JoinHorizontal(lipgloss.Top, blocks...) }

// Under joins blocks top to bottom, leaving out empty ones.
func Under(blocks ...string) string {
	return strings.Join(slices.DeleteFunc(blocks, func(b string) bool { return b == "" }), "\n")
}

// Over lays top upon the middle of base, which is w×h cells and dimmed: what is beside top is not
// read as a part of it.
func Over(base, top string, w, h int) string {
	topW, topH := lipgloss.Size(top)
	if topW >= w {
		return Fit(top, w, h)
	}
	dialog := lipgloss.NewLayer(top).X((w - topW) / 2).Y(max(0, (h-topH)/2)).Z(1)
	lines := strings.Split(Fit(ansi.Strip(base), w, h), "\n")
	for i, line := range lines {
		lines[i] = StyleDim.Render(line)
	}
	back := lipgloss.NewLayer(strings.Join(lines, "\n"))
	return Fit(lipgloss.NewCompositor(back, dialog).Render(), w, h)
}

// noBreak keeps the dashes of a flag and the sign of a number with what
// follows them: a line may break after any other hyphen.
var (
	noBreak = strings.NewReplacer("--", "\u2011\u2011", " -", " \u2011")
	hyphens = strings.NewReplacer("\u2011", "-")
)

// Wrap breaks plain text into lines of at most w columns.
func Wrap(text string, w int) string {
	if w < 4 {
		return text
	}
	return hyphens.Replace(ansi.Wrap(noBreak.Replace(text), w, ""))
}

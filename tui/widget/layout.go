package widget

import (
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/internal/lazyregexp"
)

// Width returns how many columns a line takes. Frames consist almost only of colour codes and runes of one column,
// which need no search for grapheme clusters; that search would take half the time of a frame. Package ansi measures
// anything else.
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

// colourCode returns the length of the SGR sequence at the start of a text, or 0.
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

// oneColumn reports whether a rune is known to take one column and not to join its neighbours: Latin-1 and general
// punctuation, arrows and mathematics, frames, blocks, shapes and braille.
func oneColumn(r rune) bool {
	return 0xa1 <= r && r <= 0xff && r != 0xad || 0x2010 <= r && r <= 0x2027 || 0x2190 <= r && r <= 0x22ff ||
		0x2500 <= r && r < 0x25fd || 0x2800 <= r && r <= 0x28ff
}

// Cut makes a line exactly w columns wide. A number is cut as a whole: its first digits would be another number.
func Cut(line string, w int) string {
	if w <= 0 {
		return ""
	}
	n := Width(line)
	if n > w {
		plain := ansi.Strip(line)
		kept := ansi.Truncate(plain, w-1, "")
		keep := w - 1
		if goesOn.MatchString(plain[len(kept):]) {
			keep = Width(number.ReplaceAllString(kept, "$1"))
		}
		line = ansi.Truncate(line, keep+1, "…")
		n = Width(line)
	}
	return line + strings.Repeat(" ", w-n)
}

// number is one at the end of a text, and goesOn what a cut number goes on with.
var (
	number = lazyregexp.New(`(^|[\s(=])[-+]?[0-9][0-9.,]*$`)
	goesOn = lazyregexp.New(`^[.,]?[0-9]`)
)

// CutFront cuts the front of a line wider than w, for names that differ at their ends.
func CutFront(line string, w int) string {
	if n := Width(line); n > w {
		return ansi.TruncateLeft(line, n-w+1, "…")
	}
	return line
}

// clauseEnds separate the clauses and columns of a line.
var clauseEnds = []string{", ", ": ", "; ", " (", " against ", "  "}

// CutClause shortens a line to w columns at the end of a clause or column, so that no value is cut. A line whose first
// clause is wider is cut anywhere.
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

// Right aligns a line with the right edge of w columns.
func Right(line string, w int) string {
	n := Width(line)
	if n >= w {
		return Cut(line, w)
	}
	return strings.Repeat(" ", w-n) + line
}

// Fit makes a text exactly w columns by h rows.
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

// FitMore is Fit for a text that may be too long: its last line is then more, which says how to see the rest.
func FitMore(text, more string, w, h int) string {
	lines := strings.Split(text, "\n")
	if h > 1 && len(lines) > h {
		text = strings.Join(append(lines[:h-1:h-1], StyleDim.Render(more)), "\n")
	}
	return Fit(text, w, h)
}

// Ends puts one text at the left and one at the right end of w columns; the right one is dropped if there is no room.
func Ends(left, rightText string, w int) string {
	room := w - Width(left) - 1
	if room < Width(rightText) {
		return Cut(left, w)
	}
	return left + " " + Right(rightText, room)
}

// Pinned puts one text at the left and one at the right end of w columns; the left one is shortened by whole clauses.
func Pinned(left, rightText string, w int) string {
	if rightText == "" {
		return CutClause(left, w)
	}
	return Ends(CutClause(left, max(0, w-Width(rightText)-1)), rightText, w)
}

// Row puts numbers at the right end of w columns and cuts the name.
func Row(name, numbers string, w int) string {
	n := Width(numbers)
	if n+2 > w {
		return Cut(name+" "+numbers, w)
	}
	return Cut(name, w-n-1) + " " + numbers
}

// Box frames a text in exactly w×h cells with the title in its upper edge; the text must be made for w-4 columns.
// Without room for a frame it returns the bare text.
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
	var b strings.Builder
	b.WriteString(styleFrame.Render("┌") + head + styleFrame.Render(edge) + tail + styleFrame.Render("┐") + "\n")
	side := styleFrame.Render("│")
	for line := range strings.SplitSeq(Fit(text, inner-2, h-2), "\n") { // exact: nothing is left to measure
		b.WriteString(side + " " + line + " " + side + "\n")
	}
	b.WriteString(styleFrame.Render("└" + strings.Repeat("─", inner) + "┘"))
	return b.String()
}

// Panel is a framed part of a page.
type Panel struct {
	Title, Note string
	Body        func(w, h int) string
	Bare        bool // with a title line instead of a frame
}

// Render draws the panel in exactly w×h cells.
func (b Panel) Render(w, h int) string {
	if b.Bare {
		return Fit(Ends(StyleTitle.Render(b.Title), b.Note, w)+"\n"+b.Body(w, max(0, h-1)), w, h)
	}
	return Box(b.Title, b.Note, b.Body(max(0, w-4), max(0, h-2)), w, h)
}

// Beside joins blocks left to right, with one measurement of each line.
func Beside(blocks ...string) string {
	type block struct {
		lines  []string
		widths []int
		widest int
	}
	all, h := make([]block, len(blocks)), 0
	for i, text := range blocks {
		of := block{lines: strings.Split(text, "\n")}
		for _, line := range of.lines {
			of.widths = append(of.widths, Width(line))
		}
		of.widest = slices.Max(of.widths)
		all[i], h = of, max(h, len(of.lines))
	}
	var b strings.Builder
	for row := range h {
		if row > 0 {
			b.WriteByte('\n')
		}
		for _, of := range all {
			short := of.widest
			if row < len(of.lines) {
				b.WriteString(of.lines[row])
				short -= of.widths[row]
			}
			b.WriteString(strings.Repeat(" ", short))
		}
	}
	return b.String()
}

// Under joins blocks top to bottom, without empty ones.
func Under(blocks ...string) string {
	return strings.Join(slices.DeleteFunc(blocks, func(b string) bool { return b == "" }), "\n")
}

// Over draws top over the centre of base, which has w×h cells and is dimmed, so that the two do not run together.
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

// noBreak prevents line breaks after the dashes of a flag and the sign of a number; a line may break after any other
// hyphen.
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

// Flow puts words beside each other in lines of w columns, without breaking any of them.
func Flow(words []string, w int) (lines []string) {
	line := ""
	for _, word := range words {
		switch {
		case line == "":
			line = word
		case Width(line)+2+Width(word) <= w:
			line += "  " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// Clauses joins lines, each shortened to w columns by CutClause.
func Clauses(lines []string, w int) string {
	var out []string
	for _, line := range lines {
		out = append(out, CutClause(line, w))
	}
	return strings.Join(out, "\n")
}

// First returns the first line that fits in w columns, else the last.
func First(w int, lines ...string) string {
	for _, line := range lines {
		if Width(line) <= w {
			return line
		}
	}
	return lines[len(lines)-1]
}

// WrapIn returns the lines of a text in w columns, each in a style; none of "".
func WrapIn(style Style, text string, w int) (lines []string) {
	if text == "" {
		return nil
	}
	for line := range strings.SplitSeq(Wrap(text, w), "\n") {
		lines = append(lines, style.Render(line))
	}
	return lines
}

package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Lines collects sentences.
type Lines []string

// Add adds a sentence.
func (l *Lines) Add(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

// Said returns those sentences that say something.
func Said(sentences ...string) Lines {
	return slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
}

// Fold breaks plain text into lines of at most width characters, at spaces but not before a per cent sign. All lines
// but the first start with the indent. A longer word gets its own line.
func Fold(text, indent string, width int) string {
	return FoldRow(strings.Join(strings.Fields(text), " "), indent, width)
}

// FoldRow is Fold for a line whose spaces count: where parts of it are two spaces apart, it breaks between them.
func FoldRow(line, indent string, width int) string {
	var out strings.Builder
	for utf8.RuneCountInString(line) > width {
		word, gap, n := -1, -1, 0 // the last places to break within the width, else the first one behind it
		for at, r := range line {
			if n > width && max(word, gap) >= 0 {
				break
			}
			if n++; r != ' ' || strings.TrimLeft(line[:at], " ") == "" || line[at-1] == ' ' {
				continue
			}
			switch rest := line[at:]; {
			case strings.HasPrefix(rest, "  "):
				gap = at
			case !strings.HasPrefix(rest, " %"):
				word = at
			}
		}
		if gap < 0 || word >= 0 && utf8.RuneCountInString(line[:gap]) < width/3 {
			gap = word
		}
		if gap < 0 {
			break
		}
		out.WriteString(line[:gap] + "\n")
		line = indent + strings.TrimLeft(line[gap:], " ")
	}
	return out.String() + line
}

// Binary reports whether more than a tenth of a line's characters are not printable; the codes that terminals take are.
func Binary(line []byte) bool {
	strange, all := 0, 0
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		if r == utf8.RuneError && n == 1 || r < ' ' && !strings.ContainsRune("\x1b\n\r\t\b", r) {
			strange++
		}
		all++
		line = line[n:]
	}
	return 10*strange > all
}

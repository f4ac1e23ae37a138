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
	const glued = "\x00" // placeholder for a space without a line break
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(strings.ReplaceAll(text, " %", glued+"%")) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), indent+word
		} else if line == "" {
			line = word
		} else {
			line += " " + word
		}
	}
	return strings.ReplaceAll(strings.Join(append(lines, line), "\n"), glued, " ")
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

package text

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// longestQuote is how many bytes of an external text an error quotes.
const longestQuote = 60

// Clip shortens an external text for quoting in an error, and makes it Plain.
func Clip(s string) string {
	if len(s) > longestQuote {
		s = s[:longestQuote] + "…"
	}
	return Plain(s)
}

// control reports whether a character can control a terminal or reorder its text: C0 except tab and line feed, DEL, C1,
// line and paragraph separators, and marks of writing direction.
func control(r rune) bool {
	switch {
	case r == '\t' || r == '\n':
		return false
	case r < ' ', r >= 0x7f && r <= 0x9f, r == 0x61c, r == 0x200e, r == 0x200f,
		r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}

// Plain removes from an external text what controls a terminal or reorders its text. Bytes that are not UTF-8 become
// question marks.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if control(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// Drawn reports whether p has only printable ASCII, tabs, line feeds and carriage returns.
func Drawn(p []byte) bool {
	for _, c := range p {
		if (c < ' ' || c >= 0x7f) && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}

// PlainWriter writes Plain text to To. With Returns it keeps carriage returns, with which progress bars redraw
// themselves. Goroutines may share a PlainWriter: a job's output and jtune's notes both go to standard error.
type PlainWriter struct {
	To      io.Writer
	Returns bool
	Words   func(string) string // rewrites the text of one call; nil: unchanged
	Width   func() int          // columns at which lines break; nil or 0: they do not
	mu      sync.Mutex
	rest    []byte // incomplete character at the end of the last write
	failed  error
}

// Failed returns the last error of a write; nil if there was none.
func (w *PlainWriter) Failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// Columns returns the width of the terminal that shows the text; 0 if none does.
func (w *PlainWriter) Columns() int {
	if w.Width == nil {
		return 0
	}
	return w.Width()
}

// Named returns a text as Words rewrites it.
func (w *PlainWriter) Named(text string) string {
	if w.Words == nil {
		return text
	}
	return w.Words(text)
}

// folded breaks the lines of a text that are wider than the terminal.
func (w *PlainWriter) folded(text string) string {
	width := w.Columns()
	if width == 0 {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		indent := ""
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "- ") || strings.Contains(line, "  ") {
			indent = "  "
		}
		whole := strings.TrimSuffix(line, "\n")
		out.WriteString(FoldRow(whole, indent, width) + line[len(whole):])
	}
	return out.String()
}

// Whole returns the whole characters of a text, and a copy of one that is cut at its end.
func Whole(text []byte) (whole, rest []byte) {
	for i := 1; i <= min(utf8.UTFMax-1, len(text)); i++ {
		if at := len(text) - i; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				return text[:at], bytes.Clone(text[at:])
			}
			break
		}
	}
	return text, nil
}

// Write writes p; a character that is cut at the end is written with the next call.
func (w *PlainWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) == 0 && w.Words == nil && w.Returns && Drawn(p) {
		return w.To.Write(p)
	}
	text, rest := Whole(append(w.rest, p...))
	w.rest = rest
	parts := []string{string(text)}
	if w.Returns {
		parts = strings.Split(parts[0], "\r")
	}
	for i := range parts {
		parts[i] = Plain(parts[i])
	}
	out := strings.Join(parts, "\r")
	if w.Words != nil {
		out = w.Words(out)
	}
	out = w.folded(out)
	if _, err := io.WriteString(w.To, out); err != nil {
		w.failed = err
		return 0, err
	}
	return len(p), nil
}

// longestLine is how many bytes of a text OneLine keeps.
const longestLine = 400

// OneLine converts a text to one line for a file: valid UTF-8 without line breaks and control characters, shortened if
// very long.
func OneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if control(r) || r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if len(s) > longestLine {
		s = strings.ToValidUTF8(s[:longestLine], "") + "…"
	}
	return strings.TrimSpace(s)
}

package text

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// longestQuote is how many bytes of a text from outside an error quotes.
const longestQuote = 60

// Clip shortens a text from outside before it is quoted in an error, and makes it Plain.
func Clip(s string) string {
	if len(s) > longestQuote {
		s = s[:longestQuote] + "…"
	}
	return Plain(s)
}

// control reports whether a character of a text from outside may command a terminal
// or reorder what it shows: C0 but for tab and line feed, DEL, C1, the separators of lines and
// paragraphs, and the marks of writing direction.
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

// Plain leaves out of a text from outside what commands a terminal or reorders what it shows. Bytes
// that are not UTF-8 become question marks.
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

// PlainWriter writes Plain text to To. Carriage returns pass where Returns is set: a progress bar is drawn over
// itself. Goroutines may share a PlainWriter: the output of a job and the notes about it meet on standard error.
type PlainWriter struct {
	To      io.Writer
	Returns bool
	Words   func(string) string // rewrites what one call writes; nil: nothing
	mu      sync.Mutex
	rest    []byte // of a character that the last write cut
}

// Write writes p, and a character that is cut at its end with the next write.
func (w *PlainWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) == 0 && w.Words == nil && w.Returns && Drawn(p) {
		return w.To.Write(p)
	}
	text := append(w.rest, p...)
	cut := len(text)
	for i := 1; i <= min(utf8.UTFMax-1, len(text)); i++ {
		if start := len(text) - i; utf8.RuneStart(text[start]) {
			if !utf8.FullRune(text[start:]) {
				cut = start
			}
			break
		}
	}
	w.rest = append([]byte(nil), text[cut:]...)
	parts := []string{string(text[:cut])}
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
	if _, err := io.WriteString(w.To, out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// longestLine is how many bytes of a text OneLine keeps.
const longestLine = 400

// OneLine makes a text fit for one line of a file: valid UTF-8 without line
// breaks and other control characters, shortened when very long.
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

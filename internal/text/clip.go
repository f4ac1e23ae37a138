package text

import "strings"

// longestQuote is how many bytes of a text from outside an error quotes.
const longestQuote = 60

// Clip shortens a text from outside before it is quoted in an error.
func Clip(s string) string {
	if len(s) <= longestQuote {
		return s
	}
	return s[:longestQuote] + "…"
}

// longestLine is how many bytes of a text OneLine keeps.
const longestLine = 400

// OneLine makes a text fit for one line of a file: valid UTF-8 without line
// breaks and other control characters, shortened when very long.
func OneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if len(s) > longestLine {
		s = strings.ToValidUTF8(s[:longestLine], "") + "…"
	}
	return strings.TrimSpace(s)
}

package train

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// maxLogLine is the maximum width of a log line.
const maxLogLine = 500

// printable returns a line as a terminal would show it, without text that a progress bar overwrote and without control
// characters.
func printable(line string) string {
	line = strings.TrimRight(ansi.Strip(strings.ToValidUTF8(line, "?")), "\r\n")
	if i := strings.LastIndexByte(line, '\r'); i >= 0 {
		line = line[i+1:]
	}
	line = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, line)
	return ansi.Truncate(line, maxLogLine, "…")
}

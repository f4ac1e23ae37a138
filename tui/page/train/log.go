package train

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// maxLogLine is how many columns are kept of a line.
const maxLogLine = 500

// printable is a line as a terminal would leave it: what a progress bar wrote
// over is gone, colours and other controls too.
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

package page

import (
	_ "embed" // the table
	"strings"
	"sync"

	"jtune/internal/fields"
)

//go:embed numbers.txt
var numbersTable string

// numbers are the entries of the table by page or dialog.
var numbers = sync.OnceValue(func() map[string][]string {
	out, now := map[string][]string{}, ""
	for _, line := range fields.Lines(numbersTable) {
		text, entry := strings.CutPrefix(line, "  ")
		part, asked := strings.CutPrefix(text, "= ")
		switch {
		case asked:
			out[now] = append(out[now], fields.Help(part)...)
		case entry:
			out[now] = append(out[now], text)
		default:
			now = line
		}
	}
	return out
})

// Numbers returns what explains the numbers of a page or dialog: terms with their meaning, and sentences.
func Numbers(of string) []string { return numbers()[of] }

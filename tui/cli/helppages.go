package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/text"
)

// helpWidth is the width of a plain terminal.
const helpWidth = 80

// helpPages wraps the texts of all commands at a plain terminal's width.
func helpPages(root *cobra.Command) {
	root.SetUsageFunc(flagHelp)
	each(root, func(c *cobra.Command) {
		c.Long = wrapped(c.Long)
	})
}

func each(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		each(sub, f)
	}
}

var paragraphs = regexp.MustCompile(`\n\n+`)

// wrapped wraps each paragraph again. Lists, whose lines start with two spaces and a name, keep their lines and
// columns.
func wrapped(long string) string {
	long = flagged(long)
	var out []string
	for _, paragraph := range paragraphs.Split(long, -1) {
		if !strings.HasPrefix(paragraph, "  ") {
			out = append(out, text.Fold(paragraph, "", helpWidth))
			continue
		}
		var list []string
		for line := range strings.SplitSeq(paragraph, "\n") {
			at := listName.FindStringIndex(line)
			if at == nil {
				at = []int{0, 0}
			}
			rest := text.Fold(line[at[1]:], "", helpWidth-at[1])
			list = append(list, line[:at[1]]+strings.ReplaceAll(rest, "\n", "\n"+strings.Repeat(" ", at[1])))
		}
		out = append(out, strings.Join(list, "\n"))
	}
	return strings.Join(out, "\n\n")
}

// listName matches the name at the start of a list's line, with the spaces around it.
var listName = regexp.MustCompile(`^ +\S+ +`)

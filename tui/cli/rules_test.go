package cli

import (
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
)

func TestRulesHaveOnlyFlagsOfTheirCommand(t *testing.T) {
	t.Parallel()
	root, commands := (&app{out: io.Discard, err: io.Discard}).root(), map[string]*cobra.Command{}
	each(root, func(c *cobra.Command) {
		_ = c.InheritedFlags() // merges them into Flags
		commands[shortName(c)] = c
	})
	for of, part := range requests().parts {
		for _, r := range part.rules {
			words := strings.Fields(r.words + " " + r.others)
			if r.is == "" {
				t.Errorf("rule %v of %s has no relation", r, of)
			}
			if of == "shared" {
				if !slices.ContainsFunc(slices.Collect(maps.Values(commands)), func(c *cobra.Command) bool {
					return ruled{c, nil}.hasAll(strings.Join(words, " "))
				}) {
					t.Errorf("rule %v: no command keeps it", r)
				}
				continue
			}
			if commands[of] == nil {
				t.Fatalf("rule %v: there is no command %s", r, of)
			}
			for _, word := range words {
				if !unicode.IsUpper(rune(word[0])) && (ruled{commands[of], nil}).flag(word) == nil {
					t.Errorf("rule %v: jtune %s has no --%s", r, of, word)
				}
			}
		}
	}
}

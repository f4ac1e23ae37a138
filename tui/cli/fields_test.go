package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"jtune/internal/fields"
	"jtune/internal/must"
)

func TestFieldsAreBoundByACommand(t *testing.T) {
	t.Parallel()
	var commands []*cobra.Command
	each((&app{}).root(), func(c *cobra.Command) { commands = append(commands, c) })
	for of, part := range requests().parts {
		bound := slices.ContainsFunc(commands, func(c *cobra.Command) bool {
			return (part.short == "" || shortName(c) == of) && !slices.ContainsFunc(part.fields,
				func(x fields.Field) bool {
					return c.Flags().Lookup(x.Name) == nil && c.PersistentFlags().Lookup(x.Name) == nil
				})
		})
		if of != "shared" && len(part.fields) > 0 && !bound {
			t.Errorf("no command binds the fields of %s", of)
		}
		for _, x := range part.fields {
			if strings.ContainsAny(x.Help, "{}") || strings.Count(x.Help, "`")%2 != 0 {
				t.Errorf("%s of %s: a name in braces or a quote is left: %s", x.Name, of, x.Help)
			}
		}
	}
}

func TestCommandsAreAllOfTheTable(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	each((&app{}).root(), func(c *cobra.Command) {
		known[shortName(c)] = true
		if p := requests().parts[shortName(c)]; p != nil && c.HasParent() && c.Short != p.short {
			t.Errorf("%s: %q, the table says %q", c.CommandPath(), c.Short, p.short)
		}
	})
	for of, p := range requests().parts {
		if p.short != "" && !known[of] && !strings.HasPrefix(of, topicPart) {
			t.Errorf("there is no command %s", of)
		}
	}
	of, p := readPart("fleet apply MODE|PRESET <presets>: Set a mode: one")
	if of != "fleet apply" || p.form != " MODE|PRESET" || p.arguments != "presets" || p.short != "Set a mode: one" {
		t.Errorf("%s, %+v", of, p)
	}
}

func TestRulesAreReadWithTheirReason(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]flagRule{
		"a b needs c=d e: it is so": {"a b", needs, "c=d e", "it is so"},
		"KIND=x excludes a":         {"KIND=x", excludes, "a", ""},
		"one of a b: one":           {"a b", oneOf, "", "one"},
		"missing out: a folder":     {"out", missing, "", "a folder"},
	} {
		must.Equal(t, readRule(line), want, line)
	}
}

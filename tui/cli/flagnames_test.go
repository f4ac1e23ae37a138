package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/must"
	"jtune/internal/usage"
)

func TestFlagsHaveEveryField(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		add := func(f *pflag.Flag) { known["--"+f.Name] = true }
		c.Flags().VisitAll(add)
		c.PersistentFlags().VisitAll(add)
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit((&app{}).root())
	fields, flagNames := everyField(t), requests().names
	for _, f := range fields {
		if flagNames[f].flag == "" {
			t.Errorf("%s has no flag", f)
		}
		for flag := range strings.SplitSeq(flagNames[f].flag, " and ") {
			if !known[flag] {
				t.Errorf("%s: no command has a flag %s", f, flag)
			}
		}
	}
	must.Equal(t, len(flagNames), len(fields))
}

// everyField returns the constants of package usage, each named once.
func everyField(t *testing.T) (list []usage.Field) {
	t.Helper()
	source := must.Read(t, "../../internal/usage/fields.go")
	for _, m := range regexp.MustCompile(`Field\s+= "(.+?)"`).FindAllStringSubmatch(string(source), -1) {
		if f := usage.Field(m[1]); slices.Contains(list, f) {
			t.Errorf("%s twice", f)
		} else {
			list = append(list, f)
		}
	}
	if len(list) < 50 {
		t.Fatalf("%d fields", len(list))
	}
	return list
}

func TestTextsNameFieldsByFlags(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"choose one with " + usage.Batch.Value():           "choose one with --batch N",
		usage.Batch.String() + " 8,16: one size":           "--batch 8,16: one size",
		usage.Load.Errorf("want above 0").Error():          "--rate and --arrivals: want above 0",
		"start without it: " + usage.ReadOnly.Value():      "start without it: --read-only",
		"“" + "campaign of today" + "” is no field's name": "“campaign of today” is no field's name",
	} {
		must.Equal(t, flagged(text), want)
	}
}

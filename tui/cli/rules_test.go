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

func TestBrokenRulesAreUsageErrorsThatSayWhatToDo(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"advice --mode X":                "explain: --mode needs --model FILE too",
		"device --csv=false --tunables":  "",
		"device --list --tunables":       "--list and --tunables exclude each other",
		"modes --csv --json":             "--csv and --json exclude each other",
		"run lenet5 --workers 65":        "--workers 65: want 0 to 64",
		"watch --interval 1ms":           "--interval 1ms: 10ms at least",
		"choose --margin NaN --model x":  "--margin NaN: 0 at least",
		"apply MAXN --keep-after 99h":    "--keep-after 99h0m0s: at most",
		"exporter --once --textfile -":   "--textfile -: - stands for standard input or output",
		"plot front --samples x --out -": "--out -: - stands for",
		"run lenet5 --pattern x":         "--pattern needs --attach PID, --log FILE or -- COMMAND too",
	} {
		o := jtune(t, strings.Fields(line)...)
		if want == "" && o.code != exitOK {
			t.Errorf("%s: %v", line, o)
		} else if want != "" {
			o.fails(t, exitUsage, want)
		}
	}
}

package cli

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"jtune/internal/must"
)

func TestFieldsAreBoundByACommand(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	must.NoError(t, err)
	var source strings.Builder
	for _, file := range files {
		text := must.Read(t, file)
		source.Write(text)
	}
	for of, part := range requests().parts {
		if of != "shared" && len(part.fields) > 0 &&
			!strings.Contains(source.String(), fmt.Sprintf("%q, places{", of)) {
			t.Errorf("no command binds the fields of %s", of)
		}
		for _, x := range part.fields {
			if strings.ContainsAny(x.help, "{}") || strings.Count(x.help, "`")%2 != 0 {
				t.Errorf("%s of %s: a name in braces or a quote is left: %s", x.name, of, x.help)
			}
		}
	}
}

func TestFieldsAreReadWithBoundsAndForm(t *testing.T) {
	t.Parallel()
	shared := []tableField{{name: "model", help: "a model"}}
	for line, want := range map[string]tableField{
		"model":                            shared[0],
		"interval=1s 10ms..: time: `TIME`": {name: "interval", value: "1s", help: "time: `TIME`", least: "10ms"},
		"workers 0..64 hidden: loaders":    {name: "workers", help: "loaders", least: "0", most: "64", hidden: true},
		"fault commas “fault”: faults":     {name: "fault", help: "faults", commas: true, mention: "fault"},
		"no-device hidden:":                {name: "no-device", hidden: true},
		"fan auto|max: of fans":            {name: "fan", help: "of fans", choices: []string{"auto", "max"}},
		"mode <presets>: a mode":           {name: "mode", help: "a mode", names: "presets"},
	} {
		if got := readField(line, shared); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", line, got, want)
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
		if p.short != "" && !known[of] {
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
		if got := readRule(line); got != want {
			t.Errorf("%s: got %+v, want %+v", line, got, want)
		}
	}
}

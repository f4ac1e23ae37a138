package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/text"
)

// referencePage is the page of all commands, which is made from the program.
const referencePage = "docs/reference/commands.md"

// referenceJSON are commands whose JSON the page lists, in an order in which each finds what it needs.
var referenceJSON = []string{
	"device", "device modes --sample 2", "device --list", "doctor", "workloads", "watch --count 1",
	"run lenet5 --minibatches 40", "tune lenet5 --power-limit 20", "choose --model lenet5 --power-limit 20",
	"predict --model lenet5 12c/2.20C/1.30G/3.20M", "front --model lenet5", "soak lenet5 --for 2m", "verify",
	"campaigns list", "campaigns summary", "models list", "apply MAXN --yes", "config show", "version",
	"explain --model lenet5", "config keys", "config path", "config check",
	"workloads add mine --config CONFIG -- true", "report --out DIR/page.html",
	"device wake 48:b0:2d:00:11:22 --to 127.0.0.1:9",
	"campaigns show SEARCH", "campaigns rename NEWEST one", "campaigns delete one", "campaigns restore one",
	"campaigns delete one", "campaigns purge one", "models fit --samples DIR/data/campaigns/SEARCH --out DIR/m.model",
	"models keep DIR/m.model", "models show m", "models rename m other",
	"models delete other", "models restore other", "models delete other", "models purge other",
}

func TestReferenceIsMadeFromTheProgram(t *testing.T) {
	t.Parallel()
	computes(t)
	var b strings.Builder
	root := (&app{out: &bytes.Buffer{}, err: &bytes.Buffer{}}).root()
	b.WriteString("# Commands\n\nEvery command with its options and the keys of its JSON, made from the program by " +
		"`go test ./tui/cli -run\nReferenceIsMade -update`. What scripts may rely on besides: [reference](README.md).\n")
	keys := referenceKeys(t)
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n", g.Title)
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && !c.Hidden && c.Name() != "completion" {
				commandReference(&b, c, keys)
			}
		}
	}
	b.WriteString("\n## Flags of every command\n")
	optionTable(&b, root.PersistentFlags())
	path := filepath.Join(checkout, referencePage)
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil || string(page) != b.String() {
		t.Errorf("%s is not what the program says (%v): renew it with -update", referencePage, err)
	}
}

// commandReference writes a command and those below it.
func commandReference(b *strings.Builder, c *cobra.Command, keys map[string][]string) {
	if c.Runnable() && !isGroup(c) {
		fmt.Fprintf(b, "\n### %s\n\n", strings.TrimSuffix(c.UseLine(), " [flags]"))
		about := c.Long
		if about == "" {
			about = c.Short + "."
		}
		b.WriteString(text.Fold(strings.Join(strings.Fields(flagged(about)), " "), "", 118) + "\n")
		if c.Example != "" {
			fmt.Fprintf(b, "\n%s\n", strings.ReplaceAll("  "+c.Example, "\n", "\n  "))
		}
		optionTable(b, c.LocalNonPersistentFlags())
		if k := keys[strings.TrimPrefix(c.CommandPath(), "jtune ")]; len(k) > 0 {
			fmt.Fprintf(b, "\n| JSON | |\n|---|---|\n| keys | `%s` |\n", strings.Join(k, "`, `"))
		}
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			commandReference(b, sub, keys)
		}
	}
}

func optionTable(b *strings.Builder, flags *pflag.FlagSet) {
	head := "\n| option | does |\n|---|---|\n"
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		option := "--" + f.Name
		if name != "" {
			option += " " + name
		}
		fmt.Fprintf(b, "%s| `%s` | %s |\n", head, option, strings.ReplaceAll(strings.Join(strings.Fields(usage), " "),
			"|", `\|`))
		head = ""
	})
}

// referenceKeys are the keys of the JSON of commands, by their names, in the order in which they are printed.
func referenceKeys(t *testing.T) map[string][]string {
	t.Helper()
	keys, home := map[string][]string{}, t.TempDir()
	config := filepath.Join(home, "config.toml")
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range referenceJSON {
		search, newest := "", ""
		list, _ := os.ReadDir(filepath.Join(home, "data", "campaigns"))
		for _, c := range list {
			if newest = c.Name(); strings.HasSuffix(newest, "-tune") {
				search = newest
			}
		}
		line = strings.NewReplacer("CONFIG", config, "DIR", home, "SEARCH", search, "NEWEST", newest).Replace(line)
		words := strings.Fields(line)
		on, _, err := findCommand(words)
		if err != nil || on.Flag("json") == nil {
			t.Errorf("jtune %s has no --json: %v", line, err)
			continue
		}
		o := jtune(t, append([]string{"--device", "virtual:agx-orin", "--speed", "max", "--data-dir",
			filepath.Join(home, "data"), "--log-file", filepath.Join(home, "log")}, asJSONWords(words)...)...)
		if o.out == "" || o.code != exitOK && o.code != exitFailed {
			t.Errorf("jtune %s --json: exit code %d: %s", line, o.code, o.err)
			continue
		}
		keys[strings.TrimPrefix(on.CommandPath(), "jtune ")] = firstKeys(t, o.out)
	}
	return keys
}

// asJSONWords adds --json to a command line, before a command of the user's own.
func asJSONWords(words []string) []string {
	at := slices.Index(words, "--")
	if at < 0 {
		at = len(words)
	}
	return slices.Insert(slices.Clone(words), at, "--json")
}

// firstKeys are the keys of the first object of a JSON document.
func firstKeys(t *testing.T, document string) (keys []string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(document))
	tok, err := d.Token()
	for err == nil && tok != json.Delim('{') {
		tok, err = d.Token()
	}
	for err == nil && d.More() {
		if tok, err = d.Token(); err == nil {
			var value json.RawMessage
			keys = append(keys, fmt.Sprint(tok))
			err = d.Decode(&value)
		}
	}
	if err != nil {
		t.Errorf("%v in %.200s", err, document)
	}
	return keys
}

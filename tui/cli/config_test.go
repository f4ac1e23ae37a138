package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tomlfile"
	"jtune/tui/session/config"
)

func TestConfigCheckListsEveryFaultByLine(t *testing.T) {
	t.Parallel()
	file := write(t, `[torch]
dta = "/x"
net = "lenet5"
[workload.mine]
comand = ["x"]
batch = 0
workers = 9999
[workload.resnet18]
samples = 7
container = { imag = "x" }
[keys]
aply = ["a"]
verify = 3
[theme]
gpx = 22
name = "drak"
[tourch]
x = 1
`)
	o := jtune(t, "config", "check", file)
	o.fails(t, exitFailed, file, "13 faults")
	lines := strings.Split(strings.TrimSuffix(o.out, "\n"), "\n")
	want := []string{
		"line 2: unknown key torch.dta; the nearest is data",
		"line 3: net and set belong together", "line 3: torch.net has no effect",
		"line 4: workload mine: has no command",
		"line 5: unknown key workload.mine.comand; the nearest is command",
		"line 6: workload mine: batch 0 is outside 1",
		"line 7: workload mine: workers 9999",
		"line 10: unknown key workload.resnet18.container.imag; the nearest is image",
		"line 12: [keys] aply: no such action; the nearest is apply",
		"line 13: [keys] verify: want a key",
		"line 15: [theme] gpx: no such colour; the nearest is gpu",
		"line 16: [theme] name: \"drak\"",
		"line 17: unknown key tourch; the nearest is [torch]",
	}
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), o.out)
	}
	for i, w := range want {
		if !strings.HasPrefix(lines[i], file+": "+w) {
			t.Errorf("got %q, want %q", lines[i], w)
		}
	}
}

func TestConfigCheckOfBadInput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"no TOML":                {"[keys", "line 1"},
		"another type":           {"[workload.a]\ncommand = ['x']\nsamples = 'many'\n", "line 3"},
		"tables that are none":   {"keys = 3\n", "line 1: keys is not a table"},
		"bytes":                  {"\x00\xff", "line 1"},
		"a bell of another type": {"[notify]\nbell = 'yes'\n", "line 2"},
		"no address":             {"[notify]\nwebhook = 'x'\n", "line 2: [notify] webhook: \"x\" is not an address"},
		"a foreign address":      {"[notify]\n\nwebhook = 'http://8.8.8.8/'\n", "line 3: [notify] webhook: 8.8.8.8"},
		"no program":             {"[notify]\ncommand = []\n", "line 2: [notify] command: names no program"},
		"no such notification":   {"[notify]\nbel = true\n", "line 2: unknown key notify.bel; the nearest is bell"},
		"no effect":              {"[torch]\nnet = 'lenet5'\nset = 'mnist'\n", "line 2: torch.net has no effect"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := jtune(t, "config", "check", write(t, c.text)).ends(t, exitFailed)
			must.Contain(t, o.out, c.want)
		})
	}
	jtune(t, "config", "check", filepath.Join(t.TempDir(), "none")).fails(t, exitFailed, "no such file")
	jtune(t, "config", "check", t.TempDir()).fails(t, exitFailed, "not a regular file")
	jtune(t, "config", "chek").fails(t, exitUsage, "chek")
	must.Contain(t, jtune(t, "config", "check", write(t, "")).done(t).out, "no fault")
}

func TestConfigShowSaysWhereEachValueComesFrom(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	file := write(t, "[torch]\ndata = '/d'\n[workload.resnet18]\nbatch = 32\n[keys]\napply = 'ctrl+o'\n")
	var rows []configRow
	o := jtune(t, "config", "show", "--json", "--config", file, "--seed", "4").done(t)
	must.NoError(t, json.Unmarshal([]byte(o.out), &rows))
	for key, want := range map[string]configRow{
		"--seed":                       {Value: "4", Default: "0", Origin: "flag"},
		"--speed":                      {Value: "1", Default: "1", Origin: "default"},
		"--no-color":                   {Value: "true", Default: "false", Origin: "environment", Variable: "NO_COLOR"},
		"torch.data":                   {Value: "/d", Default: "", Origin: "file", File: file, Line: 2},
		"workload.NAME.batch":          {Value: 16.0, Default: 16.0, Origin: "default"},
		"workload.NAME.silence_s":      {Value: 60.0, Default: 60.0, Origin: "default"},
		"workload.resnet18.batch":      {Value: 32.0, Default: 16.0, Origin: "file", File: file, Line: 4},
		"workload.resnet18.torch.data": {Value: "/d", Default: "", Origin: "file", File: file, Line: 2},
		"theme.name":                   {Value: "auto", Default: "auto", Origin: "default"},
		"theme.good":                   {Origin: "default"},
	} {
		want.Key = key
		if !slices.Contains(rows, want) {
			t.Errorf("no row %+v", want)
		}
	}
	text := jtune(t, "config", "show", "--config", file).done(t).out
	if !regexp.MustCompile(`(?m)^keys\.apply +"ctrl\+o" +\["a"\] +file, line 6$`).MatchString(text) {
		t.Errorf("keys.apply is not in:\n%s", text)
	}
	bad := write(t, "[torch]\ndta = 1\n")
	jtune(t, "config", "show", "--config", bad).fails(t, exitFailed, "line 2", "config check")
	must.Equal(t, jtune(t, "config", "path", "--config", file).done(t).out, file+"\n")
}

func TestConfigEditReplacesTheFileOnceItHasNoFault(t *testing.T) {
	file := write(t, "[theme]\n")
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", `f() { echo 'good = 22' >> "$1"; }; f`)
	must.Contain(t, jtune(t, "config", "edit", "--config", file).done(t).out, "changed")
	must.Equal(t, string(must.Read(t, file)), "[theme]\ngood = 22\n")
	t.Setenv("EDITOR", "false")
	jtune(t, "config", "edit", "--config", file).fails(t, exitFailed, "editor false")
	t.Setenv("EDITOR", "true")
	must.Contain(t, jtune(t, "config", "edit", "--config", file).done(t).out, "not changed")
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(file), "edited.*")); err != nil || len(left) > 0 {
		t.Errorf("copies are left: %v", left)
	}
	t.Setenv("EDITOR", `f() { echo 'good = 22' >> "$1"; }; f`) // a key given twice
	jtune(t, "config", "edit", "--config", file).fails(t, exitFailed, "not replaced", "what you typed is in")
}

func TestConfigSchemaHasEveryKey(t *testing.T) {
	t.Parallel()
	var schema map[string]any
	must.NoError(t, json.Unmarshal([]byte(jtune(t, "config", "schema").done(t).out), &schema))
	for _, k := range defaultKeys(t) {
		at := schema
		for _, name := range k.Path {
			inner, ok := at["properties"].(map[string]any)[name].(map[string]any)
			if name == "NAME" {
				inner, ok = at["additionalProperties"].(map[string]any)
			}
			if !ok {
				t.Fatalf("%s is not in the schema", k.Path)
			}
			at = inner
		}
		if at["type"] == nil && at["anyOf"] == nil {
			t.Errorf("%s has no type: %v", k.Path, at)
		}
	}
}

func defaultKeys(t *testing.T) []config.ConfigKey {
	t.Helper()
	keys := must.Get(config.ConfigKeys("", screenTables()))(t)
	return keys
}

// The configuration of the reference has every key, and no fault.
func TestDocsShowEveryKeyOfTheConfiguration(t *testing.T) {
	t.Parallel()
	text := docPages(t)[filepath.Join(checkout, "docs/reference/README.md")]
	_, text, _ = strings.Cut(text, "## Configuration")
	_, text, _ = strings.Cut(text, "```toml\n")
	text, _, _ = strings.Cut(text, "```")
	for _, fault := range config.CheckConfig("docs/reference/README.md", text, screenTables()) {
		t.Error(fault)
	}
	var shown map[string]any
	all := strings.ReplaceAll(text, "\n# file", "\nfile") // excludes meter.command
	_, err := tomlfile.Decode("the reference", all, &shown)
	must.NoError(t, err)
	for _, k := range defaultKeys(t) {
		example := k.Path[0] == "keys" || k.Path[0] == "theme" // one action and one colour are enough
		if !example && !shows(shown, k.Path) {
			t.Errorf("the reference does not show %s", k.Path)
		}
	}
}

// shows reports whether a table has a key; a name in capitals stands for any.
func shows(table map[string]any, path []string) bool {
	for name, v := range table {
		if name != path[0] && path[0] != strings.ToUpper(path[0]) {
			continue
		}
		inner, _ := v.(map[string]any)
		if len(path) == 1 || shows(inner, path[1:]) {
			return true
		}
	}
	return false
}

// A fault of the configuration is never silent: a command that needs nothing of the file says it and goes on.
func TestConfigWithAFaultIsNamedByACommandThatDoesNotNeedIt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.toml")
	must.NoError(t, os.WriteFile(file, []byte("this is { not toml\n"), 0o600))
	o := jtune(t, with(virtualBoard, "device", "--config", file)...).done(t)
	must.Contain(t, o.err, file+": line 1: write KEY = VALUE; not needed here")
	o = jtune(t, with(virtualBoard, "run", "resnet18", "--config", file)...)
	must.Lack(t, o.err, "not needed")
}

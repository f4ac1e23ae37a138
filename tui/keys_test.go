package tui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBuiltInKeysAreEachHeardByOneActionWhereTheyMayMeet(t *testing.T) {
	// Pairs that share a key although both belong to one page: only one of
	// them is ever offered.
	known := []string{"redo resume"}
	table := defaultKeys()
	list := table.actions()
	for i, a := range list {
		if len(a.where) == 0 || a.binding.Help().Key == "" || len(a.binding.Keys()) == 0 {
			t.Errorf("%s has no place, name or key", a.name)
		}
		for _, b := range list[:i] {
			where, meet := a.meets(b)
			if k := common(*a.binding, *b.binding); meet && k != "" && !slices.Contains(known, a.name+" "+b.name) {
				t.Errorf("%q is %s and %s (%s)", k, a.name, b.name, where)
			}
		}
	}
}

func TestConfigFileBindsKeys(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no file's table":              {"", ""},
		"one key":                      {"[keys]\napply = \"ctrl+o\"", ""},
		"several":                      {"[keys]\nnext_page = [\"tab\", \">\"]\nfaster = [\"F\"]\nslower = [\"Z\"]", ""},
		"two actions exchanged":        {"[keys]\ntune = [\"f\"]\nfreeze = [\"t\"]", ""},
		"one key on different pages":   {"[keys]\nverify = [\"p\"]", ""},
		"a workload beside it":         {"[workload.x]\ncommand = [\"true\"]\n[keys]\napply = [\"o\"]", ""},
		"an unknown action":            {"[keys]\naply = [\"a\"]", "line 2: [keys] aply: no such action"},
		"an unknown key":               {"[keys]\n\napply = [\"ctrl+alt+del\"]", `line 3: [keys] apply: "ctrl+alt+del" is no key`},
		"a key of another action":      {"[keys]\napply = [\"v\"]", `[keys] apply: key "v" is verify already (front)`},
		"a key heard everywhere":       {"[keys]\nsort = [\"t\"]", `[keys] sort: key "t" is tune already (modes)`},
		"ctrl+c, which quits":          {"[keys]\nsort = [\"ctrl+c\"]", `[keys] sort: key "ctrl+c" is quit already`},
		"a letter where text is typed": {"[keys]\nback = [\"b\"]", `"b" is typed into filters`},
		"a digit":                      {"[keys]\napply = [\"7\"]", "digits open the pages"},
		"the pages":                    {"[keys]\npage = [\"a\"]", "cannot be changed"},
		"a number":                     {"[keys]\napply = 7", "want a key or several"},
		"nothing":                      {"[keys]\napply = []", "want a key or several"},
		"no table":                     {"keys = 3", "config.toml"},
		"no TOML":                      {"[keys", "config.toml: line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadKeys(writeConfig(t, c.text))
			switch {
			case err == nil && c.want != "":
				t.Errorf("got no error, want %q", c.want)
			case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")):
				t.Errorf("got %v, want %q in one line", err, c.want)
			}
		})
	}
	if got, err := ReadKeys(filepath.Join(t.TempDir(), "none.toml")); got != nil || err != nil {
		t.Errorf("without a file: got %v, %v", got, err)
	}
}

// bound puts bindings in force for one test.
func bound(t *testing.T, wish KeyBindings) {
	t.Helper()
	t.Cleanup(func() { keys = defaultKeys() })
	if fault, err := keys.rebind(wish); err != nil {
		t.Fatalf("%s: %v", fault, err)
	}
}

func TestBoundKeysWorkAndShowInLastLineHelpAndText(t *testing.T) {
	bound(t, KeyBindings{"apply": {"ctrl+o"}, "help": {"f", "?"}, "freeze": {"z"}, "lower": {"("}, "higher": {")"}, "tune": {"g"}, "group": {"G"}})
	d := drive(t).withView()
	d.press("1")
	d.sees("g tunes one")
	d.press("5")
	d.sees("ctrl+o apply", "( ) limit")
	d.press("a")
	if d.r.apply.stage != applyIdle {
		t.Error("the old key still applies")
	}
	d.press("ctrl+o")
	if d.r.apply.stage != applyAsking {
		t.Fatal("the new key does not apply")
	}
	d.sees("ctrl+o apply it")
	d.press("esc", "f")
	if !d.r.help {
		t.Fatal("the new key does not open the help")
	}
	d.size(80, 50)
	d.sees("ctrl+o", "G ", "light up the modes")
	d.press("esc", "g")
	before := d.r.tune.powerW
	d.press("down", "(")
	if d.r.tune == nil || d.r.tune.powerW != before-1 {
		t.Error("the limit's step does not follow its key")
	}
}

func TestListOfKeysHasTheUsersOwn(t *testing.T) {
	for _, l := range KeyLines(KeyBindings{"apply": {"o"}}) {
		if l.Action == "apply" && !slices.Equal(l.Keys, []string{"o"}) || l.Does == "" || len(l.Where) == 0 {
			t.Errorf("%+v", l)
		}
	}
}

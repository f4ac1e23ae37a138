package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestReadKeysNamesFileAndLine(t *testing.T) {
	refuse := func(wish map[string][]string) (string, error) {
		for name := range wish {
			if name == "aply" {
				return name, errors.New("no such action")
			}
		}
		return "", nil
	}
	for name, c := range map[string]struct{ text, want string }{
		"no table of keys":         {"", ""},
		"one key":                  {"[keys]\napply = \"ctrl+o\"", ""},
		"several":                  {"[keys]\nnext_page = [\"tab\", \">\"]\nfaster = [\"F\"]", ""},
		"a workload beside it":     {"[workload.x]\ncommand = [\"true\"]\n[keys]\napply = [\"o\"]", ""},
		"what the key table lacks": {"[keys]\n\naply = [\"a\"]", "config.toml: line 3: [keys] aply: no such action"},
		"a number":                 {"[keys]\napply = 7", "line 2: [keys] apply: want a key or several"},
		"nothing":                  {"[keys]\napply = []", "want a key or several"},
		"no table":                 {"keys = 3", "config.toml: line 1: keys is not a table"},
		"no TOML":                  {"[keys", "config.toml: line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.toml")
			must.NoError(t, os.WriteFile(path, []byte(c.text), 0o644))
			_, err := ReadKeys(path, refuse)
			switch {
			case err == nil && c.want != "":
				t.Errorf("got no error, want %q", c.want)
			case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "\n")):
				t.Errorf("got %v, want %q in one line", err, c.want)
			}
		})
	}
	must.Equal(t, must.Get(ReadKeys(filepath.Join(t.TempDir(), "none.toml"), refuse))(t), nil)
}

func TestReadThemeNamesFileAndLine(t *testing.T) {
	refuse := func(wish map[string]string) (string, error) {
		if wish["good"] == "256" {
			return "good", errors.New("no such colour")
		}
		return "", nil
	}
	for name, c := range map[string]struct{ text, want string }{
		"no table of colours":    {"", ""},
		"a palette and a colour": {"[theme]\nname = \"light\"\ngood = 22", ""},
		"keys beside it":         {"[keys]\napply = \"o\"\n[theme]\nname = \"dark\"", ""},
		"what the theme refuses": {"[theme]\n\ngood = 256", "config.toml: line 3: [theme] good: no such colour"},
		"a list":                 {"[theme]\ngood = [1]", "line 2: [theme] good: want a text or a number"},
		"no table":               {"theme = 3", "config.toml: line 1: theme is not a table"},
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		must.NoError(t, os.WriteFile(path, []byte(c.text), 0o644))
		err := ReadTheme(path, refuse)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"jtune/internal/must"
	"jtune/internal/tomlfile"
	"jtune/internal/tools/reliability"
	"jtune/profiles/workload"
)

// FuzzKeys reads the tables [keys] and [theme] of a configuration.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("[keys]\napply = [\"a\", \"ctrl+o\"]\n[theme]\nname = \"light\"\ngood = 22\n"))
	f.Add([]byte("keys = 3\n"))
	f.Add([]byte("keys.apply = [[\"a\"]]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		defer reliability.Input(t)()
		text := string(data)
		keys, err := keysOf(text)
		for name, list := range keys {
			if err == nil && len(list) == 0 {
				t.Errorf("%s has no key", name)
			}
		}
		if err == nil && len(keys) > 0 {
			written := must.Get(toml.Marshal(map[string]map[string][]string{"keys": keys}))(t)
			again := must.Get(keysOf(string(written)))(t)
			must.Equal(t, keys, again)
		}
		_, _ = readTable("config.toml", text, "theme", colour,
			func(map[string]string) (string, error) { return "", nil })
	})
}

// FuzzSaveWorkload adds a job to a configuration file: the rest of the file stays what it is.
func FuzzSaveWorkload(f *testing.F) {
	f.Add("# mine\n[workload.a]\ncommand = ['x']\n[workload.a.env]\nA = 'b'\n[keys]\napply = 'a'\n", "a")
	f.Add("workload.a.command = ['x']\n[torch]\ndata = '/d'", "b")
	f.Add("[workload]\na = { command = ['x'] }\n", "a")
	f.Add("[ workload . a ] # x\ncommand = [\n'x',\n# [keys]\n'''\n[keys]\n''',\n]\n[[x]]\n", "a")
	f.Add("", " p") // no name
	base := must.Get(workload.Load(""))(f)
	dir := f.TempDir()
	file := filepath.Join(dir, "config.toml")
	f.Fuzz(func(t *testing.T, text, name string) {
		defer reliability.Input(t)()
		if slices.ContainsFunc(base, func(w workload.Workload) bool { return w.Name == name }) {
			return
		}
		must.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		was, err := workload.Load(file)
		if err != nil {
			return
		}
		table := "[workload." + tomlfile.Key(name) + "]\ncommand = [\"run me\"]\n"
		if _, err := (Paths{Config: file}).SaveWorkload(name, table); err != nil {
			now, _ := os.ReadFile(file)
			must.Equal(t, string(now), text, err)
			return
		}
		now, _ := os.ReadFile(file)
		is, err := workload.Load(file)
		if err != nil {
			t.Fatalf("%v:\n%s", err, now)
		}
		saved, err := workload.Find(is, name)
		if err != nil || !slices.Equal(saved.Command, []string{"run me"}) || len(saved.Env) > 0 {
			t.Errorf("%+v, %v in\n%s", saved, err, now)
		}
		others := func(list []workload.Workload) []workload.Workload {
			return slices.DeleteFunc(slices.Clone(list), func(w workload.Workload) bool { return w.Name == name })
		}
		if was, is := others(was), others(is); !reflect.DeepEqual(was, is) {
			must.Equal(t, cmp.Diff(was, is, cmpopts.EquateEmpty()), "", now)
		}
		wasKeys, _ := keysOf(text)
		isKeys, _ := keysOf(string(now))
		must.Equal(t, wasKeys, isKeys, now)
	})
}

// keysOf is ReadKeys for a text.
func keysOf(text string) (map[string][]string, error) {
	keys, faults := readTable("config.toml", text, "keys", keyList, anyKeys)
	return keys, first(faults)
}

func anyKeys(map[string][]string) (string, error) { return "", nil }

package config

import (
	"os"
	"path/filepath"
	"testing"

	"jtune/internal/tools/reliability"
)

// FuzzKeys reads the tables [keys] and [theme] of a configuration.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("[keys]\napply = [\"a\", \"ctrl+o\"]\n[theme]\nname = \"light\"\ngood = 22\n"))
	f.Add([]byte("keys = 3\n"))
	f.Add([]byte("keys.apply = [[\"a\"]]\n"))
	file := filepath.Join(f.TempDir(), "config.toml")
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		keys, err := ReadKeys(file, func(map[string][]string) (string, error) { return "", nil })
		for name, list := range keys {
			if err == nil && len(list) == 0 {
				t.Errorf("%s has no key", name)
			}
		}
		_ = ReadTheme(file, func(map[string]string) (string, error) { return "", nil })
	})
}

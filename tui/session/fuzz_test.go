package session

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"jtune/internal/tools/reliability"
)

// FuzzOrder reads what other programs send to the control socket, and what they answer.
func FuzzOrder(f *testing.F) {
	for _, what := range []any{controlRequest{Order: "pause", Task: 1}, Reach{Task: 1}, 3, []int{1}} {
		text, err := json.Marshal(what)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(append(text, '\n'))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		var ask controlRequest
		if err := readLine(bytes.NewReader(text), &ask); err == nil && bytes.IndexByte(text, '\n') < 0 {
			t.Errorf("half a line is taken: %q", text)
		}
		_ = readLine(bytes.NewReader(text), new(Reach))
	})
}

func FuzzChoice(f *testing.F) {
	f.Add([]byte(`{"workload":"resnet18","goal":"power","power_w":[20,30],"depth":"quick"}`))
	f.Add([]byte(`{"goal":"time","time_ms":[1e999,-1,0]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		c := parseChoice(text, DefaultChoice(nil))
		for _, l := range c.Limits() {
			if err := l.Check(); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	})
}

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

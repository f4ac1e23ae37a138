package widget

import (
	"testing"

	"jtune/internal/tools/reliability"
)

func FuzzTheme(f *testing.F) {
	for _, seed := range [][2]string{{"name", "light"}, {"good", "#005f00"}, {"good", "22"},
		{"bad", "256"}, {"x", "#"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		defer reliability.Input(t)()
		if _, wrong, err := ParseTheme(map[string]string{key: value}); err != nil && wrong != key {
			t.Errorf("%q = %q: the error is about %q", key, value, wrong)
		}
	})
}

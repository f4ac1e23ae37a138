package tomlfile

import (
	"testing"

	"github.com/BurntSushi/toml"
)

func TestKeyIsOneKey(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"a": "a", "a_b-1": "a_b-1", "a.b": `"a.b"`, "": `""`, "a]\n[b": "", `a"b`: ""} {
		got := Key(name)
		if want != "" && got != want {
			t.Errorf("%q is written as %s, want %s", name, got, want)
		}
		var v map[string]int
		if _, err := toml.Decode(got+" = 1", &v); err != nil || len(v) != 1 || v[name] != 1 {
			t.Errorf("%q: %v, %v", name, v, err)
		}
	}
}

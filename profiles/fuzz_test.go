package profiles

import (
	"testing"

	"jtune/internal/tools/reliability"
)

func FuzzUptime(f *testing.F) {
	for _, seed := range []string{"12.5 3.4\n", "", "NaN", "1e300", "-1", "9223372036 0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		if up := parseUptime(text); up.OK && up.V < 0 {
			t.Errorf("%q: %v", text, up.V)
		}
	})
}

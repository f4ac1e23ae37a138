package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"jtune/internal/tools/reliability"
)

func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"AGX Orin", "\x1b]52;c;ZXZpbA==\a", "X\u009b2J", "a\u202eb", "\xff\xc2", "a\nb\tc"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		defer reliability.Input(t)()
		for _, got := range []string{Plain(s), OneLine(s)} {
			if strings.ContainsFunc(got, control) || !utf8.ValidString(got) {
				t.Errorf("%q became %q", s, got)
			}
		}
		if strings.ContainsAny(OneLine(s), "\n\t") {
			t.Errorf("%q is no line", OneLine(s))
		}
	})
}

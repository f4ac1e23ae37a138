package campaigns

import (
	"strings"
	"testing"
)

// Lists, command lines and terminals show names: what they cannot show is no name.
func TestNewNameTakesWhatListsCanShow(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mine", "ResNet-18, 30 W", "modèle", "模型", "20260105-101500-lstm-tune", "a.b",
		strings.Repeat("x", mostName)} {
		if err := NewName("campaign", name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", " ", " a", "a ", "a\nb", "a\tb", "\x01", "\xff\xfe", "a\x1b[31m", "\u202eabc",
		"a\u0085", "a/b", "-x", "--json", `a\b`, ".a", "..", "a\x00", strings.Repeat("x", mostName+1)} {
		if err := NewName("campaign", name); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
}

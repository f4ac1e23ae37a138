package tomlfile

import (
	"fmt"
	"strings"
)

// Quote is a text as a value of TOML: literal where that is possible, so that an expression stays as it is typed.
func Quote(s string) string {
	plain := func(r rune) bool { return r == '\'' || r < ' ' || r == 0x7f }
	if !strings.ContainsFunc(s, plain) && strings.ContainsAny(s, `\"`) {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

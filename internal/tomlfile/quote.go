package tomlfile

import (
	"fmt"
	"strings"
)

// Key formats a name as a TOML key: without quotes if possible. A bare name with a dot would be a table in a table.
func Key(name string) string {
	bare := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
	}
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !bare(r) }) {
		return name
	}
	return Quote(name)
}

// Quote formats a text as a TOML value: a literal string if possible, so that expressions look as typed.
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

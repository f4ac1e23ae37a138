package cli

import (
	"jtune/internal/usage"
)

// flagged returns a message with flags in place of field names.
func flagged(text string) string {
	return usage.Named(text, func(f usage.Field, value bool) string {
		name := requests().names[f]
		if value && name.value != "" {
			return name.flag + " " + name.value
		}
		return name.flag
	})
}

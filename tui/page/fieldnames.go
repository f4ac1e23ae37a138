package page

import (
	"strings"

	"jtune/internal/usage"
)

// fieldNames are the labels of fields that screens call otherwise than texts from below, which mention them.
var fieldNames = map[usage.Field]string{
	usage.Batch: "batch",
	usage.Modes: "how many",
}

// Words is a text whose fields have the names that the screens give them: in quotation marks where a sentence mentions
// one, plain where the text begins with the one that it is about.
func Words(text string) string {
	text = usage.Named(text, func(f usage.Field, _ bool) string {
		if label, other := fieldNames[f]; other {
			f = usage.Field(label)
		}
		return f.String()
	})
	if field, why, found := strings.Cut(text, "”: "); found && strings.LastIndex(field, "“") == 0 {
		return strings.TrimPrefix(field, "“") + ": " + why
	}
	return text
}

package page

import (
	"strings"

	"jtune/internal/usage"
)

// fieldNames are the labels of fields that the screens name differently from messages of other packages.
var fieldNames = map[usage.Field]string{
	usage.Batch: "batch",
	usage.Modes: "how many",
}

// Wrong returns why an answer is not valid, in the screens' names; "" without an error.
func Wrong(err error) string {
	if err == nil {
		return ""
	}
	return Words(err.Error())
}

// Words returns a message with the screens' names for its fields: in quotation marks where a sentence mentions a field,
// plain where the message begins with the field that it is about.
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

package text

import "encoding/json"

// Optional is a text that may be missing: "" prints as JSON null.
type Optional string

// MarshalJSON prints the text, or null when there is none.
func (s Optional) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(s))
}

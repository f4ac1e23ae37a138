package text

import "encoding/json"

// Optional is a text that may be absent: "" is null in JSON.
type Optional string

// MarshalJSON encodes the text, or null if it is absent.
func (s Optional) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(s))
}

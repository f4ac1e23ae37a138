package control

import (
	"bytes"
	"encoding/json"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
)

// FuzzOrder reads what other programs send to the control socket, and what they answer.
func FuzzOrder(f *testing.F) {
	for _, what := range []any{controlRequest{Order: "pause", Task: 1}, Reach{Task: 1}, 3, []int{1}} {
		text := must.Get(json.Marshal(what))(f)
		f.Add(append(text, '\n'))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		var ask controlRequest
		if err := readLine(bytes.NewReader(text), &ask); err == nil && bytes.IndexByte(text, '\n') < 0 {
			t.Errorf("half a line is taken: %q", text)
		}
		_ = readLine(bytes.NewReader(text), new(Reach))
	})
}

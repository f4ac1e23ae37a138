package search

import (
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
)

func FuzzForm(f *testing.F) {
	f.Add([]byte(`{"workload":"resnet18","goal":"power","limits":{"power":"20 W, 30 W"},"depth":"quick"}`))
	f.Add([]byte(`{"goal":"time","limits":{"time":"1e999 ms, -1, 0"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		c := parseForm(text, DefaultForm(nil))
		must.NoError(t, c.First().Limit.Check())
	})
}

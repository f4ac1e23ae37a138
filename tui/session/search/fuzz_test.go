package search

import (
	"testing"

	"jtune/internal/tools/reliability"
)

func FuzzForm(f *testing.F) {
	f.Add([]byte(`{"workload":"resnet18","goal":"power","power_w":[20,30],"depth":"quick"}`))
	f.Add([]byte(`{"goal":"time","time_ms":[1e999,-1,0]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		c := parseForm(text, DefaultForm(nil))
		for _, l := range c.Limits() {
			if err := l.Check(); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	})
}

package cli

import (
	"math"
	"testing"

	"jtune/internal/tools/reliability"
)

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"17:50:1", "2/3", "1:1:0", "0/0", "1e999:2:3", "-1/2", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		if from, to, step, err := parseBudgets(text); err == nil && text != "" &&
			!(from > 0 && to >= from && step > 0) {
			t.Errorf("budgets %q: %g %g %g", text, from, to, step)
		} else if math.IsNaN(from) || math.IsInf(to, 0) {
			t.Errorf("budgets %q: %g %g %g", text, from, to, step)
		}
		if s, err := parseShard(text); err == nil && text != "" && (s[0] < 1 || s[0] > s[1]) {
			t.Errorf("shard %q: %v", text, s)
		}
	})
}

package optimize

import (
	"reflect"
	"testing"

	"jtune/internal/tools/reliability"
)

func FuzzRotation(f *testing.F) {
	for _, seed := range []string{"", "widest", "one-by-one:cpu,gpu", "cores,cpu,gpu,mem,batch", "cpu,cpu",
		"widest:x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		r, err := ParseRotation(text)
		if err != nil {
			return
		}
		if again, err := ParseRotation(r.String()); err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%q is written as %q: %v", text, r.String(), err)
		}
	})
}

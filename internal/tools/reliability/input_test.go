package reliability

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// said collects the failures of a test.
type said struct{ text string }

func (s *said) Errorf(format string, words ...any) { s.text += fmt.Sprintf(format, words...) + "\n" }

var kept []byte // forces the allocation

func TestInputFindsWhatTakesTooMuch(t *testing.T) { // not parallel: it measures the process
	for name, c := range map[string]struct {
		work func()
		want string
	}{
		"nothing": {func() {}, ""},
		"garbage": {func() {
			for range 300 {
				kept = make([]byte, 1<<20)
			}
		}, "MB, at most 200"},
		"time": {func() {
			for begun, _ := taken(); ; {
				if now, _ := taken(); now > begun+mostCPU+100*time.Millisecond {
					return
				}
			}
		}, "s of CPU time, at most 1s"},
	} {
		var s said
		end := Input(&s)
		c.work()
		end()
		if (s.text == "") != (c.want == "") || !strings.Contains(s.text, c.want) {
			t.Errorf("%s: %q, want %q", name, s.text, c.want)
		}
	}
}

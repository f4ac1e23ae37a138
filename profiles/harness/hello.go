package harness

import (
	"bytes"
	"io"
	"os"
)

// mostHello is how much of the start of a log is searched for the job's hello.
const mostHello = 64 << 10

// helloOf reads the hello at the start of a log.
func helloOf(path string) (Event, bool) {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return Event{}, false
	}
	f, err := os.Open(path)
	if err != nil {
		return Event{}, false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, mostHello))
	for line := range bytes.Lines(head) {
		var p parser
		if e, err := p.parse(line); err == nil && e.Kind == Hello {
			return e, true
		}
	}
	return Event{}, false
}

package harness

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"jtune/internal/safefile"
	"jtune/internal/text"
)

const (
	maxLog    = 16 << 20 // bytes that one run of a job may add to the log
	lastLines = 10       // lines of stderr kept for an error message
)

// jobLog keeps the job's output other than events, up to maxLog, and the last lines of stderr. A log that cannot be
// written (disk full) never stops the job.
type jobLog struct {
	mu      sync.Mutex
	to      io.WriteCloser // nil: none
	written int
	last    []string // of stderr
}

// openLog opens the file for appending; "" keeps no log.
func openLog(path string) (*jobLog, error) {
	if path == "" {
		return &jobLog{}, nil
	}
	f, err := safefile.Open(path, os.O_APPEND|os.O_WRONLY)
	if err != nil {
		return nil, fmt.Errorf("log of the harness: %w", err)
	}
	return &jobLog{to: f}, nil
}

func (l *jobLog) stderr(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(line) > 0 {
		l.last = append(l.last, text.OneLine(string(line)))
		if len(l.last) > lastLines {
			l.last = slices.Delete(l.last, 0, 1)
		}
	}
	l.write("", line)
}

// note adds a line from jtune.
func (l *jobLog) note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write("jtune: ", fmt.Appendf(nil, format, args...))
}

// write needs l.mu.
func (l *jobLog) write(prefix string, text []byte) {
	if l.to == nil || l.written > maxLog {
		return
	}
	record := slices.Concat([]byte(prefix), text, []byte("\n"))
	l.written += len(record)
	if l.written > maxLog {
		record = []byte("jtune: the job prints too much; the rest of this run is not kept\n")
	}
	l.to.Write(record)
}

func (l *jobLog) tail() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.last)
}

func (l *jobLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to != nil {
		l.to.Close()
		l.to = nil
	}
}

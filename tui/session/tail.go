package session

import (
	"bytes"
	"io"
	"os"
	"strings"
)

// maxLogRead is how many bytes are taken at a time.
const maxLogRead = 1 << 18

// Tail reads what a file has grown by.
type Tail struct {
	Path string
	at   int64
	rest []byte // a line whose end has not come
	More bool   // it has grown by more than was read
}

// Next returns the new lines. A file that is not there has none.
func (t *Tail) Next() []string {
	t.More = false
	f, err := os.Open(t.Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, t.at, maxLogRead))
	t.More = len(text) == maxLogRead
	if err != nil || len(text) == 0 {
		return nil
	}
	t.at += int64(len(text))
	text = append(t.rest, text...)
	end := bytes.LastIndexByte(text, '\n') + 1
	if t.rest = bytes.Clone(text[end:]); len(t.rest) > maxLogRead {
		t.rest = nil
	}
	var out []string
	for line := range strings.Lines(string(text[:end])) {
		out = append(out, strings.TrimRight(line, "\r\n"))
	}
	return out
}

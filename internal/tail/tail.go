// Package tail reads the new lines of a file that another program writes.
package tail

import (
	"bytes"
	"io"
	"os"
	"strings"
)

// mostRead is how many bytes are taken at a time.
const mostRead = 1 << 18

// File reads what a file has grown by.
type File struct {
	Path string
	at   int64
	rest []byte // a line whose end has not come
	More bool   // it has grown by more than was read
}

// Next returns the new lines. A file that is not there has none.
func (t *File) Next() []string {
	t.More = false
	f, err := os.Open(t.Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, t.at, mostRead))
	t.More = len(text) == mostRead
	if err != nil || len(text) == 0 {
		return nil
	}
	t.at += int64(len(text))
	text = append(t.rest, text...)
	end := bytes.LastIndexByte(text, '\n') + 1
	if t.rest = bytes.Clone(text[end:]); len(t.rest) > mostRead {
		t.rest = nil
	}
	var out []string
	for line := range strings.Lines(string(text[:end])) {
		out = append(out, strings.TrimRight(line, "\r\n"))
	}
	return out
}

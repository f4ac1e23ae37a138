// Package tail reads the new lines of a file that another program writes.
package tail

import (
	"bytes"
	"io"
	"os"
	"strings"
)

// mostRead is the number of bytes read at a time.
const mostRead = 1 << 18

// File reads what was appended to a file since the last read.
type File struct {
	Path string
	at   int64
	rest []byte // an incomplete line
	More bool   // more was appended than was read
}

// Next returns the new lines; none if the file does not exist.
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

package train

import (
	"bytes"
	"io"
	"os"
	"strings"
)

// mostRead is the number of bytes read at a time.
const mostRead = 1 << 18

// tail reads what was appended to a file, which another program writes, since the last read.
type tail struct {
	path string
	at   int64
	rest []byte // an incomplete line
	more bool   // more was appended than was read
}

// next returns the new lines; none if the file does not exist.
func (t *tail) next() []string {
	t.more = false
	f, err := os.Open(t.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, t.at, mostRead))
	t.more = len(text) == mostRead
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

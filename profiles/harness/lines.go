package harness

import (
	"bufio"
	"errors"
	"io"
)

// maxLine is how much of a line is kept; the rest of it is read and dropped.
const maxLine = 64 << 10

// eachLine calls f with every line of r, without its newline and cut to
// maxLine. The slice is valid during the call. It returns when r ends.
func eachLine(r io.Reader, f func(text []byte)) {
	b := bufio.NewReaderSize(r, maxLine)
	for {
		text, err := b.ReadSlice('\n')
		cut := errors.Is(err, bufio.ErrBufferFull)
		if n := len(text); n > 0 && text[n-1] == '\n' {
			text = text[:n-1]
		}
		if len(text) > 0 || err == nil {
			f(text)
		}
		for cut {
			_, err = b.ReadSlice('\n')
			cut = errors.Is(err, bufio.ErrBufferFull)
		}
		if err != nil {
			return
		}
	}
}

package harness

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine is how much of a line is kept; the rest of it is read and dropped.
const maxLine = 64 << 10

// maxBar is the longest progress bar that is read before it is ended.
const maxBar = 4 << 10

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

// eachDraw calls f with every piece of r that ends in a newline or a carriage
// return, and with what stands unfinished whenever r has no more for now:
// progress bars begin with the return, so that one that is drawn ends with the
// next one only. Longer pieces than maxLine are cut off their head.
func eachDraw(r io.Reader, f func(text []byte, whole bool)) {
	var held []byte
	chunk := make([]byte, maxLine)
	for {
		n, err := r.Read(chunk)
		held = append(held, chunk[:n]...)
		for {
			i := bytes.IndexAny(held, "\r\n")
			if i < 0 {
				break
			}
			f(held[:i], true)
			held = held[i+1:]
		}
		held = bytes.Clone(held[max(0, len(held)-maxLine):])
		if len(held) > 0 && (err != nil || len(held) <= maxBar) {
			f(held, err != nil)
		}
		if err != nil {
			return
		}
	}
}

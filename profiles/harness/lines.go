package harness

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine is how much of a line is kept; the rest of it is read and dropped.
const maxLine = 64 << 10

// maxBar is the longest unfinished progress bar that is read.
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

// eachDraw calls f with every piece of r that ends in a newline or a carriage return, and with
// the unfinished rest whenever r has no more for now: progress bars start with the return, so
// one that is drawn ends only with the next one. Pieces longer than maxLine lose their
// beginning.
func eachDraw(r io.Reader, f func(text []byte, whole bool)) {
	eachPiece(r, func(text []byte) { f(text, true) }, f)
}

// eachFinished is eachDraw without pieces that have no end: a number in them may be cut.
func eachFinished(r io.Reader, f func(text []byte, whole bool)) {
	eachPiece(r, func(text []byte) { f(text, true) }, func([]byte, bool) {})
}

// eachPiece calls f with every piece that ends, and rest with what has no end yet, or, over, never gets one.
func eachPiece(r io.Reader, f func(text []byte), rest func(text []byte, over bool)) {
	var held []byte
	chunk := make([]byte, queueLen) // an event takes two bytes at least, see Queue.handOver
	for {
		n, err := r.Read(chunk)
		held = append(held, chunk[:n]...)
		for {
			i := bytes.IndexAny(held, "\r\n")
			if i < 0 {
				break
			}
			f(held[:i])
			held = held[i+1:]
		}
		held = bytes.Clone(held[max(0, len(held)-maxLine):])
		if len(held) > 0 && (err != nil || len(held) <= maxBar) {
			rest(held, err != nil)
		}
		if err != nil {
			return
		}
	}
}

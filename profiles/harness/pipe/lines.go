package pipe

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Longest is the number of bytes of a line that are kept; the rest is dropped.
const Longest = 64 << 10

// Chunk is the number of bytes that EachDraw reads at a time.
const Chunk = 4096

// maxBar is the maximum length of an unfinished progress bar.
const maxBar = 4 << 10

// Each calls f for every line of r, without its newline and cut to Longest. The slice is valid only during the call.
// Each returns at the end of r.
func Each(r io.Reader, f func(text []byte)) {
	b := bufio.NewReaderSize(r, Longest)
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

// EachDraw calls f for every piece of r that ends with a newline, carriage return, backspace or a cursor moved to the
// first column, and for the unfinished rest whenever r has no more data for now: many progress bars start with the
// carriage return, so the end of a drawn bar is seen only with the next one. Pieces longer than Longest lose their
// beginning.
func EachDraw(r io.Reader, f func(text []byte, whole bool)) {
	eachPiece(r, func(text []byte) { f(text, true) }, f)
}

// EachFinished is EachDraw without unfinished pieces, in which a number may be cut.
func EachFinished(r io.Reader, f func(text []byte, whole bool)) {
	eachPiece(r, func(text []byte) { f(text, true) }, func([]byte, bool) {})
}

// end returns where the first piece ends, and where the next begins; -1 without an end. Programs redraw a bar after a
// carriage return, after backspaces, or after the cursor's column is set.
func end(text []byte) (from, to int) {
	if from = bytes.IndexAny(text, "\r\n\b"); from >= 0 {
		text = text[:from]
	}
	to = from + 1
	for _, column := range []string{"\x1b[G", "\x1b[0G", "\x1b[1G"} {
		if i := bytes.Index(text, []byte(column)); i >= 0 {
			text, from, to = text[:i], i, i+len(column)
		}
	}
	return from, to
}

// eachPiece calls f for every finished piece, and rest for an unfinished one; over means that it will never be
// finished.
func eachPiece(r io.Reader, f func(text []byte), rest func(text []byte, over bool)) {
	var held []byte
	chunk := make([]byte, Chunk)
	for {
		n, err := r.Read(chunk)
		held = append(held, chunk[:n]...)
		for {
			from, to := end(held)
			if from < 0 {
				break
			}
			f(held[:from])
			held = held[to:]
		}
		held = bytes.Clone(held[max(0, len(held)-Longest):])
		if len(held) > 0 && (err != nil || len(held) <= maxBar) {
			rest(held, err != nil)
		}
		if err != nil {
			return
		}
	}
}

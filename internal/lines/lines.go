// Package lines splits what a program prints into lines, and into the steps of a progress bar, with bounded memory.
//
//	io.Reader ──► Each (whole lines), EachDraw (what a terminal would show), EachFinished ──► one call for each
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Longest is how much of a line is kept; the rest of it is read and dropped.
const Longest = 64 << 10

// Chunk is how many bytes the pieces of a bar are read in at a time.
const Chunk = 4096

// maxBar is the longest unfinished progress bar that is read.
const maxBar = 4 << 10

// Each calls f with every line of r, without its newline and cut to
// Longest. The slice is valid during the call. It returns when r ends.
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

// EachDraw calls f with every piece of r that ends in a newline, a carriage return or a backspace, and with
// the unfinished rest whenever r has no more for now: progress bars start with the return, so
// one that is drawn ends only with the next one. Pieces longer than Longest lose their
// beginning.
func EachDraw(r io.Reader, f func(text []byte, whole bool)) {
	eachPiece(r, func(text []byte) { f(text, true) }, f)
}

// EachFinished is EachDraw without pieces that have no end: a number in them may be cut.
func EachFinished(r io.Reader, f func(text []byte, whole bool)) {
	eachPiece(r, func(text []byte) { f(text, true) }, func([]byte, bool) {})
}

// ends are what ends a piece: programs that draw a bar over itself go back by a return, or by as many backspaces.
const ends = "\r\n\b"

// eachPiece calls f with every piece that ends, and rest with what has no end yet, or, over, never gets one.
func eachPiece(r io.Reader, f func(text []byte), rest func(text []byte, over bool)) {
	var held []byte
	chunk := make([]byte, Chunk)
	for {
		n, err := r.Read(chunk)
		held = append(held, chunk[:n]...)
		for {
			i := bytes.IndexAny(held, ends)
			if i < 0 {
				break
			}
			f(held[:i])
			held = held[i+1:]
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

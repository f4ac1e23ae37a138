package cli

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"jtune/internal/text"
)

// echo prints the text of a command's output. It removes terminal control sequences and binary output, and prints the
// size of the latter at the end.
type echo struct {
	mu     sync.Mutex
	to     io.Writer
	open   bool   // the last line is incomplete
	inside byte   // inside a sequence: its introducer, ESC before that is known; 0: outside
	rest   []byte // incomplete character at the end of the last write
	binary int    // number of bytes removed
}

// Bytes of control sequences: they start with escape and end with a letter, or, if they set a title or hold other text,
// with a bell or another escape.
const (
	escape = 0x1b
	bell   = 0x07
)

// echoOn returns an echo on one of jtune's streams. It bypasses the filter for jtune's own texts.
func echoOn(stream io.Writer) *echo {
	if own, ok := stream.(*text.PlainWriter); ok {
		stream = &text.PlainWriter{To: own.To, Returns: true}
	}
	return &echo{to: stream}
}

func (e *echo) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	shown := b
	if e.inside != 0 || len(e.rest) > 0 || !text.Drawn(b) { // filtering must not slow down a program that prints fast
		shown = e.text(append(e.rest, e.unescaped(b)...))
	}
	if n := len(shown); n > 0 {
		e.open = shown[n-1] != '\n'
		_, _ = e.to.Write(shown) // a closed standard error ends no measurement
	}
	return len(b), nil
}

// unescaped removes control sequences; one may continue in the next write.
func (e *echo) unescaped(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for _, c := range b {
		switch {
		case c == escape:
			e.inside = escape
		case e.inside == 0, c == '\n': // a sequence ends with its line
			out, e.inside = append(out, c), 0
		case e.inside == escape:
			if e.inside = 0; bytes.IndexByte([]byte("[]PX^_"), c) >= 0 {
				e.inside = c
			}
		case e.inside == '[' && c >= '@' && c <= '~', c == bell:
			e.inside = 0
		}
	}
	return out
}

// text removes binary lines.
func (e *echo) text(b []byte) (out []byte) {
	cut := len(b)
	for i := 1; i <= min(utf8.UTFMax-1, len(b)); i++ {
		if start := len(b) - i; utf8.RuneStart(b[start]) {
			if !utf8.FullRune(b[start:]) {
				cut = start
			}
			break
		}
	}
	e.rest = bytes.Clone(b[cut:])
	for b = b[:cut]; len(b) > 0; {
		n := bytes.IndexAny(b, "\r\n") + 1
		if n == 0 {
			n = len(b)
		}
		if line := b[:n]; isBinary(line) {
			e.binary += n
		} else {
			out = append(out, line...)
		}
		b = b[n:]
	}
	return out
}

// isBinary reports whether more than a tenth of a line's characters are not printable.
func isBinary(line []byte) bool {
	strange, all := 0, 0
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\b' {
			strange++
		}
		all++
		line = line[n:]
	}
	return 10*strange > all
}

// line starts a new line for jtune's own messages if the last one is incomplete, such as a progress bar.
func (e *echo) line() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open {
		fmt.Fprintln(e.to)
	}
	e.open = false
}

// end completes the last line and prints what was removed.
func (e *echo) end() {
	e.line()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.binary += len(e.rest); e.binary > 0 {
		fmt.Fprintf(e.to, "(not shown: %s bytes that are no text)\n", text.Thousands(e.binary))
	}
	e.rest, e.binary = nil, 0
}

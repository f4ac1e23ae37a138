package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"jtune/internal/text"
)

// echo prints the text of a command's output with its colours. It removes other terminal control sequences and binary
// output, and prints the size of the latter at the end.
type echo struct {
	mu     sync.Mutex
	to     io.Writer
	open   bool   // the last line is incomplete
	colour bool   // the last colour was not reset
	inside byte   // inside a sequence: its introducer, ESC before that is known; 0: outside
	params []byte // of a sequence that may set colours
	rest   []byte // incomplete character at the end of the last write
	binary int    // number of bytes removed
}

// Bytes of control sequences: they start with escape and end with a letter, or, if they set a title or hold other text,
// with a bell or another escape.
const (
	escape = 0x1b
	bell   = 0x07
	// mostParams is the maximum length of the parameters of a sequence that is kept.
	mostParams = 32
)

// echoOn returns an echo on one of jtune's streams. It bypasses the filter for jtune's own texts.
func echoOn(stream io.Writer) *echo {
	if own, ok := stream.(*text.PlainWriter); ok {
		stream = own.To
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

// keptFinals are the final bytes of the control sequences that are kept: colours, and erasing a line.
const keptFinals = "mK"

// unescaped removes control sequences except those; one may continue in the next write.
func (e *echo) unescaped(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for _, c := range b {
		switch {
		case c == escape:
			e.inside = escape
		case e.inside == 0, c == '\n': // a sequence ends with its line
			out, e.inside = append(out, c), 0
		case e.inside == escape:
			if e.inside, e.params = 0, e.params[:0]; bytes.IndexByte([]byte("[]PX^_"), c) >= 0 {
				e.inside = c
			}
		case e.inside == '[' && strings.IndexByte(keptFinals, c) >= 0 && len(bytes.Trim(e.params, "0123456789;:")) == 0:
			out = append(append(append(out, escape, '['), e.params...), c)
			if e.inside = 0; c == 'm' {
				e.colour = len(bytes.Trim(e.params, "0;")) > 0
			}
		case e.inside == '[' && c >= '@' && c <= '~', c == bell:
			e.inside = 0
		case e.inside == '[' && len(e.params) < mostParams:
			e.params = append(e.params, c)
		case e.inside == '[':
			e.params = append(e.params[:0], '?') // too long: nothing of it is kept
		}
	}
	return out
}

// text removes binary lines.
func (e *echo) text(b []byte) (out []byte) {
	b, e.rest = text.Whole(b)
	for len(b) > 0 {
		n := bytes.IndexAny(b, "\r\n") + 1
		if n == 0 {
			n = len(b)
		}
		if line := b[:n]; text.Binary(line) {
			e.binary += n
		} else {
			out = append(out, plainColoured(line)...)
		}
		b = b[n:]
	}
	return out
}

// plainColoured returns a line without control characters except the kept sequences and the carriage return at its end.
func plainColoured(line []byte) string {
	end := ""
	if bytes.HasSuffix(line, []byte("\r")) {
		end = "\r"
	}
	parts := strings.Split(string(line), "\x1b")
	for i := range parts {
		parts[i] = text.Plain(parts[i])
	}
	return strings.Join(parts, "\x1b") + end
}

// line starts a new line for jtune's own messages if the last one is incomplete, such as a progress bar.
func (e *echo) line() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.colour {
		fmt.Fprint(e.to, "\x1b[0m")
	}
	if e.open {
		fmt.Fprintln(e.to)
	}
	e.open, e.colour = false, false
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

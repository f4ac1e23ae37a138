// Package terminput bounds what a terminal sends before a library parses it.
//
//	standard input ──► Bound.Cut ──► Bubble Tea
package terminput

import (
	"bytes"
	"math/bits"
)

// Bounds of what a terminal may send. The sequences that terminals send have at most a dozen parameters and a few dozen
// bytes; the parser below Bubble Tea has room for 32 parameters and keeps an unfinished sequence whole.
const (
	mostParams     = 30      // of one control sequence
	mostParamBytes = 256     // of all parameters of one control sequence
	mostString     = 4 << 10 // bytes of one string sequence (OSC, DCS, APC, PM, SOS)
	mostPaste      = 1 << 20 // bytes of one paste
)

const (
	escape     = 0x1b
	pasteBegin = "200~"
	pasteEnd   = "\x1b[201~"
)

type state int

const (
	ground    state = iota
	escaped         // after ESC
	params          // in the parameters of a control sequence
	stringing       // in a string sequence
)

// Bound cuts terminal input before a library parses it: parameters and strings past the bounds above are dropped,
// in a paste too. Everything within the bounds passes unchanged. The zero value is ready.
//
// A byte such as 0x9b begins a sequence here even inside a character: the parser's view of where characters begin
// depends on how the bytes arrive, and cutting the 31st number after such a character costs less than a crash.
type Bound struct {
	state   state
	rest    int    // bytes of a character that follow
	count   int    // separators, in params; bytes, in stringing
	held    int    // parameter bytes
	head    []byte // the first parameter bytes of the sequence
	dcs     bool   // the sequence's final byte begins a string
	pasting bool
	pasted  int
	tail    []byte // the last bytes of a paste that is past its bound
}

// Cut returns the part of b that may pass, in the memory of b.
func (i *Bound) Cut(b []byte) []byte {
	out := b[:0]
	for _, c := range b {
		if i.pasting && i.pasted >= mostPaste {
			if i.tail = append(i.tail, c); len(i.tail) > len(pasteEnd) {
				i.tail = i.tail[1:]
			}
			if string(i.tail) == pasteEnd {
				out = append(out, pasteEnd...)
				*i = Bound{}
			}
			continue
		}
		if i.passes(c) {
			out = append(out, c)
		}
	}
	return out
}

// passes reports whether a byte may pass, and follows the sequence that it belongs to.
func (i *Bound) passes(c byte) bool {
	if i.pasting {
		i.pasted++
	}
	switch {
	case c == escape:
		i.state = escaped
		return true
	case c == 0x9b || c == 0x90: // CSI, DCS in one byte
		i.begin(c == 0x90)
		return true
	case c&0xc0 == 0x80 && i.rest > 0: // within a character
		i.rest--
	case c == 0x9d || c == 0x98 || c == 0x9e || c == 0x9f: // OSC, SOS, PM, APC in one byte
		if i.state == ground && !i.pasting {
			i.state, i.count = stringing, 0
		}
		return true
	default:
		i.rest = max(0, bits.LeadingZeros8(^c)-1) // bytes of a character that follow its first
	}
	switch i.state {
	case escaped:
		switch c {
		case '[', 'P':
			i.begin(c == 'P')
		case ']', 'X', '^', '_':
			i.state, i.count = stringing, 0
		default:
			i.state = ground
		}
	case params:
		if c < 0x20 || c > 0x3f { // a final byte, or one that ends the sequence
			i.finish(c)
			return true
		}
		if c == ';' || c == ':' {
			i.count++
		}
		if i.held++; i.count > mostParams || i.held > mostParamBytes {
			return false
		}
		if len(i.head) < len(pasteBegin) {
			i.head = append(i.head, c)
		}
	case stringing:
		switch i.count++; {
		case c == 0x07 || c == 0x9c || c == 0x18 || c == 0x1a: // BEL, ST, CAN, SUB
			i.state = ground
		default:
			return i.count <= mostString
		}
	}
	return true
}

func (i *Bound) begin(dcs bool) {
	i.state, i.count, i.held, i.head, i.dcs = params, 0, 0, i.head[:0], dcs
}

// finish ends a control sequence.
func (i *Bound) finish(final byte) {
	i.state = ground
	switch i.head = append(i.head, final); {
	case i.dcs && final >= 0x40:
		i.state, i.count = stringing, 0
	case bytes.Equal(i.head, []byte(pasteBegin)):
		i.pasting, i.pasted = true, 0
	case i.pasting && string(i.head) == pasteEnd[2:]:
		i.pasting = false
	}
}

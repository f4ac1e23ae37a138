package tui

import (
	"math/bits"
	"strings"
)

// asciiGlyph gives the plain characters that stand in for the glyphs of the
// screens where a terminal cannot draw them.
var asciiGlyph = map[rune]string{
	'│': "|", '─': "-", '┌': "+", '┐': "+", '└': "+", '┘': "+", '├': "+", '┤': "+", '┬': "+", '┄': "-", '┊': ":",
	'█': "#", '░': ".", '▒': "%", '▓': "=", '▁': "_", '▂': "_", '▃': "-", '▄': "-", '▅': "=", '▆': "=", '▇': "#",
	'…': "~", '–': "-", '×': "x", '≤': "<", '≥': ">", '±': "~", '°': "'", '≈': "~", '·': ".", '→': ">", '←': "<", '↑': "^", '↓': "v",
	'●': "*", '○': "o", '◉': "@", '▸': ">", '▾': "v", '▴': "^", '✓': "+", '✗': "x", 'µ': "u", '²': "2", '\u00a0': " ", '‹': "<", '›': ">", 'ä': "a", 'é': "e", 'ö': "o", 'ü': "u",
}

// toASCII redraws a frame with characters that every terminal has; each glyph
// keeps its one column. Braille cells become a dot, a colon or a hash by how
// many of their dots are set.
func toASCII(frame string) string {
	frame = strings.NewReplacer("←→", "hl", "↑↓", "jk").Replace(frame) // as keys they work too
	var out strings.Builder
	out.Grow(len(frame))
	for _, r := range frame {
		switch {
		case r < 0x80:
			out.WriteRune(r)
		case r >= 0x2800 && r <= 0x28ff:
			out.WriteByte(" ..::::##"[bits.OnesCount8(uint8(r-0x2800))])
		case asciiGlyph[r] != "":
			out.WriteString(asciiGlyph[r])
		default:
			out.WriteByte('?')
		}
	}
	return out.String()
}

package widget

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// Glyphs is a level of drawing: what a terminal's font and colours support.
type Glyphs int

// Levels of drawing.
const (
	GlyphsAuto    Glyphs = iota // chosen by the terminal
	GlyphsBraille               // braille dots, 256 colours
	GlyphsBlocks                // frames and half blocks of the text console, 16 colours
	GlyphsASCII                 // 7-bit characters, no colours
)

var glyphNames = [...]string{"auto", "braille", "blocks", "ascii"}

// String returns the name that ParseGlyphs accepts.
func (g Glyphs) String() string { return glyphNames[g] }

// ParseGlyphs parses a level's name.
func ParseGlyphs(name string) (Glyphs, error) {
	for g, n := range glyphNames {
		if n == name {
			return Glyphs(g), nil
		}
	}
	return GlyphsAuto, fmt.Errorf("glyphs %q: want one of %s", name, strings.Join(glyphNames[:], ", "))
}

// GlyphsOf chooses the level for a terminal: ASCII for a dumb one or a locale without UTF-8, blocks for the text
// console, whose font has no braille.
func GlyphsOf(getenv func(string) string) Glyphs {
	term := getenv("TERM")
	if term == "dumb" || strings.HasPrefix(term, "vt") {
		return GlyphsASCII
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(getenv(name)); v != "" {
			if !strings.Contains(v, "UTF-8") && !strings.Contains(v, "UTF8") {
				return GlyphsASCII
			}
			break
		}
	}
	if term == "linux" {
		return GlyphsBlocks
	}
	return GlyphsBraille
}

// Profile returns the colours to write: what the environment supports, limited by the level. NO_COLOR of any value and
// --no-color leave only bold and reverse.
func (g Glyphs) Profile(environ []string, noColor bool) colorprofile.Profile {
	most := map[Glyphs]colorprofile.Profile{GlyphsBlocks: colorprofile.ANSI, GlyphsASCII: colorprofile.Ascii}
	limit, limited := most[g]
	if !limited {
		limit = colorprofile.TrueColor
	}
	if noColor {
		return colorprofile.Ascii
	}
	return max(colorprofile.Ascii, min(limit, colorprofile.Env(environ)))
}

// Redraw replaces a frame's glyphs by those of the level.
func (g Glyphs) Redraw(frame string) string {
	switch g {
	case GlyphsBlocks:
		return toBlocks(frame)
	case GlyphsASCII:
		return toASCII(frame)
	}
	return frame
}

// OnConsole holds the glyphs that text console fonts have (code page 437 and Latin-1); they are not replaced at the
// level of blocks.
const OnConsole = "│─┌┐└┘├┤┬█░▒▓▄▀→←↑↓±≤≥≈°·×µ²äöüé\u00a0"

// toBlocks redraws a frame with the glyphs of the text console. A braille cell becomes a half or full block, depending
// on which halves hold dots.
func toBlocks(frame string) string {
	var out strings.Builder
	out.Grow(len(frame))
	for _, r := range frame {
		switch {
		case r < 0x80 || strings.ContainsRune(OnConsole, r):
			out.WriteRune(r)
		case r >= 0x2800 && r <= 0x28ff:
			out.WriteRune(halfBlock(uint8(r - 0x2800)))
		case r >= '▁' && r <= '▇':
			out.WriteRune([]rune("__▄▄▄██")[r-'▁'])
		default:
			out.WriteString(plainGlyph(r))
		}
	}
	return out.String()
}

// halfBlock returns the block for a braille pattern: dots 1, 2, 4 and 5 are its upper half.
func halfBlock(dots uint8) rune {
	const upper = 0x01 | 0x02 | 0x08 | 0x10
	switch up, low := dots&upper != 0, dots&^uint8(upper) != 0; {
	case up && low:
		return '█'
	case up:
		return '▀'
	case low:
		return '▄'
	}
	return ' '
}

// plainGlyph returns the ASCII replacement of a glyph.
func plainGlyph(r rune) string {
	if g, ok := asciiGlyph[r]; ok {
		return g
	}
	return "?"
}

// asciiGlyph maps the glyphs of the screens to ASCII characters.
var asciiGlyph = func() map[rune]string {
	out := map[rune]string{}
	for _, row := range [][2]string{
		{"│─┌┐└┘├┤┬┄┊", "|-+++++++-:"},
		{"█░▒▓▁▂▃▄▅▆▇▀", "#:%=__--==#^"},
		{"…–×≤≥±°≈·→←↑", "~-x<>~'~.><^"},
		{"↓●○◉◆▸▾▴✓✗µ²\u00a0‹›äéöü", "v*o@X>v^+xu2 <>aeou"},
	} {
		plain := []rune(row[1])
		for i, glyph := range []rune(row[0]) {
			out[glyph] = string(plain[i])
		}
	}
	return out
}()

// toASCII redraws a frame in ASCII; each glyph keeps its one column. A braille cell becomes a dot, a colon or a hash,
// depending on its number of dots.
func toASCII(frame string) string {
	frame = strings.NewReplacer("←→", "hl", "↑↓", "jk").Replace(frame) // these keys do the same
	var out strings.Builder
	out.Grow(len(frame))
	for _, r := range frame {
		switch {
		case r < 0x80:
			out.WriteRune(r)
		case r >= 0x2800 && r <= 0x28ff:
			out.WriteByte(" ..::::##"[bits.OnesCount8(uint8(r-0x2800))])
		default:
			out.WriteString(plainGlyph(r))
		}
	}
	return out.String()
}

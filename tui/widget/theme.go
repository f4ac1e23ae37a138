package widget

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/text"
)

// Colours by meaning. Their numbers are the dark palette's indexes into the 256 colours. Frames are drawn with them;
// Theme.Painter replaces them by another palette's. No meaning is shown by colour alone: each also has a word or a
// glyph.
const (
	dim      ansi.IndexedColor = 247
	border   ansi.IndexedColor = 244 // of panels
	cloudy   ansi.IndexedColor = 245 // background dots
	accent   ansi.IndexedColor = 80  // titles and keys
	good     ansi.IndexedColor = 114
	warn     ansi.IndexedColor = 215
	bad      ansi.IndexedColor = 203
	cpu      ansi.IndexedColor = 75
	gpu      ansi.IndexedColor = 212
	memory   ansi.IndexedColor = 149
	total    ansi.IndexedColor = 81 // of the module, and of a single line
	other    ansi.IndexedColor = 250
	band     ansi.IndexedColor = 68
	measured ansi.IndexedColor = 177
)

// palette is a set of colours.
type palette int

// Palettes that the user can choose.
const (
	paletteAuto  palette = iota // dark or light, like the terminal's background
	paletteDark                 // for a dark background
	paletteLight                // for a light one
	paletteHigh                 // strong, for the terminal's background
)

var paletteNames = [...]string{"auto", "dark", "light", "high-contrast"}

// hue is a colour in every palette: its index into the 256 colours, and its SGR code for terminals with 16 colours.
type hue struct {
	name                    string
	dark                    ansi.IndexedColor
	light                   ansi.IndexedColor
	highDark, highLight     ansi.IndexedColor
	dark16, light16         string
	highDark16, highLight16 string
	graphic                 bool // never used for text
}

// hues lists all colours. Text has a contrast of at least 4.5 against the backgrounds of its palette, 7 if strong;
// borders, dots and bands have 3 (WCAG 2.1, 1.4.3, 1.4.6 and 1.4.11).
var hues = []hue{
	{"dim", dim, 241, 252, 238, "37", "90", "97", "30", false},
	{"border", border, 244, 250, 240, "90", "90", "37", "30", true},
	{"cloud", cloudy, 245, 248, 242, "90", "90", "37", "90", true},
	{"accent", accent, 24, 123, 18, "96", "36", "96", "34", false},
	{"good", good, 22, 120, 22, "92", "32", "92", "30", false},
	{"warn", warn, 94, 222, 52, "93", "33", "93", "35", false},
	{"bad", bad, 124, 217, 124, "91", "31", "91", "31", false},
	{"cpu", cpu, 25, 117, 19, "96", "34", "96", "34", false},
	{"gpu", gpu, 126, 219, 90, "95", "35", "95", "35", false},
	{"memory", memory, 58, 191, 22, "92", "32", "92", "30", false},
	{"total", total, 23, 159, 23, "97", "36", "97", "30", false},
	{"other", other, 240, 254, 237, "37", "90", "97", "30", false},
	{"band", band, 62, 111, 61, "94", "34", "96", "34", true},
	{"measured", measured, 91, 183, 54, "95", "35", "95", "35", false},
}

// Theme is the user's choice of colours. The zero value follows the terminal.
type Theme struct {
	palette palette
	own     map[ansi.IndexedColor]string // SGR parameters that replace the palette's
}

// ThemeNames returns the values of name in the table [theme], the default first.
func ThemeNames() []string { return slices.Clone(paletteNames[:]) }

// ThemeColours returns the names of the colours that the table [theme] can set.
func ThemeColours() (names []string) {
	for _, h := range hues {
		names = append(names, h.name)
	}
	return names
}

// ParseTheme parses the table [theme] of a configuration file: name is a palette, every other key a colour, such as
// good = "#5fd787" or good = "114". On error it returns the key at fault.
func ParseTheme(table map[string]string) (t Theme, key string, err error) {
	t.own = map[ansi.IndexedColor]string{}
	for key, value := range table {
		if key == "name" {
			at := slices.Index(paletteNames[:], value)
			if at < 0 {
				return t, key, fmt.Errorf("%q: want one of %s", value, strings.Join(paletteNames[:], ", "))
			}
			t.palette = palette(at)
			continue
		}
		at := slices.IndexFunc(hues, func(h hue) bool { return h.name == key })
		if at < 0 {
			names := ThemeColours()
			return t, key, fmt.Errorf("no such colour%s; want name or one of %s",
				text.Suggest(key, append(names, "name")), strings.Join(names, ", "))
		}
		if t.own[hues[at].dark], err = colourCodes(value); err != nil {
			return t, key, err
		}
	}
	return t, "", nil
}

// colourCodes returns a colour as SGR parameters of the foreground.
func colourCodes(value string) (string, error) {
	if n, err := strconv.ParseUint(value, 10, 8); err == nil {
		return indexed(ansi.IndexedColor(n)), nil
	}
	if hex, ok := strings.CutPrefix(value, "#"); ok && len(hex) == 6 {
		if n, err := strconv.ParseUint(hex, 16, 32); err == nil {
			return fmt.Sprintf("38;2;%d;%d;%d", n>>16, n>>8&255, n&255), nil
		}
	}
	return "", fmt.Errorf(`%q: want a colour such as "#5fd787", or a number of 0 to 255`, value)
}

// Asks reports whether the theme depends on the terminal's background.
func (t Theme) Asks() bool { return t.palette == paletteAuto || t.palette == paletteHigh }

// Painter replaces a frame's colours by the theme's, for a light or dark background, and for terminals with 16 colours.
func (t Theme) Painter(light, sixteen bool) *strings.Replacer {
	light = t.palette == paletteLight || light && t.Asks()
	var pairs []string
	for _, h := range hues {
		pairs = append(pairs, indexed(h.dark), cmp.Or(t.own[h.dark], h.codes(light, t.palette == paletteHigh, sixteen)))
	}
	return strings.NewReplacer(pairs...)
}

// codes returns the SGR parameters of the foreground.
func (h *hue) codes(light, high, sixteen bool) string {
	switch {
	case sixteen && high && light:
		return h.highLight16
	case sixteen && high:
		return h.highDark16
	case sixteen && light:
		return h.light16
	case sixteen:
		return h.dark16
	case high && light:
		return indexed(h.highLight)
	case high:
		return indexed(h.highDark)
	case light:
		return indexed(h.light)
	}
	return indexed(h.dark)
}

func indexed(c ansi.IndexedColor) string { return fmt.Sprintf("38;5;%d", c) }

// Light reports whether a background is light: it contrasts more with black text than with white text (WCAG 2.1,
// relative luminance).
func Light(ground color.Color) bool {
	const even = 0.179 // luminance at which both contrasts are equal
	return luminance(ground) > even
}

func luminance(c color.Color) float64 {
	linear := func(c uint32) float64 {
		v := float64(c>>8) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// LightByEnv reports whether COLORFGBG, which some terminals set, names a light background: its last number is one of
// 16 colours, of which 7 and 15 are white. Without it the background is assumed to be dark.
func LightByEnv(getenv func(string) string) bool {
	list := strings.Split(getenv("COLORFGBG"), ";")
	ground := list[len(list)-1]
	return ground == "7" || ground == "15"
}

package tui

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestTheTerminalChoosesTheGlyphs(t *testing.T) {
	for _, c := range []struct {
		name string
		vars map[string]string
		want Glyphs
	}{
		{"a modern terminal has braille", map[string]string{"TERM": "xterm-256color", "LANG": "de_DE.UTF-8"}, GlyphsBraille},
		{"so have tmux and screen", map[string]string{"TERM": "screen", "LC_ALL": "C.utf8"}, GlyphsBraille},
		{"the text console has blocks", map[string]string{"TERM": "linux", "LANG": "C.UTF-8"}, GlyphsBlocks},
		{"a dumb terminal has nothing", map[string]string{"TERM": "dumb", "LANG": "C.UTF-8"}, GlyphsASCII},
		{"nor has one of glass", map[string]string{"TERM": "vt220", "LANG": "C.UTF-8"}, GlyphsASCII},
		{"a locale without UTF-8", map[string]string{"TERM": "xterm", "LANG": "C"}, GlyphsASCII},
		{"LC_ALL goes before LANG", map[string]string{"TERM": "tmux-256color", "LC_ALL": "POSIX", "LANG": "C.UTF-8"}, GlyphsASCII},
		{"no locale is told", map[string]string{"TERM": "xterm-256color"}, GlyphsBraille},
	} {
		if got := glyphsOf(env(c.vars)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestGlyphNamesAreReadAndOthersRefused(t *testing.T) {
	for _, g := range []Glyphs{GlyphsAuto, GlyphsBraille, GlyphsBlocks, GlyphsASCII} {
		if got, err := ParseGlyphs(g.String()); err != nil || got != g {
			t.Errorf("%v is read as %v, %v", g, got, err)
		}
	}
	if _, err := ParseGlyphs("unicode"); err == nil || !strings.Contains(err.Error(), "braille, blocks, ascii") {
		t.Errorf("an unknown name: %v, want the names that there are", err)
	}
}

func TestALevelBoundsTheColours(t *testing.T) {
	rich := []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	for _, c := range []struct {
		name    string
		glyphs  Glyphs
		environ []string
		noColor bool
		want    colorprofile.Profile
	}{
		{"braille has 256", GlyphsBraille, rich, false, colorprofile.ANSI256},
		{"blocks have 16", GlyphsBlocks, rich, false, colorprofile.ANSI},
		{"ASCII has none", GlyphsASCII, rich, false, colorprofile.Ascii},
		{"NO_COLOR has none", GlyphsBraille, rich, true, colorprofile.Ascii},
		{"not more than the terminal has", GlyphsBraille, []string{"TERM=xterm-color"}, false, colorprofile.ANSI},
		{"a dumb terminal keeps bold and reverse", GlyphsBraille, []string{"TERM=dumb"}, false, colorprofile.Ascii},
	} {
		if got := c.glyphs.profile(c.environ, c.noColor); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestEachLevelDrawsWithItsOwnGlyphsOnly(t *testing.T) {
	for _, c := range []struct {
		glyphs Glyphs
		may    func(r rune) bool
	}{
		{GlyphsBlocks, func(r rune) bool { return r < 127 || strings.ContainsRune(onConsole, r) }},
		{GlyphsASCII, func(r rune) bool { return r < 127 }},
	} {
		for name, scene := range scenes() {
			d := drive(t, func(_ *fakeBoard, d *deps) { d.glyphs = c.glyphs })
			scene(d)
			for _, s := range sizes {
				d.size(s[0], s[1])
				for _, r := range d.screen() {
					if !c.may(r) && r != '\n' {
						t.Errorf("%v: %s at %v holds %q", c.glyphs, name, s, r)
						break
					}
				}
			}
		}
	}
}

func TestPagesAtEveryLevelLookAsTheyDid(t *testing.T) {
	for _, name := range []string{"train-run", "profile", "models", "modes-sorted"} {
		for _, g := range []Glyphs{GlyphsBlocks, GlyphsASCII} { // braille: with all pages
			d := drive(t, func(_ *fakeBoard, d *deps) { d.glyphs = g })
			scenes()[name](d)
			for _, s := range sizes {
				d.size(s[0], s[1])
				compare(t, fmt.Sprintf("%s-%v-%dx%d", name, g, s[0], s[1]), trimmed(d.screen()))
			}
		}
	}
}

func TestLiveAndFrontAtEveryLevelLookAsTheyDid(t *testing.T) {
	for _, g := range []Glyphs{GlyphsBlocks, GlyphsASCII} { // braille: with all pages
		d := drive(t, func(_ *fakeBoard, d *deps) { d.glyphs = g }).withView()
		for _, s := range [][2]int{{80, 24}, {200, 50}, {40, 12}} {
			d.size(s[0], s[1])
			d.press("1")
			compare(t, fmt.Sprintf("live-%v-%dx%d", g, s[0], s[1]), trimmed(d.screen()))
			d.press("5")
			if front := d.r.pages[pageFront].(*frontPage); front.asTab {
				d.sees("front mode") // the table twin is the default in ASCII
				d.press("b")
			}
			compare(t, fmt.Sprintf("front-%v-%dx%d", g, s[0], s[1]), trimmed(d.screen()))
			if s[0] == 80 {
				d.press("g", "+")
				compare(t, fmt.Sprintf("front-group-%v-%dx%d", g, s[0], s[1]), trimmed(d.screen()))
				d.press("0", "g", "g", "g", "g")
			}
		}
	}
}

// luminance is the relative luminance of WCAG 2.1.
func luminance(r, g, b uint32) float64 {
	linear := func(c uint32) float64 {
		v := float64(c>>8) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func TestColoursCanBeReadOnLightAndOnDark(t *testing.T) {
	const least = 3.0 // WCAG 2.1 for large text and graphics
	grounds := map[string]float64{"black": 0, "white": 1, "Solarized light": luminance(0xfdfd, 0xf6f6, 0xe3e3), "a dark theme": luminance(0x1e1e, 0x1e1e, 0x1e1e)}
	for _, c := range []ansi.IndexedColor{red, green, yellow, blue, pink, cyan, grey} {
		r, g, b, _ := c.RGBA()
		for name, ground := range grounds {
			hi, lo := luminance(r, g, b)+0.05, ground+0.05
			if hi < lo {
				hi, lo = lo, hi
			}
			if hi/lo < least {
				t.Errorf("colour %d on %s has a contrast of %.1f, want %.1f", c, name, hi/lo, least)
			}
		}
	}
}

func TestSixteenColoursAreTheThemesOwn(t *testing.T) {
	d := drive(t, func(_ *fakeBoard, d *deps) { d.sixteen = true }).withView()
	d.press("5")
	frame := d.r.draw()
	if strings.Contains(frame, "38;5;") {
		t.Error("a colour of 256 is in a frame for 16")
	}
	for _, code := range []string{"32m", "90m"} { // the front's green, the cloud's grey
		if !strings.Contains(frame, code) {
			t.Errorf("the frame has no colour %s", code)
		}
	}
}

package widget

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"jtune/internal/must"
)

func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestGlyphsOfATerminal(t *testing.T) {
	for _, c := range []struct {
		name string
		vars map[string]string
		want Glyphs
	}{
		{"a modern terminal has braille", map[string]string{"TERM": "xterm-256color", "LANG": "de_DE.UTF-8"},
			GlyphsBraille},
		{"so have tmux and screen", map[string]string{"TERM": "screen", "LC_ALL": "C.utf8"}, GlyphsBraille},
		{"the text console has blocks", map[string]string{"TERM": "linux", "LANG": "C.UTF-8"}, GlyphsBlocks},
		{"a dumb terminal has nothing", map[string]string{"TERM": "dumb", "LANG": "C.UTF-8"}, GlyphsASCII},
		{"nor has one of glass", map[string]string{"TERM": "vt220", "LANG": "C.UTF-8"}, GlyphsASCII},
		{"a locale without UTF-8", map[string]string{"TERM": "xterm", "LANG": "C"}, GlyphsASCII},
		{
			"LC_ALL goes before LANG",
			map[string]string{"TERM": "tmux-256color", "LC_ALL": "POSIX", "LANG": "C.UTF-8"},
			GlyphsASCII,
		},
		{"no locale is set", map[string]string{"TERM": "xterm-256color"}, GlyphsBraille},
	} {
		must.Equal(t, GlyphsOf(env(c.vars)), c.want, c.name)
	}
}

func TestParseGlyphsReadsEveryNameAndNoOther(t *testing.T) {
	for _, g := range []Glyphs{GlyphsAuto, GlyphsBraille, GlyphsBlocks, GlyphsASCII} {
		if got, err := ParseGlyphs(g.String()); err != nil || got != g {
			t.Errorf("%v is read as %v, %v", g, got, err)
		}
	}
	if _, err := ParseGlyphs("unicode"); err == nil || !strings.Contains(err.Error(), "braille, blocks, ascii") {
		t.Errorf("an unknown name: %v, want the names that there are", err)
	}
}

func TestGlyphsBoundTheColours(t *testing.T) {
	rich := []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	for _, c := range []struct {
		name    string
		glyphs  Glyphs
		environ []string
		noColor bool
		want    colorprofile.Profile
	}{
		{"braille has all", GlyphsBraille, rich, false, colorprofile.TrueColor}, // for values; all else is of 256
		{"256 where the terminal has no more", GlyphsBraille, rich[:1], false, colorprofile.ANSI256},
		{"blocks have 16", GlyphsBlocks, rich, false, colorprofile.ANSI},
		{"ASCII has none", GlyphsASCII, rich, false, colorprofile.Ascii},
		{"NO_COLOR has none", GlyphsBraille, rich, true, colorprofile.Ascii},
		{"not more than the terminal has", GlyphsBraille, []string{"TERM=xterm-color"}, false, colorprofile.ANSI},
		{"a dumb terminal keeps bold and reverse", GlyphsBraille, []string{"TERM=dumb"}, false, colorprofile.Ascii},
	} {
		must.Equal(t, c.glyphs.Profile(c.environ, c.noColor), c.want, c.name)
	}
}

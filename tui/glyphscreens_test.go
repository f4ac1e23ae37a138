package tui

import (
	"fmt"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tui/widget"
)

// drawsTheLevelsGlyphs draws a scene with the characters of the lower levels alone.
func drawsTheLevelsGlyphs(t *testing.T, d *driver) {
	t.Helper()
	for g, more := range map[widget.Glyphs]string{widget.GlyphsBlocks: widget.OnConsole, widget.GlyphsASCII: ""} {
		d.r.sh.Look.Glyphs = g
		for _, s := range sizes() {
			d.size(s[0], s[1])
			for _, r := range d.screen() {
				if r >= 127 && !strings.ContainsRune(more, r) {
					t.Errorf("%v: at %v it holds %q", g, s, r)
					break
				}
			}
		}
	}
}

func TestGoldenPagesAtEveryGlyphLevel(t *testing.T) {
	t.Parallel()
	draws(t)
	for _, name := range []string{"train-run", "train-pair", "front-mixes", "profile", "models", "modes-sorted",
		"front-load", "front-study", "modes-load"} {
		for _, g := range []widget.Glyphs{widget.GlyphsBlocks, widget.GlyphsASCII} { // braille: with all pages
			d := drive(t, func(_ *fakeHost, d *deps) { d.state.Look.Glyphs = g })
			scenes()[name](d)
			for _, s := range sizes() {
				d.size(s[0], s[1])
				compare(t, fmt.Sprintf("%s-%v-%dx%d", name, g, s[0], s[1]), trimmed(d.screen()))
			}
		}
	}
}

func TestGoldenLiveAndFrontAtEveryGlyphLevel(t *testing.T) {
	t.Parallel()
	for _, g := range []widget.Glyphs{widget.GlyphsBlocks, widget.GlyphsASCII} { // braille: with all pages
		d := drive(t, func(_ *fakeHost, d *deps) { d.state.Look.Glyphs = g }).withView()
		for _, s := range sizes() {
			d.size(s[0], s[1])
			d.press("1")
			compare(t, fmt.Sprintf("live-%v-%dx%d", g, s[0], s[1]), trimmed(d.screen()))
			d.press("5")
			if strings.Contains(d.screen(), "b plot") {
				d.press("b") // the table twin is the default in ASCII
			}
			compare(t, fmt.Sprintf("front-%v-%dx%d", g, s[0], s[1]), trimmed(d.screen()))
			if s[0] == 80 {
				d.press("K", "+")
				compare(t, fmt.Sprintf("front-group-%v-%dx%d", g, s[0], s[1]), trimmed(d.screen()))
				d.press("0", "K", "K", "K", "K")
			}
		}
	}
}

func TestStylesOfSixteenColoursAreTheThemes(t *testing.T) {
	t.Parallel()
	d := drive(t, func(_ *fakeHost, d *deps) { d.sixteen = true }).withView()
	d.press("5")
	frame := d.r.draw()
	must.Lack(t, frame, "38;5;")
	for _, code := range []string{"92m", "90m"} { // the front is green, the cloud grey
		must.Contain(t, frame, code)
	}
}

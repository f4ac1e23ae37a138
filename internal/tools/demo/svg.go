package main

import (
	"fmt"
	"html"
	"strings"

	"github.com/hinshun/vt10x"

	"jtune/tui"
)

// Dimensions of the picture in pixels.
const (
	cellW, cellH = 8.4, 17
	fontSize     = 14
	margin       = 12
	showFor      = 3.5 // seconds that each frame is shown
)

// frame is the screen after a step.
type frame struct {
	cells [][]vt10x.Glyph
}

func cellsOf(screen vt10x.View) [][]vt10x.Glyph {
	w, h := screen.Size()
	out := make([][]vt10x.Glyph, h)
	for y := range out {
		for x := range w {
			out[y] = append(out[y], screen.Cell(x, y))
		}
	}
	return out
}

// svg shows the frames one after the other, each for the same time. A viewer without animation shows the tuning's
// answer.
func svg(frames []frame) string {
	const w, h = tui.TourW*cellW + 2*margin, tui.TourH*cellH + 2*margin
	total := showFor * float64(len(frames))
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" `+
			`font-family="'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="%d">`+"\n",
		w, float64(h), w, float64(h), fontSize)
	fmt.Fprintf(&b, "<title>jtune on a virtual AGX Orin: a simulation, not a measurement of a Jetson</title>\n"+
		"<style>text{fill:%s}.f{opacity:0;animation:f %gs steps(1,end) infinite}@keyframes "+
		"f{0%%{opacity:1}%.3f%%{opacity:0}100%%{opacity:0}}.b{font-weight:bold}</style>\n",
		ground[0], total, 100/float64(len(frames)))
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", ground[1])
	still := min(2, len(frames)-1)
	b.WriteString("<g>\n" + frames[still].draw() + "</g>\n")
	for i, f := range frames {
		fmt.Fprintf(&b,
			`<g class="f" style="animation-delay:%gs"><rect width="100%%" height="100%%" rx="6" fill="%s"/>`+
				"\n%s</g>\n",
			showFor*float64(i), ground[1], f.draw())
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (f frame) draw() string {
	var b strings.Builder
	for y, line := range f.cells {
		for x := 0; x < len(line); {
			end := x + 1
			for end < len(line) && sameStyle(line[x], line[end]) {
				end++
			}
			b.WriteString(piece(line[x:end], x, y))
			x = end
		}
	}
	return b.String()
}

// bold is vt10x's attribute bit, which it does not export.
const bold = 1 << 2

func sameStyle(a, b vt10x.Glyph) bool {
	return a.FG == b.FG && a.BG == b.BG && a.Mode&bold == b.Mode&bold
}

// piece draws cells of one style. It sets their length, so that fonts with wide braille keep the columns.
func piece(cells []vt10x.Glyph, x, y int) string {
	var text strings.Builder
	for _, c := range cells {
		if c.Char == 0 {
			c.Char = ' '
		}
		text.WriteRune(c.Char)
	}
	left, top := margin+float64(x)*cellW, margin+float64(y)*cellH
	var b strings.Builder
	if c := cells[0]; c.BG != vt10x.DefaultBG {
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>`, left, top,
			cellW*float64(len(cells)), cellH, colour(c.BG))
	}
	if lead := len(text.String()) - len(strings.TrimLeft(text.String(), " ")); lead < text.Len() {
		shown := strings.ReplaceAll(strings.Trim(text.String(), " "), " ", "\u00a0") // plain spaces would be merged
		n := len([]rune(shown))
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f"`, left+float64(lead)*cellW, top+fontSize-1)
		if n > 1 {
			fmt.Fprintf(&b, ` textLength="%.1f"`, cellW*float64(n))
		}
		if cells[0].Mode&bold != 0 {
			b.WriteString(` class="b"`)
		}
		if c := cells[0].FG; c != vt10x.DefaultFG {
			fmt.Fprintf(&b, ` style="fill:%s"`, colour(c))
		}
		fmt.Fprintf(&b, ">%s</text>", html.EscapeString(shown))
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// ground is the colour of plain text and of the background.
var ground = [2]string{"#d4d4d4", "#16181c"}

// colour returns a colour of xterm's table of 256: a cube of six levels, then greys. The first sixteen depend on the
// terminal; the screens do not use them.
func colour(c vt10x.Color) string {
	level := func(n vt10x.Color) vt10x.Color { return min(n, 1)*55 + 40*n }
	switch {
	case c == vt10x.DefaultBG:
		return ground[1]
	case c < 16 || c > 255:
		return ground[0]
	case c < 232:
		c -= 16
		return fmt.Sprintf("#%02x%02x%02x", level(c/36), level(c/6%6), level(c%6))
	}
	grey := 8 + 10*(c-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}

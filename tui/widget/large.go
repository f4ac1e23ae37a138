package widget

import "strings"

// LargeRows is the height of Large.
const LargeRows = 3

// large holds the rows of the glyphs that Large draws, three cells wide but for the point.
var large = func() map[rune][LargeRows]string {
	out := map[rune][LargeRows]string{'.': {" ", " ", "▀"}}
	rows := [LargeRows]string{
		"█▀█ ▀█  ▀▀█ ▀▀█ █ █ █▀▀ █▀▀ ▀▀█ █▀█ █▀█",
		"█ █  █  █▀▀ ▀▀█ ▀▀█ ▀▀█ █▀█   █ █▀█ ▀▀█",
		"▀▀▀ ▀▀▀ ▀▀▀ ▀▀▀   ▀ ▀▀▀ ▀▀▀   ▀ ▀▀▀ ▀▀▀",
	}
	for digit := range 10 {
		glyph := [LargeRows]string{}
		for i, row := range rows {
			glyph[i] = string([]rune(row)[4*digit : 4*digit+3])
		}
		out['0'+rune(digit)] = glyph
	}
	return out
}()

// Large draws a number of digits and points in LargeRows rows; other characters are left out.
func Large(number string) (rows [LargeRows]string) {
	for _, r := range number {
		glyph, ok := large[r]
		for i := range rows {
			if ok && rows[i] != "" {
				rows[i] += " "
			}
			rows[i] += glyph[i]
		}
	}
	return rows
}

// Abreast draws columns of LargeRows rows beside each other, with a space between them.
func Abreast(columns ...[LargeRows]string) (rows [LargeRows]string) {
	for n, c := range columns {
		w := 0
		for _, row := range c {
			w = max(w, Width(row))
		}
		for i, row := range c {
			if n > 0 {
				rows[i] += " "
			}
			rows[i] += row + strings.Repeat(" ", w-Width(row))
		}
	}
	return rows
}

package widget

import "strings"

// bigGlyphs are the characters of large numbers, in five rows of pixels.
var bigGlyphs = map[rune][5]string{
	'0': {"###", "# #", "# #", "# #", "###"},
	'1': {" # ", "## ", " # ", " # ", "###"},
	'2': {"###", "  #", "###", "#  ", "###"},
	'3': {"###", "  #", "###", "  #", "###"},
	'4': {"# #", "# #", "###", "  #", "  #"},
	'5': {"###", "#  ", "###", "  #", "###"},
	'6': {"###", "#  ", "###", "# #", "###"},
	'7': {"###", "  #", "  #", "  #", "  #"},
	'8': {"###", "# #", "###", "# #", "###"},
	'9': {"###", "# #", "###", "  #", "###"},
	'+': {"   ", " # ", "###", " # ", "   "},
	'-': {"   ", "   ", "###", "   ", "   "},
	'×': {"   ", "# #", " # ", "# #", "   "},
	'…': {"     ", "     ", "     ", "     ", "# # #"},
	'%': {"# #", "  #", " # ", "#  ", "# #"},
	' ': {" ", " ", " ", " ", " "},
}

// Big draws a number such as "-14…-4 %" in three lines of half blocks; "" if it contains another character.
func Big(number string) string {
	var lines [3]strings.Builder
	for i, r := range []rune(number) {
		glyph, ok := bigGlyphs[r]
		if !ok {
			return ""
		}
		for y := range lines {
			if i > 0 {
				lines[y].WriteByte(' ')
			}
			for x := range glyph[0] {
				up, low := glyph[2*y][x] == '#', y < 2 && glyph[2*y+1][x] == '#'
				switch {
				case up && low:
					lines[y].WriteRune('█')
				case up:
					lines[y].WriteRune('▀')
				case low:
					lines[y].WriteRune('▄')
				default:
					lines[y].WriteByte(' ')
				}
			}
		}
	}
	return lines[0].String() + "\n" + lines[1].String() + "\n" + lines[2].String()
}

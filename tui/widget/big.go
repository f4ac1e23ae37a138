package widget

import "strings"

// bigGlyphs are the characters of large numbers, five rows of pixels each.
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

// Big draws a number in three lines of half blocks; "" where it has a character that is no part
// of a number such as "-14…-4 %".
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

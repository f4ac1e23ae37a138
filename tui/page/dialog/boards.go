package dialog

import (
	"strings"

	"jtune/tui/page"
	"jtune/tui/widget"
)

// Boards is the line above the first page where there is no Jetson and no --device: the virtual boards, of which the
// first is the one that shows, and the words that show another.
func Boards(keys *page.Keys, names []string, w int) string {
	text := "No Jetson: " + names[0] + "; " + keys.Palette.Label() + "board NAME: " + strings.Join(names[1:], " ")
	return widget.Cut(" "+widget.StyleAsk.Render(text), w)
}

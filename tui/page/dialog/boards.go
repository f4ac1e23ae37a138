package dialog

import (
	"strings"

	"jtune/tui/page"
	"jtune/tui/widget"
)

// Boards renders the line above the first page if there is no Jetson and no --device: the virtual boards, starting with
// the shown one, and how to show another.
func Boards(keys *page.Keys, names []string, w int) string {
	text := "No Jetson: " + names[0] + "; " + keys.Palette.Label() + "board NAME: " + strings.Join(names[1:], " ")
	return widget.Cut(" "+widget.StyleAsk.Render(text), w)
}

package dialog

import (
	"fmt"

	"jtune/tui/page"
	"jtune/tui/widget"
)

// Boards renders the line above the first page if there is no Jetson and no --device: the virtual boards, starting with
// the shown one, as many as fit, and how to show another.
func Boards(keys *page.Keys, names []string, w int) string {
	text := names[0] + "; others by " + keys.Palette.Label() + "board NAME:"
	for i, name := range names[1:] {
		left, more := len(names)-2-i, ""
		if left > 0 {
			more = fmt.Sprintf(" +%d", left)
		}
		if widget.Width(" "+text+" "+name+more) > w {
			return widget.Cut(" "+widget.StyleAsk.Render(text+fmt.Sprintf(" +%d", left+1)), w)
		}
		text += " " + name
	}
	return widget.Cut(" "+widget.StyleAsk.Render(text), w)
}

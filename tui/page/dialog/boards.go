package dialog

import (
	"fmt"
	"strings"

	"jtune/tui/widget"
)

// Boards is the line above the first page where there is no Jetson and no --device: the virtual boards, and the key of
// each. The first is the one that shows.
func Boards(names []string, w int) string {
	var b strings.Builder
	b.WriteString("No Jetson:")
	for i, name := range names {
		fmt.Fprintf(&b, " F%d %s", i+1, name)
	}
	return widget.Cut(" "+widget.StyleAsk.Render(b.String()), w)
}

package dialog

import (
	"fmt"

	"jtune/tui/page"
	"jtune/tui/widget"
)

// Welcome renders the line above the first page for a user who has not done anything here yet: what jtune is and where
// to start.
func Welcome(keys *page.Keys, w int) string {
	tune, help := keys.Tune.Label(), keys.Help.Label()
	text := widget.First(w-2,
		fmt.Sprintf("New here? Live readings of this board: looking changes nothing. "+
			"%s finds a training job's best power mode, %s explains each number, %s takes a change back.",
			tune, help, keys.Undo.Label()),
		fmt.Sprintf("New here? Looking changes nothing. %s finds a job's best mode, %s explains.", tune, help),
		fmt.Sprintf("New here? %s tunes, %s explains.", tune, help))
	return widget.Cut(" "+widget.StyleAsk.Render(text), w)
}

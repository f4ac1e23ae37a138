package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// welcome is the line above the first Live page of a user who has never done
// anything here: what this is and where to go on. "" once they did.
func (sh *shared) welcome(w int) string {
	if sh.deps.introduced == nil {
		return ""
	}
	tune, help := keys.Tune.Help().Key, keys.Help.Help().Key
	var text string
	for _, text = range []string{
		fmt.Sprintf("New here? Live readings of this board: looking changes nothing. %s finds a training job's best power mode, %s explains each number, %s takes a change back.", tune, help, keys.Undo.Help().Key),
		fmt.Sprintf("New here? Looking changes nothing. %s finds a job's best mode, %s explains.", tune, help),
		fmt.Sprintf("New here? %s tunes, %s explains.", tune, help),
	} {
		if ansi.StringWidth(text)+2 <= w {
			break
		}
	}
	return cut(" "+styleAsk.Render(text), w)
}

// acquaint takes the line away for good: the user has done something.
func (sh *shared) acquaint() tea.Cmd {
	keep := sh.deps.introduced
	if keep == nil {
		return nil
	}
	sh.deps.introduced = nil
	return func() tea.Msg {
		_ = keep() // where it cannot be kept the line comes once more
		return nil
	}
}

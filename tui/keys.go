package tui

import "jtune/tui/page"

// KeyLine is one action of the screens, for the manual.
type KeyLine = page.KeyLine

// KeyLines lists the actions of the screens with the user's bindings, which CheckKeys must have accepted.
func KeyLines(wish map[string][]string) []KeyLine {
	t, _, _ := page.KeysWith(wish)
	return t.Lines()
}

// CheckKeys returns the action whose keys cannot be bound as wished, and why.
func CheckKeys(wish map[string][]string) (action string, err error) {
	_, action, err = page.KeysWith(wish)
	return action, err
}

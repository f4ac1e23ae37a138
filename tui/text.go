package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/widget"
)

// overText is a scrolling text over the page: the help, or the messages.
type overText struct {
	widget.Pager
	title string
	lines func(w int) []string // in w columns
}

// textW is its maximum width.
const textW = 76

func (t *overText) fill(w int) { t.Lines = strings.Split(strings.Join(t.lines(w-4), "\n"), "\n") }

// key handles a key; closed reports whether it closes the text.
func (t *overText) key(k tea.KeyPressMsg, keys *page.Keys) (closed bool) {
	switch {
	case t.Pager.Key(k):
	case keys.Back.Matches(k), keys.Quit.Matches(k), keys.Help.Matches(k), keys.Messages.Matches(k),
		keys.Enter.Matches(k):
		return true
	}
	return false
}

// Render draws the text in at most w×h cells.
func (t *overText) Render(w, h int) string {
	w = min(w, textW)
	t.fill(w)
	h = min(h, len(t.Lines)+2)
	text := t.Pager.Render(w-4, h-2)
	return widget.Box(t.title, t.Note(), text, w, h)
}

package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/widget"
)

// Text is a scrolling text over the page: the help, or the messages.
type Text struct {
	widget.Pager
	title string
	lines func(w int) []string // in w columns
}

// NewText returns a text for a window of w columns.
func NewText(keys *page.Keys, title string, lines func(w int) []string, w int) *Text {
	t := &Text{Pager: widget.Pager{Keys: keys.ListKeys()}, title: title, lines: lines}
	t.fill(min(w, textW))
	return t
}

// textW is its maximum width.
const textW = 76

func (t *Text) fill(w int) { t.Lines = strings.Split(strings.Join(t.lines(w-4), "\n"), "\n") }

// Key handles a key; closed reports whether it closes the text.
func (t *Text) Key(k tea.KeyPressMsg, keys *page.Keys) (closed bool) {
	switch {
	case t.Pager.Key(k):
	case keys.Back.Matches(k), keys.Quit.Matches(k), keys.Help.Matches(k), keys.Messages.Matches(k),
		keys.Enter.Matches(k):
		return true
	}
	return false
}

// Render draws the text in at most w×h cells.
func (t *Text) Render(w, h int) string {
	w = min(w, textW)
	t.fill(w)
	h = min(h, len(t.Lines)+2)
	text := t.Pager.Render(w-4, h-2)
	return widget.Box(t.title, t.Note(), text, w, h)
}

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
	keys        *page.Keys
	title       string
	lines, more func(w int) []string // in w columns; more is the longer form, nil: none
	w           int
}

// NewText returns a text for a window of w columns. The key for help shows its longer form, a search searches that.
func NewText(keys *page.Keys, title string, lines, more func(w int) []string, w int) *Text {
	t := &Text{Pager: widget.Pager{Keys: keys.ListKeys()}, keys: keys, title: title, lines: lines, more: more}
	t.fill(min(w, textW))
	return t
}

// textW is its maximum width.
const textW = 76

func (t *Text) fill(w int) { t.w, t.Lines = w, strings.Split(strings.Join(t.lines(w-4), "\n"), "\n") }

// Key handles a key; closed reports whether it closes the text.
func (t *Text) Key(k tea.KeyPressMsg) (does page.Intent, closed bool) {
	keys := t.keys
	if longer := keys.Help.Matches(k); t.more != nil && (longer || keys.Filter.Matches(k)) {
		t.lines, t.more = t.more, nil
		if t.fill(t.w); longer {
			return nil, false
		}
	}
	switch {
	case t.Pager.Key(k):
	case keys.Back.Matches(k), keys.Quit.Matches(k), keys.Help.Matches(k), keys.Messages.Matches(k),
		keys.Enter.Matches(k):
		return nil, true
	}
	return nil, false
}

// Hints lists the keys that work now.
func (t *Text) Hints() []widget.Action {
	hints := append(t.Pager.Hints(), t.keys.Back.As("close"))
	if t.more == nil {
		return hints
	}
	return append([]widget.Action{t.keys.Help.As("more")}, hints...)
}

// Numbers returns nothing: a text has no help.
func (t *Text) Numbers() []string { return nil }

// Render draws the text in at most w×h cells.
func (t *Text) Render(w, h int) string {
	w = min(w, textW)
	t.fill(w)
	h = min(h, len(t.Lines)+2)
	text := t.Pager.Render(w-4, h-2)
	return widget.Box(t.title, t.Note(), text, w, h)
}

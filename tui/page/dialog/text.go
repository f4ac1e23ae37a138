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

// Acts lists what the keys do.
func (t *Text) Acts() (out page.Acts) {
	keys := t.keys
	if t.more != nil {
		longer := func() {
			t.lines, t.more = t.more, nil
			t.fill(t.w)
		}
		searches := func(k tea.KeyPressMsg) bool {
			if keys.Filter.Matches(k) {
				longer()
			}
			return false
		}
		out = page.Acts{page.On(keys.Help.As("more"), longer), page.In(searches, nil)}
	}
	out = append(append(out, page.In(t.Pager.Key, nil)), page.Listed(t.Pager.Hints()...)...)
	return append(out, page.Closing(keys.Back.As("close"), keys.Quit, keys.Help, keys.Messages, keys.Enter)...)
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

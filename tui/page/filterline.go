package page

import (
	tea "charm.land/bubbletea/v2"

	"jtune/tui/widget"
)

// FilterLine is a filter of modes, and the line in which it is typed.
type FilterLine struct {
	Text  string        // in force
	Wrong string        // what is wrong with it, or with what is typed
	input *widget.Input // while it is typed; nil: closed
}

// Open opens the line with the filter in force.
func (f *FilterLine) Open() { f.input = widget.NewInput(f.Text, "", widget.MostFilter) }

// Typing reports whether the line is open.
func (f *FilterLine) Typing() bool { return f.input != nil }

// Close discards what is typed.
func (f *FilterLine) Close() { f.input = nil }

// Update handles pasted text.
func (f *FilterLine) Update(m tea.PasteMsg) { f.input.Update(m) }

// Value returns what is typed, or the filter in force.
func (f *FilterLine) Value() string {
	if f.Typing() {
		return f.input.Value()
	}
	return f.Text
}

// Key edits the line. It reports whether what is typed became the filter; check says before in Wrong why it cannot.
func (f *FilterLine) Key(k tea.KeyPressMsg, read Reader, check func()) (taken bool) {
	switch {
	case read.Keys().Enter.Matches(k):
		if check(); f.Wrong != "" { // the text stays for correction
			return false
		}
		f.Text, f.input = f.input.Value(), nil
		return true
	case read.Keys().Back.Matches(k):
		f.Close()
	default:
		f.input.Update(k)
	}
	return false
}

// Hints returns the keys that work while the line is open.
func (f *FilterLine) Hints(read Reader) []widget.Action {
	return []widget.Action{read.Keys().Enter.As("filter by it"), read.Keys().Back.As("leave it")}
}

// Line renders the line, or the filter in force; "" without one. An error is wrapped, because its end says what to do.
func (f *FilterLine) Line(read Reader, w int) string {
	switch {
	case f.Typing() && f.Wrong != "":
		return widget.StyleAsk.Render(" filter: ") + f.input.Render("█") + "\n" +
			widget.StyleWarn.Render(widget.Wrap("not yet: "+f.Wrong, w))
	case f.Typing():
		return widget.StyleAsk.Render(" filter: ") + f.input.Render("█") +
			widget.StyleDim.Render("   such as "+FilterForm(Job(read)))
	case f.Text != "":
		return " filter " + widget.StyleBold.Render(f.Text) +
			widget.StyleDim.Render("   "+read.Keys().Back.Label()+" shows all modes again")
	}
	return ""
}

package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// form is a dialog of questions that each have an answer already: arrows walk
// and change, enter takes, esc leaves. Every dialog that asks is one.
type form struct {
	title  string
	verb   string               // what enter does at the end: "fit"
	note   func(w int) []string // below the questions
	width  int                  // at most
	fields []field
	at     int
	// walk is the field from which enter takes the form; before it enter goes
	// to the next question.
	walk int
}

// field is one question.
type field struct {
	name string
	text func() string // the answer, in words
	turn func(by int)  // the next one
	// typed takes a key that is no key of the form; nil: none does.
	typed func(k string)
	// steps says that the lower and higher keys are typed here, too.
	steps bool
}

// key takes a key; closed says that the dialog goes, taken that it counts.
func (f *form) key(k tea.KeyPressMsg) (closed, taken bool) {
	now := f.fields[f.at]
	switch {
	case key.Matches(k, keys.Back, keys.Quit):
		return true, false
	case f.walk > 0 && key.Matches(k, keys.StartNow):
		return true, true
	case key.Matches(k, keys.Enter):
		if f.at >= f.walk {
			return true, true
		}
		f.at++
	case key.Matches(k, keys.FieldNext):
		f.at = (f.at + 1) % len(f.fields)
	case key.Matches(k, keys.FieldPrev):
		f.at = (f.at + len(f.fields) - 1) % len(f.fields)
	case key.Matches(k, keys.OptionNext):
		now.turn(1)
	case key.Matches(k, keys.OptionPrev):
		now.turn(-1)
	case now.typed != nil:
		now.typed(k.String())
	}
	return false, false
}

func (f *form) hints() []hint {
	enter := named(keys.Enter, "next")
	if f.at >= f.walk {
		enter = named(keys.Enter, f.verb)
	}
	out := valid(enter)
	if f.walk > 0 {
		out = append(out, valid(keys.StartNow)...)
	}
	if len(f.fields) > 1 {
		out = append(out, valid(both(keys.FieldPrev, keys.FieldNext, "answer"))...)
	}
	out = append(out, valid(both(keys.OptionPrev, keys.OptionNext, "change"))...)
	if f.fields[f.at].steps {
		out = append(out, valid(both(keys.Lower, keys.Higher, "1 down, up"))...)
	}
	return append(out, valid(keys.Back)...)
}

// Render draws the dialog in at most w×h cells.
func (f *form) Render(w, h int) string {
	name := 0
	for _, q := range f.fields {
		name = max(name, ansi.StringWidth(q.name))
	}
	var lines []string
	for i, q := range f.fields {
		text := fmt.Sprintf(" %-*s   %s", name, q.name, q.text())
		if i == f.at {
			text = "▸" + styleCursor.Render(fmt.Sprintf("%-*s ‹ %s ›", name, q.name, q.text()))
		}
		lines = append(lines, text)
	}
	width := min(w, f.width)
	if notes := f.note(width - 4); len(notes) > 0 {
		lines = append(lines, "")
		for _, n := range notes {
			lines = append(lines, styleDim.Render(wrap(n, width-4)))
		}
	}
	text := strings.Join(lines, "\n")
	return box(f.title, "", text, width, min(h, strings.Count(text, "\n")+3))
}

// around steps through n options in a circle.
func around(at *int, by, n int) {
	if n > 0 {
		*at = (*at + by + n) % n
	}
}

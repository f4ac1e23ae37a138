package widget

import (
	"fmt"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// FormKeys are the keys of a form.
type FormKeys struct {
	Back, Quit, Enter, StartNow                  Action
	FieldNext, FieldPrev, OptionNext, OptionPrev Action
	Lower, Higher                                Action // where a field takes steps
}

// Form is a dialog of questions that each have an answer already: arrows walk
// and change, enter takes, esc leaves. Every dialog that asks is one.
type Form struct {
	Keys   FormKeys
	Title  string
	Verb   string               // what enter does at the end: "fit"
	Note   func(w int) []string // below the questions
	Width  int                  // at most
	Fields []Field
	At     int
	// Walk is the field from which enter takes the form; before it enter goes
	// to the next question.
	Walk int
	// Types is the field that takes digits typed at a question without an input.
	Types int
}

// Field is one question.
type Field struct {
	Name string
	Text func() string // the answer, in words
	Turn func(by int)  // the next one

	Input *Input // what is typed as an answer; nil: nothing
	Typed func() // the input has changed; nil: nobody asks
	// Wrong says why what was typed is no answer, or "": the form is not taken then. nil:
	// every answer is one.
	Wrong func() string
	Step  func(by int) // the lower and higher keys; nil: they do nothing
}

// Key takes a key; closed says that the dialog goes, taken that it counts.
func (f *Form) Key(k tea.KeyPressMsg) (closed, taken bool) {
	now := f.Fields[f.At]
	switch {
	case now.Input != nil && now.Input.Takes(k), now.Input == nil && k.Text != "" && f.types(k.Text):
		f.typed(k)
	case f.Keys.Back.Matches(k) || f.Keys.Quit.Matches(k):
		return true, false
	case f.Walk > 0 && f.Keys.StartNow.Matches(k):
		return f.take()
	case f.Keys.Enter.Matches(k):
		if f.At >= f.Walk {
			return f.take()
		}
		f.At++
	case f.Keys.FieldNext.Matches(k):
		f.At = (f.At + 1) % len(f.Fields)
	case f.Keys.FieldPrev.Matches(k):
		f.At = (f.At + len(f.Fields) - 1) % len(f.Fields)
	case f.Keys.OptionNext.Matches(k):
		now.Turn(1)
	case f.Keys.OptionPrev.Matches(k):
		now.Turn(-1)
	case now.Step != nil && f.Keys.Lower.Matches(k):
		now.Step(-1)
	case now.Step != nil && f.Keys.Higher.Matches(k):
		now.Step(1)
	}
	return false, false
}

// take ends the form, or goes to the first answer that is none.
func (f *Form) take() (closed, taken bool) {
	for i, q := range f.Fields {
		if q.Wrong != nil && q.Wrong() != "" {
			f.At = i
			return false, false
		}
	}
	return true, true
}

// Paste takes what the terminal pastes.
func (f *Form) Paste(m tea.PasteMsg) {
	if f.Fields[f.At].Input != nil || f.types(m.Content) {
		f.typed(m)
	}
}

// types goes to the field that takes a text at a question without an input.
func (f *Form) types(text string) bool {
	in := f.Fields[f.Types].Input
	if in == nil || !strings.ContainsFunc(in.taken(text), unicode.IsDigit) {
		return false
	}
	f.At = f.Types
	return true
}

func (f *Form) typed(msg tea.Msg) {
	now := f.Fields[f.At]
	now.Input.Update(msg)
	if now.Typed != nil {
		now.Typed()
	}
}

// Hints lists the keys that work now, for the last line.
func (f *Form) Hints() []Action {
	enter := f.Keys.Enter.As("next")
	if f.At >= f.Walk {
		enter = f.Keys.Enter.As(f.Verb)
	}
	out := []Action{enter}
	if f.Walk > 0 {
		out = append(out, f.Keys.StartNow)
	}
	if len(f.Fields) > 1 {
		out = append(out, f.Keys.FieldPrev.With(f.Keys.FieldNext, "answer"))
	}
	out = append(out, f.Keys.OptionPrev.With(f.Keys.OptionNext, "change"))
	if f.Fields[f.At].Step != nil {
		out = append(out, f.Keys.Lower.With(f.Keys.Higher, "1 down, up"))
	}
	return append(out, f.Keys.Back)
}

// Render draws the dialog in at most w×h cells.
func (f *Form) Render(w, h int) string {
	name := 0
	for _, q := range f.Fields {
		name = max(name, ansi.StringWidth(q.Name))
	}
	var lines []string
	for i, q := range f.Fields {
		text := fmt.Sprintf(" %-*s   %s", name, q.Name, q.Text())
		if i == f.At {
			text = "▸" + StyleCursor.Render(fmt.Sprintf("%-*s ‹ %s ›", name, q.Name, q.Text()))
		}
		if q.Wrong != nil && q.Wrong() != "" {
			wrong := " ✗ " + q.Wrong()
			if room := min(w, f.Width) - 4 - Width(wrong); Width(text) > room { // the reason stays in sight
				text = Cut(text, room)
			}
			text += StyleBad.Render(wrong)
		}
		lines = append(lines, text)
	}
	width := min(w, f.Width)
	if notes := f.Note(width - 4); len(notes) > 0 {
		lines = append(lines, "")
		for _, n := range notes {
			lines = append(lines, StyleDim.Render(Wrap(n, width-4)))
		}
	}
	text := strings.Join(lines, "\n")
	return Box(f.Title, "", text, width, min(h, strings.Count(text, "\n")+3))
}

// Around steps through n options in a circle.
func Around(at *int, by, n int) {
	if n > 0 {
		*at = (*at + by + n) % n
	}
}

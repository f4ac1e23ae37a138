package widget

import (
	"fmt"
	"slices"
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
	// Types is the field that takes digits typed at a question that takes none.
	Types int
}

// Field is one question.
type Field struct {
	Name string
	Text func() string // the answer, in words
	Turn func(by int)  // the next one; nil: it is only typed

	Input *Input // what is typed as an answer; nil: nothing
	Typed func() // the input has changed; nil: nobody asks
	// Wrong says why what was typed is no answer, or "": the form is not taken then. nil:
	// every answer is one.
	Wrong func() string
	Whole bool         // the answer is values: where room is short it is wrapped, not cut
	Step  func(by int) // the lower and higher keys; nil: they do nothing
	Left  func()       // the cursor goes to another question; nil: nobody asks
}

// Key takes a key; closed says that the dialog goes, taken that it counts.
func (f *Form) Key(k tea.KeyPressMsg) (closed, taken bool) {
	now, at := f.Fields[f.At], f.At
	defer func() {
		if f.At != at && now.Left != nil {
			now.Left()
		}
	}()
	switch {
	case now.Input != nil && now.Input.Takes(k), k.Text != "" && f.types(k.Text):
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
	case now.Turn != nil && f.Keys.OptionNext.Matches(k):
		now.Turn(1)
	case now.Turn != nil && f.Keys.OptionPrev.Matches(k):
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
	if f.Fields[f.At].Input == nil && f.Fields[f.Types].Input != nil {
		f.At = f.Types
	}
	if f.Fields[f.At].Input != nil {
		f.typed(m)
	}
}

// types goes to the field that takes digits typed at a question that takes none.
func (f *Form) types(text string) bool {
	in := f.Fields[f.Types].Input
	if in == nil || !in.may(text) || !strings.ContainsFunc(text, unicode.IsDigit) {
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
	start, works := f.Keys.StartNow, true
	if in := f.Fields[f.At].Input; in != nil && in.may(start.Label()) { // it takes the key as a letter
		start, works = start.Chord()
		works = works && f.At < f.Walk // from there on enter starts
	}
	if f.Walk > 0 && works {
		out = append(out, start)
	}
	if len(f.Fields) > 1 {
		out = append(out, f.Keys.FieldPrev.With(f.Keys.FieldNext, "answer"))
	}
	if f.Fields[f.At].Turn != nil {
		out = append(out, f.Keys.OptionPrev.With(f.Keys.OptionNext, "change"))
	}
	if f.Fields[f.At].Step != nil {
		out = append(out, f.Keys.Lower.With(f.Keys.Higher, "1 down, up"))
	}
	return append(out, f.Keys.Back)
}

// Render draws the dialog in at most w×h cells. Where there is too little room an answer loses whole
// clauses unless it is typed, then notes go, then the questions that are furthest from the cursor.
func (f *Form) Render(w, h int) string {
	width := min(w, f.Width)
	inner, room := width-4, h-2
	var asked [][]string
	rows := 0
	for i := range f.Fields {
		asked = append(asked, f.question(i, inner))
		rows += len(asked[i])
	}
	first, last := 0, len(asked)
	for rows > room && last-first > 1 {
		gone := first
		if f.At-first >= last-1-f.At {
			first++
		} else {
			last--
			gone = last
		}
		rows -= len(asked[gone])
	}
	lines := slices.Concat(asked[first:last]...)
	notes := f.notes(inner, room-len(lines))
	if len(notes) > 0 && len(lines)+len(notes) < room {
		lines = append(lines, "")
	}
	lines = append(lines, notes...)
	return Box(CutClause(f.Title, width-5), "", strings.Join(lines, "\n"), width, min(h, len(lines)+2))
}

// question is a question with its answer and why that is none, in lines of w cells.
func (f *Form) question(i, w int) []string {
	name, q := 0, f.Fields[i]
	for _, other := range f.Fields {
		name = max(name, ansi.StringWidth(other.Name))
	}
	head := fmt.Sprintf("%-*s ", name, q.Name)
	room := w - Width("▸"+head+"‹  ›")
	text := CutClause(q.Text(), room)
	if q.Whole || q.Input != nil && q.Input.Value() != "" {
		text = Wrap(q.Text(), room)
	}
	lines := strings.Split(text, "\n")
	for k, line := range lines {
		switch {
		case k > 0:
			line = strings.Repeat(" ", 3+Width(head)) + line
		case i == f.At && len(lines) == 1:
			line = "▸" + StyleCursor.Render(head+"‹ "+line+" ›")
		case i == f.At:
			line = "▸" + StyleCursor.Render(head+"‹ "+line)
		default:
			line = " " + head + "  " + line
		}
		lines[k] = line
	}
	if q.Wrong == nil || q.Wrong() == "" {
		return lines
	}
	wrong := "✗ " + q.Wrong()
	if last := &lines[len(lines)-1]; Width(*last)+1+Width(wrong) <= w {
		*last += " " + StyleBad.Render(wrong)
		return lines
	}
	const under = 3
	for part := range strings.SplitSeq(Wrap(wrong, w-under), "\n") {
		lines = append(lines, strings.Repeat(" ", under)+StyleBad.Render(part))
	}
	return lines
}

// notes are the notes that have room in that many lines of w cells, each whole or its first clauses.
func (f *Form) notes(w, rows int) (out []string) {
	for _, n := range f.Note(w) {
		lines := strings.Split(Wrap(n, w), "\n")
		if len(out)+len(lines) > rows {
			lines = []string{CutClause(n, w)}
		}
		if len(out)+len(lines) > rows || Width(lines[0]) > w {
			break
		}
		for _, line := range lines {
			out = append(out, StyleDim.Render(line))
		}
	}
	return out
}

// Around steps through n options in a circle.
func Around(at *int, by, n int) {
	if n > 0 {
		*at = (*at + by + n) % n
	}
}

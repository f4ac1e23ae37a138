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
	Lower, Higher                                Action // step the value of a field
	More                                         Action // the fields that are not shown at first
}

// Form is a dialog of questions that already have an answer: arrows move and change, enter accepts, esc closes. Every
// dialog with questions uses it.
type Form struct {
	Keys   FormKeys
	Title  string
	Verb   string               // what the final enter does: "fit"
	Note   func(w int) []string // below the questions
	Width  int                  // maximum
	Fields []Field
	At     int
	// Walk is the first field at which enter accepts the form; before it enter moves to the next field.
	Walk int
	// Types is the field for digits typed at a field without an input.
	Types int
}

// Field is one question.
type Field struct {
	Name string
	Text func() string // the answer in words; nil: what is typed
	Turn func(by int)  // steps through the answers; nil: it can only be typed

	Input *Input        // for a typed answer; nil: none
	Empty func() string // without a Text: the answer in words while nothing is typed, which Turn clears; may be nil
	Typed func()        // called when the input changes; may be nil
	// Wrong returns why the typed answer is not valid, or ""; the form cannot be accepted then. nil: every answer is
	// valid.
	Wrong func() string
	Whole bool         // the answer is a list of values: it is wrapped, not cut
	Step  func(by int) // the lower and higher keys; nil: no effect
	Left  func()       // called when the cursor leaves the field; may be nil
	More  bool         // it is not shown until the key for more is pressed, or its answer is not valid
}

// text returns the answer in words.
func (q *Field) text() string {
	switch {
	case q.Text != nil:
		return q.Text()
	case q.Input.Value() == "" && q.Empty != nil:
		return q.Empty()
	}
	return q.Input.Render("_")
}

// turn steps through the answers.
func (q *Field) turn(by int) {
	if q.Empty != nil {
		q.Input.SetValue("")
	}
	q.Turn(by)
}

// Key handles a key; closed reports whether the dialog closes, taken whether its answers count.
func (f *Form) Key(k tea.KeyPressMsg) (closed, taken bool) {
	now, at := f.Fields[f.At], f.At
	defer func() {
		if f.At != at && now.Left != nil {
			now.Left()
		}
	}()
	switch {
	case f.Takes(k), k.Text != "" && f.types(k.Text):
		f.typed(k)
	case f.Keys.Back.Matches(k) || f.Keys.Quit.Matches(k):
		return true, false
	case f.Walk > 0 && f.Keys.StartNow.Matches(k):
		return f.take()
	case f.Keys.Enter.Matches(k):
		if f.last() {
			return f.take()
		}
		f.move(1)
	case f.Keys.FieldNext.Matches(k):
		f.move(1)
	case f.Keys.FieldPrev.Matches(k):
		f.move(-1)
	case f.Keys.More.Matches(k):
		f.unfold()
	case now.Turn != nil && f.Keys.OptionNext.Matches(k):
		now.turn(1)
	case now.Turn != nil && f.Keys.OptionPrev.Matches(k):
		now.turn(-1)
	case now.Step != nil && f.Keys.Lower.Matches(k):
		now.Step(-1)
	case now.Step != nil && f.Keys.Higher.Matches(k):
		now.Step(1)
	case now.Input != nil && k.Text != "": // no key of the form: the text shows it, and says what is wrong with it
		f.typed(k)
	}
	return false, false
}

// move moves the cursor to the next or previous shown field, in a circle.
func (f *Form) move(by int) {
	Around(&f.At, by, len(f.Fields))
	for f.Fields[f.At].More {
		Around(&f.At, by, len(f.Fields))
	}
}

// last reports whether enter accepts the form: at an optional field, and where none that is shown follows.
func (f *Form) last() bool { return f.At >= f.Walk || len(f.folded()) == len(f.Fields)-1-f.At }

// folded returns the names of the fields that are not shown.
func (f *Form) folded() (names []string) {
	for _, q := range f.Fields {
		if q.More {
			names = append(names, q.Name)
		}
	}
	return names
}

// unfold shows all fields.
func (f *Form) unfold() {
	for i := range f.Fields {
		f.Fields[i].More = false
	}
}

// take accepts the form, or moves to the first answer that is not valid.
func (f *Form) take() (closed, taken bool) {
	for i, q := range f.Fields {
		if q.Wrong != nil && q.Wrong() != "" {
			if f.At = i; q.More {
				f.unfold()
			}
			return false, false
		}
	}
	return true, true
}

// Paste passes pasted text to an input.
func (f *Form) Paste(m tea.PasteMsg) {
	if f.Fields[f.At].Input == nil && f.Fields[f.Types].Input != nil {
		f.At = f.Types
	}
	if f.Fields[f.At].Input != nil {
		f.typed(m)
	}
}

// types moves to the field for digits typed at a field without an input.
func (f *Form) types(text string) bool {
	in := f.Fields[f.Types].Input
	if in == nil || !in.may(text) || !strings.ContainsFunc(text, unicode.IsDigit) {
		return false
	}
	f.At = f.Types
	return true
}

// Takes reports whether a key types or edits the text of the field at the cursor. In a text that was begun most keys of
// the form are characters: 1e3, 30kW; so is the key that starts, in a word that is not complete: least energy.
func (f *Form) Takes(k tea.KeyPressMsg) bool {
	q := f.Fields[f.At]
	in := q.Input
	if in == nil || in.Takes(k) {
		return in != nil
	}
	starts := f.Walk > 0 && f.Keys.StartNow.Matches(k) && !(in.inWord() && q.Wrong != nil && q.Wrong() != "")
	return k.Text != "" && in.Value() != "" && !starts && !f.Keys.Lower.Matches(k) && !f.Keys.Higher.Matches(k)
}

func (f *Form) typed(msg tea.Msg) {
	now := f.Fields[f.At]
	now.Input.Update(msg)
	if now.Typed != nil {
		now.Typed()
	}
}

// Hints lists the keys that work now.
func (f *Form) Hints() []Action {
	enter := f.Keys.Enter.As("next")
	if f.last() {
		enter = f.Keys.Enter.As(f.Verb)
	}
	out := []Action{enter}
	start, works := f.Keys.StartNow, true
	if in := f.Fields[f.At].Input; in != nil && in.may(start.Label()) { // the input takes the key as a character
		start, works = start.chord()
		works = works && !f.last() // enter starts too
	}
	if f.Walk > 0 && works {
		out = append(out, start)
	}
	if len(f.Fields) > 1 {
		out = append(out, f.Keys.FieldPrev.With(f.Keys.FieldNext, "field"))
	}
	if f.Fields[f.At].Turn != nil {
		out = append(out, f.Keys.OptionPrev.With(f.Keys.OptionNext, "change"))
	}
	if f.Fields[f.At].Step != nil {
		out = append(out, f.Keys.Lower.With(f.Keys.Higher, f.Fields[f.At].Name+" ±1"))
	}
	if f.folded() != nil {
		out = append(out, f.Keys.More)
	}
	return append(out, f.Keys.Back)
}

// Render draws the dialog in at most w×h cells. If there is too little room it drops clauses of answers that are not
// being typed, then notes, then the fields farthest from the cursor.
func (f *Form) Render(w, h int) string {
	width := min(w, f.Width)
	inner, room := width-4, h-2
	var asked [][]string
	rows := 0
	for i := range f.Fields {
		if asked = append(asked, f.question(i, inner)); f.Fields[i].More {
			asked[i] = nil
		}
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
	if more := f.folded(); more != nil && len(lines) < room {
		says := CutClause("more: "+strings.Join(more, ", "), inner-6)
		lines = append(lines, " "+f.Keys.More.Label()+" "+StyleDim.Render(says))
	}
	notes := f.notes(inner, room-len(lines))
	if len(notes) > 0 && len(lines)+len(notes) < room {
		lines = append(lines, "")
	}
	lines = append(lines, notes...)
	return Box(CutClause(f.Title, width-5), "", strings.Join(lines, "\n"), width, min(h, len(lines)+2))
}

// question renders a field with its answer and error in lines of w cells.
func (f *Form) question(i, w int) []string {
	name, q := 0, f.Fields[i]
	for _, other := range f.Fields {
		name = max(name, ansi.StringWidth(other.Name))
	}
	head := fmt.Sprintf("%-*s ", name, q.Name)
	room := w - Width("▸"+head+"‹  ›")
	text := CutClause(q.text(), room)
	if q.Whole || q.Input != nil && q.Input.Value() != "" {
		text = Wrap(q.text(), room)
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

// notes returns the notes that fit, each in full or its first clauses.
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

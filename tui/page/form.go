package page

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/tui/widget"
)

// Form is a dialog of questions that already have an answer: arrows move and change, enter accepts, esc closes. Every
// dialog with questions uses it.
type Form struct {
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
	keys  *Keys
}

// Field is one question.
type Field struct {
	Name string
	Text func() string // the answer in words; nil: what is typed
	Turn func(by int)  // steps through the answers; nil: it can only be typed

	Input *widget.Input // for a typed answer; nil: none
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

// Question is a form over the page, and what its answers request.
type Question struct {
	*Form
	read Reader
	of   string
	take func() Intent
}

// Question returns a form with the user's keys; take returns what its answers request. of is its part of the table of
// numbers; without one it has no help.
func (r Reader) Question(of string, f Form, take func() Intent) Question {
	f.keys = r.Keys()
	return Question{&f, r, of, take}
}

// Numbers explains the questions, for the help.
func (q Question) Numbers() []string { return Numbers(q.of) }

// Acts lists what the keys do, with help before the back key.
func (q Question) Acts() Acts {
	keys, now := q.read.Keys(), q.Fields[q.At]
	enter := On(keys.Enter.As("next"), func() { q.move(1) })
	if q.last() {
		enter = On(keys.Enter.As(q.Verb), q.accept)
	}
	start, works := keys.StartNow, q.Walk > 0
	if in := now.Input; in != nil && in.May(start.Label()) { // the input takes the key as a character
		start, works = start.Chord()
		works = works && q.Walk > 0 && !q.last() // enter starts too
	}
	out := Acts{In(q.types, nil), enter, Quiet(keys.StartNow, q.Walk > 0, q.accept)}
	if works {
		out = append(out, Shown(start))
	}
	fields, more := Both(keys.FieldPrev, keys.FieldNext, q.move), On(keys.More, q.unfold)
	if len(q.Fields) > 1 {
		fields = fields.As("field", "")
	} else {
		fields = fields.Unnamed()
	}
	out = append(out, fields...)
	if now.Turn != nil {
		out = append(out, Both(keys.OptionPrev, keys.OptionNext, now.turn).As("change", "")...)
	}
	if now.Step != nil {
		out = append(out, Both(keys.Lower, keys.Higher, now.Step).As(now.Name+" ±1", "")...)
	}
	if q.folded() == nil {
		more = more.Unnamed()
	}
	if out = append(out, more); q.of != "" {
		out = append(out, Shown(keys.Help))
	}
	return slices.Concat(out, Closing(keys.Back, keys.Quit), Acts{In(q.other, nil)})
}

// types edits the text of the field at the cursor, or of that for digits.
func (f *Form) types(k tea.KeyPressMsg) bool {
	typing := f.Takes(k) || k.Text != "" && f.digits(k.Text)
	if typing {
		f.typed(k)
	}
	return typing
}

// other takes every other key: a text shows it, and says what is wrong with it.
func (f *Form) other(k tea.KeyPressMsg) bool {
	if f.Fields[f.At].Input != nil && k.Text != "" {
		f.typed(k)
	}
	return true
}

// to moves the cursor to a field.
func (f *Form) to(i int) {
	now := f.Fields[f.At]
	if i == f.At {
		return
	}
	if f.At = i; now.Left != nil {
		now.Left()
	}
}

// move moves the cursor to the next or previous shown field, in a circle.
func (f *Form) move(by int) {
	at := f.At
	widget.Around(&at, by, len(f.Fields))
	for f.Fields[at].More {
		widget.Around(&at, by, len(f.Fields))
	}
	f.to(at)
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

// accept closes the form with what its answers request, or moves to the first answer that is not valid.
func (q Question) accept() Intent {
	for i, field := range q.Fields {
		if field.Wrong != nil && field.Wrong() != "" {
			if q.to(i); field.More {
				q.unfold()
			}
			return nil
		}
	}
	return All{Close{}, q.take()}
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

// digits moves to the field for digits typed at a field without an input.
func (f *Form) digits(text string) bool {
	in := f.Fields[f.Types].Input
	if in == nil || !in.May(text) || !strings.ContainsFunc(text, unicode.IsDigit) {
		return false
	}
	f.to(f.Types)
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
	starts := f.Walk > 0 && f.keys.StartNow.Matches(k) && !(in.InWord() && q.Wrong != nil && q.Wrong() != "")
	return k.Text != "" && in.Value() != "" && !starts && !f.keys.Lower.Matches(k) && !f.keys.Higher.Matches(k)
}

func (f *Form) typed(msg tea.Msg) {
	now := f.Fields[f.At]
	now.Input.Update(msg)
	if now.Typed != nil {
		now.Typed()
	}
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
		says := widget.CutClause("more: "+strings.Join(more, ", "), inner-6)
		lines = append(lines, " "+f.keys.More.Label()+" "+widget.StyleDim.Render(says))
	}
	notes := f.notes(inner, room-len(lines))
	if len(notes) > 0 && len(lines)+len(notes) < room {
		lines = append(lines, "")
	}
	lines = append(lines, notes...)
	return widget.Box(widget.CutClause(f.Title, width-5), "", strings.Join(lines, "\n"), width, min(h, len(lines)+2))
}

// question renders a field with its answer and error in lines of w cells.
func (f *Form) question(i, w int) []string {
	name, q := 0, f.Fields[i]
	for _, other := range f.Fields {
		name = max(name, ansi.StringWidth(other.Name))
	}
	head := fmt.Sprintf("%-*s ", name, q.Name)
	room := w - widget.Width("▸"+head+"‹  ›")
	text := widget.CutClause(q.text(), room)
	if q.Whole || q.Input != nil && q.Input.Value() != "" {
		text = widget.Wrap(q.text(), room)
	}
	lines := strings.Split(text, "\n")
	for k, line := range lines {
		switch {
		case k > 0:
			line = strings.Repeat(" ", 3+widget.Width(head)) + line
		case i == f.At && len(lines) == 1:
			line = "▸" + widget.StyleCursor.Render(head+"‹ "+line+" ›")
		case i == f.At:
			line = "▸" + widget.StyleCursor.Render(head+"‹ "+line)
		default:
			line = " " + head + "  " + line
		}
		lines[k] = line
	}
	if q.Wrong == nil || q.Wrong() == "" {
		return lines
	}
	wrong := "✗ " + q.Wrong()
	if last := &lines[len(lines)-1]; widget.Width(*last)+1+widget.Width(wrong) <= w {
		*last += " " + widget.StyleBad.Render(wrong)
		return lines
	}
	const under = 3
	for part := range strings.SplitSeq(widget.Wrap(wrong, w-under), "\n") {
		lines = append(lines, strings.Repeat(" ", under)+widget.StyleBad.Render(part))
	}
	return lines
}

// notes returns the notes that fit, each in full or its first clauses.
func (f *Form) notes(w, rows int) (out []string) {
	for _, n := range f.Note(w) {
		lines := strings.Split(widget.Wrap(n, w), "\n")
		if len(out)+len(lines) > rows {
			lines = []string{widget.CutClause(n, w)}
		}
		if len(out)+len(lines) > rows || widget.Width(lines[0]) > w {
			break
		}
		for _, line := range lines {
			out = append(out, widget.StyleDim.Render(line))
		}
	}
	return out
}

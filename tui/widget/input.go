package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	plain "jtune/internal/text"
)

// Input is one line of editable text. Bubbles' textinput edits it; Input says which characters it takes, and draws
// plain cells.
type Input struct {
	text textinput.Model
	keys string
}

// MostFilter is the maximum length of a filter in characters.
const MostFilter = 80

// NewInput returns an input of at most that many characters with the cursor at the end. It takes the characters in
// keys; "" takes all printable ones. Other keys keep their usual meaning. Pasted text is not restricted, so that the
// user sees what is wrong with it, but control characters are removed.
func NewInput(text, keys string, most int) *Input {
	in := &Input{text: textinput.New(), keys: keys}
	in.text.CharLimit = most
	in.text.KeyMap.Paste.SetEnabled(false) // it would run a program; the terminal pastes
	in.text.SetValue(text)
	in.text.Focus()
	return in
}

// Value returns the text.
func (in *Input) Value() string { return in.text.Value() }

// SetValue replaces the text and moves the cursor to its end.
func (in *Input) SetValue(text string) {
	in.text.SetValue(text)
	in.text.CursorEnd()
}

// Only changes which characters it takes.
func (in *Input) Only(keys string) { in.keys = keys }

// Update handles a key or pasted text.
func (in *Input) Update(msg tea.Msg) {
	switch m := msg.(type) {
	case tea.KeyPressMsg:
		if plain.Plain(m.Text) != m.Text {
			return
		}
		head, rest := in.parts()
		if key.Matches(m, in.text.KeyMap.DeleteWordForward) && lastWord(rest) {
			in.SetValue(head)
			return
		}
	case tea.PasteMsg:
		msg = tea.PasteMsg{Content: strings.TrimSpace(plain.Plain(m.Content))}
	}
	in.text, _ = in.text.Update(msg)
}

// parts returns the text before and after the cursor.
func (in *Input) parts() (head, rest string) {
	text := []rune(in.Value())
	at := min(in.text.Position(), len(text))
	return string(text[:at]), string(text[at:])
}

// InWord reports whether a letter is before the cursor.
func (in *Input) InWord() bool {
	head, _ := in.parts()
	last, _ := utf8.DecodeLastRuneInString(head)
	return unicode.IsLetter(last)
}

// lastWord reports whether only spaces follow the first character of a text. Deleting such a word makes textinput
// (bubbles 2.2.1, deleteWordForward) read past the end of its text and panic.
func lastWord(rest string) bool {
	_, size := utf8.DecodeRuneInString(rest)
	return strings.TrimSpace(rest[size:]) == ""
}

// May reports whether it takes the text.
func (in *Input) May(text string) bool { return in.keys == "" || strings.ContainsAny(text, in.keys) }

// Takes reports whether a key types or edits text. Other keys, and a step past either end of the text, keep their usual
// meaning.
func (in *Input) Takes(k tea.KeyPressMsg) bool {
	if k.Text != "" {
		return in.May(k.Text)
	}
	m, at, last := in.text.KeyMap, in.text.Position(), len([]rune(in.Value()))
	switch {
	case key.Matches(k, m.CharacterForward, m.WordForward):
		return at < last
	case key.Matches(k, m.CharacterBackward, m.WordBackward):
		return at > 0
	}
	return last > 0 && key.Matches(k, m.LineStart, m.LineEnd, m.DeleteBeforeCursor, m.DeleteAfterCursor,
		m.DeleteCharacterBackward, m.DeleteCharacterForward, m.DeleteWordBackward, m.DeleteWordForward)
}

// Render draws the text with its cursor: the glyph end at its end, otherwise the character under the cursor in reverse.
func (in *Input) Render(end string) string {
	head, rest := in.parts()
	head, rest = plain.Plain(head), plain.Plain(rest)
	if rest == "" {
		return head + end
	}
	_, size := utf8.DecodeRuneInString(rest)
	return head + StyleCursor.Render(rest[:size]) + rest[size:]
}

// Around steps through n options in a circle.
func Around(at *int, by, n int) {
	if n > 0 {
		*at = (*at + by + n) % n
	}
}

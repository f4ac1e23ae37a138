package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Search finds a text in rows, without regard to case. The cursor goes to the first
// row that holds it while it is typed, then to the next one or the one before, around
// the end.
type Search struct {
	text  string
	input *Input // the text while it is typed; nil: it is not
	from  int    // where the cursor was
	none  bool   // no row holds the text
}

// Typing reports whether the text is being typed: all keys are the search's.
func (s *Search) Typing() bool { return s.input != nil }

// On reports whether a text is searched for.
func (s *Search) On() bool { return s.Typing() || s.text != "" }

// Key takes a key that means something here, with the cursor at a row of n. It returns
// where the cursor goes.
func (s *Search) Key(k tea.KeyPressMsg, keys ListKeys, at, n int, row func(i int) string) (to int, taken bool) {
	switch {
	case s.Typing() && keys.Next.Matches(k):
		s.input = nil
	case s.Typing() && keys.Back.Matches(k):
		at, *s = s.from, Search{}
	case s.Typing():
		s.input.Update(k)
		at = s.typed(n, row)
	case keys.Search.Matches(k):
		*s = Search{input: NewInput("", "", MostFilter), from: at}
	case !s.On():
		return at, false
	case keys.Back.Matches(k):
		*s = Search{}
	case keys.Next.Matches(k):
		at = s.find(at, 1, n, row)
	case keys.Prev.Matches(k):
		at = s.find(at, -1, n, row)
	default:
		return at, false
	}
	return at, true
}

// Paste takes what the terminal pastes while the text is typed.
func (s *Search) Paste(m tea.PasteMsg, at, n int, row func(i int) string) (to int) {
	if !s.Typing() {
		return at
	}
	s.input.Update(m)
	return s.typed(n, row)
}

// typed searches for what has been typed, from where the cursor was.
func (s *Search) typed(n int, row func(i int) string) int {
	s.text = s.input.Value()
	return s.find(s.from-1, 1, n, row)
}

// find is the next row from one on that holds the text; that row where none does.
func (s *Search) find(at, by, n int, row func(i int) string) int {
	text := strings.ToLower(s.text)
	for i := 1; i <= n; i++ {
		to := ((at+by*i)%n + n) % n
		if strings.Contains(strings.ToLower(ansi.Strip(row(to))), text) {
			s.none = false
			return to
		}
	}
	s.none = true
	return max(0, min(at, n-1))
}

// Hints lists the keys that work now, for the last line.
func (s *Search) Hints(keys ListKeys) []Action {
	if s.Typing() {
		return []Action{keys.Next.As("search for it"), keys.Back.As("leave it")}
	}
	return []Action{keys.Next, keys.Prev, keys.Back.As("end the search")}
}

// Note says what is searched for; "" when nothing is.
func (s *Search) Note() string {
	text := "search " + s.text
	if s.Typing() {
		text = "search " + s.input.Render("_")
	}
	switch {
	case !s.On():
		return ""
	case s.none && s.text != "":
		return text + ": in no line"
	}
	return text
}

// Mark sets off the text in a line that holds it.
func (s *Search) Mark(line string) string {
	if s.text == "" {
		return line
	}
	plain := ansi.Strip(line)
	at := strings.Index(strings.ToLower(plain), strings.ToLower(s.text))
	if at < 0 || at+len(s.text) > len(plain) {
		return line
	}
	end := at + len(s.text)
	return plain[:at] + StyleCursor.Render(plain[at:end]) + plain[end:]
}

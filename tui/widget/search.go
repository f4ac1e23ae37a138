package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Search finds a text in rows, ignoring case. While the text is typed the cursor moves to the first match; then keys
// move to the next or previous match, wrapping around.
type Search struct {
	text  string
	input *Input // the text while it is typed; nil: closed
	from  int    // where the search started
	none  bool   // no row matches
}

// Typing reports whether the text is typed, so that all keys go to the search.
func (s *Search) Typing() bool { return s.input != nil }

// On reports whether a search is active.
func (s *Search) On() bool { return s.Typing() || s.text != "" }

// Key handles a key, with the cursor at row at of n. It returns the new row, and whether the key was used.
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

// Paste handles text pasted while typing.
func (s *Search) Paste(m tea.PasteMsg, at, n int, row func(i int) string) (to int) {
	if !s.Typing() {
		return at
	}
	s.input.Update(m)
	return s.typed(n, row)
}

// typed searches for the typed text from where the search started.
func (s *Search) typed(n int, row func(i int) string) int {
	s.text = s.input.Value()
	return s.find(s.from-1, 1, n, row)
}

// find returns the next row after at that contains the text; at if there is none.
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

// Hints lists the keys that work now; nil if there is no search.
func (s *Search) Hints(keys ListKeys) []Action {
	switch {
	case !s.On():
		return nil
	case s.Typing():
		return []Action{keys.Next.As("search for it"), keys.Back.As("leave it")}
	}
	return []Action{keys.Next, keys.Prev, keys.Back.As("end the search")}
}

// Note shows the search; "" if there is none.
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

// mark highlights the text in a matching line.
func (s *Search) mark(line string) string {
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

package widget

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Action is one thing that keys do: a row of a key table. Matching, the last
// line and the help are made from it; it is known by its ID, never by its
// words.
type Action struct {
	key.Binding        // the keys, their label and the word for the last line
	ID          string // "next_page"
	Does        string // for the help; "": the word says enough
	Why         string // it does not work now, because …; "": it works
}

// Matches reports whether a key is one of the action's.
func (a *Action) Matches(k tea.KeyPressMsg) bool { return key.Matches(k, a.Binding) }

// Pressed is a press of the action's first key.
func (a *Action) Pressed() tea.KeyPressMsg {
	if len(a.Keys()) == 0 {
		return tea.KeyPressMsg{}
	}
	return KeyPress(a.Keys()[0])
}

var keyCodes = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp,
	"down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "insert": tea.KeyInsert,
	"delete": tea.KeyDelete}

// KeyPress is the press of a key by its name: "a", "enter", "ctrl+s", "shift+tab".
func KeyPress(name string) tea.KeyPressMsg {
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
	}
	rest, shifted := strings.CutPrefix(name, "shift+")
	if code, ok := keyCodes[rest]; ok {
		if shifted {
			return tea.KeyPressMsg{Code: code, Mod: tea.ModShift}
		}
		return tea.KeyPressMsg{Code: code}
	}
	if name == "space" {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// Label is what the action's key is called on the screen.
func (a *Action) Label() string { return a.Help().Key }

// As is the action under another word, where it does something of its own.
func (a Action) As(word string) Action {
	a.SetHelp(a.Label(), word)
	a.Does = ""
	return a
}

// Doing is the action with a help text of its own.
func (a Action) Doing(does string) Action {
	a.Does = does
	return a
}

// Unless is the action, which does not work now where why is not "".
func (a Action) Unless(why string) Action {
	a.Why = why
	return a
}

// Chord is the action by the first of its keys that writes no letter; false where it has none.
func (a *Action) Chord() (by Action, has bool) {
	for _, k := range a.Keys() {
		if strings.HasPrefix(k, "ctrl+") {
			by = *a
			by.SetHelp(k, a.Help().Desc)
			return by, true
		}
	}
	return *a, false
}

// With is two actions that belong together under one word: "← →", "[ ]".
func (a *Action) With(b Action, word string) Action {
	between := " "
	if a.Label() == "←" || a.Label() == "↑" {
		between = ""
	}
	both := a.As(word)
	both.SetHelp(a.Label()+between+b.Label(), word)
	return both
}

// Explained is what the action does, in words for the help.
func (a *Action) Explained() string {
	if a.Does != "" {
		return a.Does
	}
	return a.Help().Desc
}

// Press is how a key is called in running text.
func Press(a Action) string { return StyleKey.Render(a.Label()) }

// Footer fits the hints into the last line: the last keep of them always, then
// the first ones first.
func Footer(hints []Action, keep, w int) string {
	var parts []string
	for _, h := range footerHints(hints, keep, w) {
		parts = append(parts, h.footerText())
	}
	return Cut(strings.Join(parts, footerGap), w)
}

// FooterAt is the action whose hint is drawn in a column of that line; false where there is none.
func FooterAt(hints []Action, keep, w, x int) (a Action, ok bool) {
	at := 0
	for _, h := range footerHints(hints, keep, w) {
		n := Width(h.footerText())
		if x >= at && x < at+n {
			return h, true
		}
		at += n + len(footerGap)
	}
	return a, false
}

// footerGap separates two hints.
const footerGap = "  "

// footerHints are those that have room, in their order.
func footerHints(hints []Action, keep, w int) []Action {
	own, last := hints[:len(hints)-keep], hints[len(hints)-keep:]
	room := w
	for _, k := range last {
		room -= Width(k.Label()+" "+k.Help().Desc) + len(footerGap)
	}
	return slices.Concat(fitting(own, room), fitting(last, w))
}

// fitting are the hints that have room, the first ones first.
func fitting(hints []Action, room int) (out []Action) {
	for _, k := range hints {
		if n := Width(k.footerText()); n <= room {
			out = append(out, k)
			room -= n + len(footerGap)
		}
	}
	return out
}

// footerText is the hint of the action; one that does not work now says why.
func (a *Action) footerText() string {
	if a.Why != "" {
		return StyleDim.Render(a.Label() + " " + a.Help().Desc + " (" + a.Why + ")")
	}
	return StyleKey.Render(a.Label()) + " " + a.Help().Desc
}

// ListKeys are the keys that walk rows, and search them.
type ListKeys struct {
	Up, Down, PageUp, PageDown, HalfUp, HalfDown, Home, End Action
	Search, Next, Prev, Back                                Action
}

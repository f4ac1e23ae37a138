package widget

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Action is what one or more keys do: a row of the key table. Matching, the last line and the help use it; it is
// identified by its ID, never by its words.
type Action struct {
	key.Binding        // keys, their label, and the word in the last line
	ID          string // "next_page"
	Does        string // help text; "": the word is enough
	Why         string // why it is not available; "": it is
}

// Matches reports whether a key is one of the action's.
func (a *Action) Matches(k tea.KeyPressMsg) bool { return key.Matches(k, a.Binding) }

// Pressed returns a press of the action's first key.
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

// KeyPress returns the press of a key by name: "a", "enter", "ctrl+s", "shift+tab".
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

// Label returns the key's name on the screen.
func (a *Action) Label() string { return a.Help().Key }

// As returns the action with another word in the last line.
func (a Action) As(word string) Action {
	a.SetHelp(a.Label(), word)
	a.Does = ""
	return a
}

// Doing returns the action with another help text.
func (a Action) Doing(does string) Action {
	a.Does = does
	return a
}

// Unless returns the action, unavailable if why is not "".
func (a Action) Unless(why string) Action {
	a.Why = why
	return a
}

// Chord returns the action with only its first key that is no printable character; has is false if there is none.
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

// With combines two related actions under one word: "← →", "[ ]".
func (a *Action) With(b Action, word string) Action {
	between := " "
	if a.Label() == "←" || a.Label() == "↑" {
		between = ""
	}
	both := a.As(word)
	both.SetHelp(a.Label()+between+b.Label(), word)
	return both
}

// Explained returns the action's help text.
func (a *Action) Explained() string {
	if a.Does != "" {
		return a.Does
	}
	return a.Help().Desc
}

// Press formats a key for running text.
func Press(a Action) string { return StyleKey.Render(a.Label()) }

// Footer renders the hints in the last line: always the last keep, then as many others as fit, first ones first.
func Footer(hints []Action, keep, w int) string {
	var parts []string
	for _, h := range footerHints(hints, keep, w) {
		parts = append(parts, h.footerText())
	}
	return Cut(strings.Join(parts, footerGap), w)
}

// FooterAt returns the action whose hint is drawn in column x of the footer; ok is false if there is none.
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

// footerHints returns the hints that fit, in order.
func footerHints(hints []Action, keep, w int) []Action {
	own, last := hints[:len(hints)-keep], hints[len(hints)-keep:]
	room := w
	for _, k := range last {
		room -= Width(k.Label()+" "+k.Help().Desc) + len(footerGap)
	}
	return slices.Concat(fitting(own, room), fitting(last, w))
}

// fitting returns the hints that fit, first ones first.
func fitting(hints []Action, room int) (out []Action) {
	for _, k := range hints {
		if n := Width(k.footerText()); n <= room {
			out = append(out, k)
			room -= n + len(footerGap)
		}
	}
	return out
}

// footerText renders the action's hint, with the reason if it is not available.
func (a *Action) footerText() string {
	if a.Why != "" {
		return StyleDim.Render(a.Label() + " " + a.Help().Desc + " (" + a.Why + ")")
	}
	return StyleKey.Render(a.Label()) + " " + a.Help().Desc
}

// ListKeys are the keys that move through rows and search them.
type ListKeys struct {
	Up, Down, PageUp, PageDown, HalfUp, HalfDown, Home, End Action
	Search, Next, Prev, Back                                Action
}

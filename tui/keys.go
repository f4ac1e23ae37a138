package tui

import (
	"charm.land/bubbles/v2/key"
)

// bind makes one entry of the key table: what is typed, how it is called in
// the last line, and what it does in the help.
func bind(show, short string, typed ...string) key.Binding {
	return key.NewBinding(key.WithKeys(typed...), key.WithHelp(show, short))
}

// keyTable is the table of keys: matching, the last line, the help and the
// names in the configuration file are all made from it. Tags tell where an
// action is heard: a page, a dialog ("form", "compose"), the line where a
// filter is "typed", a "question" over the page, the "help", or "everywhere",
// which is all pages. No function keys, no alt chords, nothing that screen and
// tmux keep for themselves.
type keyTable struct {
	NextPage, PrevPage, Help, Freeze, Tune, Undo, Copy, Export, Quit, Mouse, Slower, Faster key.Binding `on:"everywhere"`
	Page                                                                                    key.Binding `on:"everywhere" fixed:"the digits open the pages"`

	Enlarge      key.Binding `on:"everywhere"`
	Back         key.Binding `on:"everywhere form compose typed question"`
	Up, Down     key.Binding `on:"train profile models front modes compose help"`
	Left, Right  key.Binding `on:"front modes compose"`
	PageUp       key.Binding `on:"train front modes help"`
	PageDown     key.Binding `on:"train front modes help"`
	Home, End    key.Binding `on:"train front modes compose"`
	Enter        key.Binding `on:"form compose typed"`
	Apply        key.Binding `on:"front modes compose question"`
	Yes, No      key.Binding `on:"question"`
	Filter       key.Binding `on:"train modes"`
	Sort         key.Binding `on:"modes"`
	Reverse      key.Binding `on:"modes"`
	AtBoot       key.Binding `on:"modes"`
	Compare      key.Binding `on:"modes"`
	Presets      key.Binding `on:"modes"`
	Compose      key.Binding `on:"modes"`
	Block        key.Binding `on:"modes"`
	Lower        key.Binding `on:"front form"`
	Higher       key.Binding `on:"front form"`
	Axes, Group  key.Binding `on:"front"`
	Verify       key.Binding `on:"front"`
	Table        key.Binding `on:"front"`
	Answer       key.Binding `on:"front"`
	Size         key.Binding `on:"front"`
	SizeBefore   key.Binding `on:"front"`
	Log, Whole   key.Binding `on:"front"`
	ZoomIn       key.Binding `on:"front"`
	ZoomOut      key.Binding `on:"front"`
	Start, Edit  key.Binding `on:"train"`
	Stop         key.Binding `on:"train profile modes"`
	Output       key.Binding `on:"train"`
	Pause        key.Binding `on:"profile"`
	Resume, Redo key.Binding `on:"profile"`
	Load, Refit  key.Binding `on:"models"`
	Mark         key.Binding `on:"models modes"`
	NextPlot     key.Binding `on:"models"`

	FieldNext, FieldPrev, OptionNext, OptionPrev, StartNow key.Binding `on:"form"`
}

// keys is the table in force. Run puts the user's own bindings into it before
// anything is drawn.
var keys = defaultKeys()

func defaultKeys() keyTable {
	return keyTable{
		Page:     bind("1-6", "open a page", "1", "2", "3", "4", "5", "6"),
		NextPage: bind("tab", "next page", "tab"),
		PrevPage: bind("shift+tab", "page before", "shift+tab"),

		Left:     bind("←", "left", "left", "h"),
		Right:    bind("→", "right", "right", "l"),
		Up:       bind("↑", "up", "up", "k"),
		Down:     bind("↓", "down", "down", "j"),
		PageUp:   bind("pgup", "a screen up", "pgup"),
		PageDown: bind("pgdn", "a screen down", "pgdown"),
		Home:     bind("home", "first", "home"),
		End:      bind("end", "last", "end"),

		Help:    bind("?", "help", "?"),
		Filter:  bind("/", "filter", "/"),
		Freeze:  bind("f", "freeze", "f"),
		Enlarge: bind("e", "enlarge", "e"),
		Tune:    bind("t", "tune", "t"),
		Undo:    bind("u", "undo", "u"),
		Copy:    bind("y", "copy", "y"),
		Export:  bind("ctrl+s", "export view", "ctrl+s"),
		Back:    bind("esc", "back", "esc"),
		Quit:    bind("q", "quit", "q", "ctrl+c"),
		Mouse:   bind("m", "mouse", "m"),
		Slower:  bind("<", "slower", "<"),
		Faster:  bind(">", "faster", ">"),

		Enter: bind("enter", "next", "enter"),
		Apply: bind("a", "apply", "a"),
		Yes:   bind("y", "yes", "y", "Y"),
		No:    bind("n", "no", "n", "N"),

		Lower:  bind("[", "limit down", "["),
		Higher: bind("]", "limit up", "]"),
		Axes:   bind("x", "axes", "x"),
		Group:  bind("g", "group by knob", "g"),
		Verify: bind("v", "verify", "v"),
		Table:  bind("b", "table/plot", "b"),
		Answer: bind("c", "to the answer", "c"),

		Size:       bind("s", "next minibatch size", "s"),
		SizeBefore: bind("S", "minibatch size before", "S"),

		Log:     bind("L", "log/linear", "L"),
		ZoomIn:  bind("+", "zoom in", "+", "="),
		ZoomOut: bind("-", "zoom out", "-"),
		Whole:   bind("0", "no zoom", "0"),

		Sort:    bind("s", "sort", "s"),
		Reverse: bind("S", "reverse", "S"),
		AtBoot:  bind("b", "at boot", "b"),
		Compare: bind("d", "compare", "d"),
		Presets: bind("p", "presets", "p"),
		Compose: bind("c", "compose", "c"),
		Pause:   bind("space", "pause", "space", " "),
		Stop:    bind("x", "stop", "x"),
		Output:  bind("o", "log", "o"),
		Start:   bind("enter", "start", "enter"),
		Load:    bind("enter", "load", "enter"),
		Resume:  bind("r", "go on", "r"),
		Refit:   bind("r", "fit again", "r"),
		Redo:    bind("r", "redo failed", "r"),
		Edit:    bind("c", "settings", "c"),

		Mark:     bind("space", "mark to compare", "space", " "),
		NextPlot: bind("x", "next plot", "x"),

		Block: bind("w", "nvpmodel block", "w"),

		FieldNext:  bind("↓", "next answer", "down", "tab", "j"),
		FieldPrev:  bind("↑", "answer before", "up", "shift+tab", "k"),
		OptionNext: bind("→", "change", "right", "l"),
		OptionPrev: bind("←", "change", "left", "h"),
		StartNow:   bind("t", "start now", "t"),
	}
}

// hint is a key that is valid now, or would be but for a reason.
type hint struct {
	key.Binding
	why string // not valid now, because …
}

// valid makes hints of keys that work now.
func valid(bs ...key.Binding) []hint {
	out := make([]hint, len(bs))
	for i, b := range bs {
		out[i] = hint{Binding: b}
	}
	return out
}

// unless makes the hint of a key that does not work when why is not "".
func unless(b key.Binding, why string) hint { return hint{b, why} }

// named gives a binding another word for the last line.
func named(b key.Binding, word string) key.Binding {
	b.SetHelp(b.Help().Key, word)
	return b
}

// both is one hint of two keys that belong together: "← →", "[ ]".
func both(a, b key.Binding, word string) key.Binding {
	between := " "
	if a.Help().Key == "←" || a.Help().Key == "↑" {
		between = ""
	}
	a.SetHelp(a.Help().Key+between+b.Help().Key, word)
	return a
}

// press is how a key is called in running text.
func press(b key.Binding) string { return styleKey.Render(b.Help().Key) }

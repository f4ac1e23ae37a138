package tui

import (
	"charm.land/bubbles/v2/key"
)

// bind makes one entry of the key table: what is typed, how it is called in
// the last line, and what it does in the help.
func bind(show, short string, typed ...string) key.Binding {
	return key.NewBinding(key.WithKeys(typed...), key.WithHelp(show, short))
}

// keys is the one table of keys: matching, the last line and the help are all
// made from it. No function keys, no alt chords, nothing that screen and tmux
// keep for themselves.
var keys = struct {
	Page, NextPage, PrevPage                                               key.Binding
	Left, Right, Up, Down, PageUp, PageDown, Home, End                     key.Binding
	Help, Filter, Freeze, Enlarge, Tune, Undo, Copy, Export, Back          key.Binding
	Quit, Mouse, Slower, Faster                                            key.Binding
	Enter, Apply, Yes, No                                                  key.Binding
	Lower, Higher, Axes, Group, Verify, Table, Answer                      key.Binding
	Sort, Presets, Compose, Block, Pause, Stop, Start, Load, Refit, Resume key.Binding
	Mark, NextPlot, Redo, Edit                                             key.Binding
	FieldNext, FieldPrev, OptionNext, OptionPrev, StartNow, Step           key.Binding
}{
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

	Sort:    bind("s", "sort", "s"),
	Presets: bind("p", "presets", "p"),
	Compose: bind("c", "compose", "c"),
	Pause:   bind("space", "pause", "space", " "),
	Stop:    bind("x", "stop", "x"),
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
	Step:       bind("[ ]", "1 down, up", "[", "]"),
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

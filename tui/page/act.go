package page

import (
	tea "charm.land/bubbletea/v2"

	"jtune/tui/widget"
)

// Act is an action and what it does now.
type Act struct {
	widget.Action
	do    func() Intent // nil: a table, the shell or nobody has the key
	quiet bool          // not in the last line
	// takes handles any key; taken is false if it has no use for it. nil: only the action's keys count.
	takes func(k tea.KeyPressMsg) (does Intent, taken bool)
	alone []widget.Action // what the last line has instead of everything else; nil: nothing
}

// Acts lists what the keys of a page do now, most useful first.
type Acts []Act

// On says what an action does.
func On[F func() | func() Intent](a widget.Action, do F) Act {
	if does, ok := any(do).(func() Intent); ok {
		return Act{Action: a, do: does}
	}
	return Act{Action: a, do: func() Intent { any(do).(func())(); return nil }}
}

// Quiet is On for a key that the last line does not name, and that works only if when holds.
func Quiet[F func() | func() Intent](a widget.Action, when bool, do F) Act {
	act := On(a, do)
	if act.quiet = true; !when {
		act.do = nil
	}
	return act
}

// In is a part of the page that handles keys by itself, such as a table or a line of text. While it has hints, the last
// line has nothing else.
func In[F func(tea.KeyPressMsg) bool | func(tea.KeyPressMsg) (Intent, bool)](takes F, alone []widget.Action) Act {
	act := Act{quiet: true, alone: alone}
	switch takes := any(takes).(type) {
	case func(tea.KeyPressMsg) (Intent, bool):
		act.takes = takes
	case func(tea.KeyPressMsg) bool:
		act.takes = func(k tea.KeyPressMsg) (Intent, bool) { return nil, takes(k) }
	}
	return act
}

// Rows are the keys of a table.
func Rows(t *widget.Table) Act { return In(t.Key, t.Search.Hints(t.Keys)) }

// Both are two keys that step back and forth.
func Both[F func(by int) | func(by int) Intent](less, more widget.Action, do F) Acts {
	step := func(by int) func() Intent {
		return func() Intent {
			if does, ok := any(do).(func(int) Intent); ok {
				return does(by)
			}
			any(do).(func(int))(by)
			return nil
		}
	}
	return Acts{On(less, step(-1)), On(more, step(1))}
}

// After returns the acts with what follows each key.
func (list Acts) After(follows func() Intent) Acts {
	return append(Acts{In(func(k tea.KeyPressMsg) (does Intent, taken bool) {
		if does, taken = list.Key(k); taken {
			does = All{does, follows()}
		}
		return does, taken
	}, nil)}, list...)
}

// As names two acts together in the last line, under one word.
func (list Acts) As(word, does string) Acts {
	both := Shown(list[0].With(list[1].Action, word).Doing(does))
	return append(Acts{both}, list.Unnamed()...)
}

// Unnamed returns the acts without their places in the last line.
func (list Acts) Unnamed() (out Acts) {
	for _, a := range list {
		out = append(out, a.Unnamed())
	}
	return out
}

// Shown is an action that another part of the program does.
func Shown(a widget.Action) Act { return Act{Action: a} }

// Applying lists the keys that apply a mode. Not of the board: the shell says why none can be applied.
func Applying(read Reader, does Apply) (apply, atOnce Act) {
	keys, why, now := read.Keys(), read.MayWrite(), does
	now.AtOnce = true
	return On(keys.Apply.Unless(why), func() Intent { return does }),
		On(keys.AtOnce.Unless(why), func() Intent { return now })
}

// As returns the act under another word in the last line, with the same help text.
func (a Act) As(word string) Act {
	a.Action = a.Action.As(word).Doing(a.Does)
	return a
}

// Unnamed returns the act without its place in the last line.
func (a Act) Unnamed() Act {
	a.quiet = true
	return a
}

// Pressed returns the act for a key that must be typed: pasted text, whose keys follow each other at once, does not
// do it.
func (a Act) Pressed(read Reader) Act {
	if key := a.Action; a.do != nil && read.Rushed() {
		a.do = func() Intent { return TooFast(key) }
	}
	return a
}

// TooFast replies to such a key.
func TooFast(key widget.Action) Intent {
	return Sayf("two keys at once, as pasted text sends them: press %s again", key.Label())
}

// Key does what a key does now, or says why it does not; taken is false if it is none of the acts.
func (list Acts) Key(k tea.KeyPressMsg) (does Intent, taken bool) {
	for _, a := range list {
		if a.takes != nil {
			if does, taken := a.takes(k); taken {
				return does, true
			}
		}
		switch {
		case a.do == nil || !a.Matches(k):
		case a.Why == "":
			return a.do(), true
		default:
			does, taken = NotNow(a.Action), true
		}
	}
	return does, taken
}

// Closing are keys that close what is open over the page; the last line names the first.
func Closing(by widget.Action, others ...widget.Action) Acts {
	out := Acts{On(by, func() Intent { return Close{} })}
	for _, a := range others {
		out = append(out, Quiet(a, true, func() Intent { return Close{} }))
	}
	return out
}

// Listed are actions that other parts of the program do.
func Listed(list ...widget.Action) (out Acts) {
	for _, a := range list {
		out = append(out, Shown(a))
	}
	return out
}

// NotNow says why an action is not available.
func NotNow(a widget.Action) Intent { return Sayf("%s: not now, %s", a.Help().Desc, a.Why) }

// Hints lists the actions for the last line.
func (list Acts) Hints() (out []widget.Action) {
	for _, a := range list {
		if a.alone != nil {
			return a.alone
		}
		if !a.quiet {
			out = append(out, a.Action)
		}
	}
	return out
}

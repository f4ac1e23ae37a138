package page

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/widget"
)

// Question is a form over the page, and what its answers request.
type Question struct {
	*widget.Form
	read Reader
	of   string
	take func() Intent
}

// Question returns a form with the user's keys; take returns what its answers request. of is its part of the table of
// numbers; without one it has no help.
func (r Reader) Question(of string, f widget.Form, take func() Intent) Question {
	f.Keys = r.Keys().FormKeys()
	return Question{&f, r, of, take}
}

// Key handles a key; closed reports whether the form closes.
func (q Question) Key(k tea.KeyPressMsg) (does Intent, closed bool) {
	closed, taken := q.Form.Key(k)
	if taken {
		does = q.take()
	}
	return does, closed
}

// Hints lists the keys that work now, with help before the back key.
func (q Question) Hints() []widget.Action {
	hints := q.Form.Hints()
	if q.of == "" {
		return hints
	}
	return slices.Insert(hints, len(hints)-1, q.read.Keys().Help)
}

// Numbers explains the questions, for the help.
func (q Question) Numbers() []string { return Numbers(q.of) }

package profiles

import (
	"errors"

	"jtune/profiles/harness"
)

// WithdrawnError ends a campaign whose readings measured something other than the job, such as its preparation.
type WithdrawnError struct {
	Why string
	Not string // the counter that was read
}

func (e *WithdrawnError) Error() string { return e.Why }

// withdrawn handles the news that the minibatches so far were not the job's: the mode begins again, or, where others
// were measured before, the campaign ends, because one never mixes two counters.
func (m *measurement) withdrawn(e harness.Event) error {
	w := &WithdrawnError{Why: e.Message, Not: e.Info[harness.NotJob]}
	if m.b.rows > 0 {
		return w
	}
	m.b.notify(Progress{Phase: m.phase(), Step: m.step, Line: e.Message})
	return w
}

func isWithdrawn(err error) bool {
	_, yes := errors.AsType[*WithdrawnError](err)
	return yes
}

// beginsAgain reports whether a mode is measured again because no other was measured by what is withdrawn.
func (m *measurement) beginsAgain(err error) bool { return isWithdrawn(err) && m.b.rows == 0 }

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"jtune/profiles/workload"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/workloads"
)

// What commands share: an open device, a job on it, and flags with the same meaning in all of them.

// onDevice opens the device, prints its notice, calls f and closes the device.
func (a *app) onDevice(f func(*session.Session) error) (failed error) {
	s, err := a.session()
	if err != nil {
		return err
	}
	defer func() {
		if err := s.Close(); err != nil && (failed == nil || err.Error() != failed.Error()) {
			a.note("%v", err)
		}
	}()
	if failed = f(s); failed == nil {
		configCmd{a}.warnOfConfig()
	}
	return failed
}

// jobs is app for commands that run a workload.
type jobs struct {
	*app
	own commandFlags // a command instead of a workload
}

// startedOften returns the user's command as a workload that is started several times, each time without input.
func (a jobs) startedOften(s *session.Session) (workload.Workload, error) {
	w, err := a.own.Workload(s)
	if err == nil {
		err = noInput(a.in, s, w)
	}
	return w, err
}

// withJob is onDevice with a workload at one batch size.
func (a jobs) withJob(name string, f func(*session.Session, workload.Workload) error) error {
	return a.onDevice(func(s *session.Session) error {
		w, sizes, err := a.find(s, name, "")
		if err = cmp.Or(err, workloads.OneSize(s, sizes)); err != nil {
			return err
		}
		return f(s, a.awaited(w))
	})
}

// withSizedJob is withJob for a command that can choose between batch sizes. Unless trusted is "", it runs the workload
// of that campaign folder.
func (a jobs) withSizedJob(name, trusted string, f func(*session.Session, workload.Workload, []int) error) error {
	return a.onDevice(func(s *session.Session) error {
		w, sizes, err := a.find(s, name, trusted)
		if err = cmp.Or(err, noInput(a.in, s, w)); err != nil {
			return err
		}
		return f(s, a.awaited(w), sizes)
	})
}

// find returns the typed command, the workload of a trusted campaign folder, or the named one, and the batch sizes to
// choose among.
func (a jobs) find(s *session.Session, name, trusted string) (workload.Workload, []int, error) {
	switch {
	case a.own.given():
		return workloads.TypedSized(s, a.own.Typed)
	case trusted != "":
		return measure.RecordedWorkload(s, trusted, name)
	}
	return workloads.FindSized(s, name)
}

// wordType is the type name, in help texts, of a choice between words.
const wordType = "WORD"

// choice is the value of a flag with a fixed set of words.
type choice[T comparable] struct {
	to *T
	of []T
}

// among is a place for one of some values, by default the present one.
func among[T comparable](to *T, of ...T) *choice[T] { return &choice[T]{to, of} }

func (c *choice[T]) String() string { return fmt.Sprint(*c.to) }
func (c *choice[T]) Type() string   { return wordType }

func (c *choice[T]) words() (list []string) {
	for _, v := range c.of {
		list = append(list, fmt.Sprint(v))
	}
	return list
}

// form lists the words for errors.
func (c *choice[T]) form() string {
	words := c.words()
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (c *choice[T]) Set(text string) error {
	i := slices.IndexFunc(c.of, func(v T) bool { return fmt.Sprint(v) == text })
	if i < 0 {
		return errors.New("want " + c.form())
	}
	*c.to = c.of[i]
	return nil
}

// theServer is a server of models, for commands that run a workload.
func theServer(o *session.Options) shared { return the("server", places{"own-address": &o.Remote}, o) }

// theLimits are limits for commands that compare each mode with them.
func theLimits(l *metric.Limits) shared {
	return the("limits", places{"power-limit": boundOf(l, metric.Power), "time-limit": boundOf(l, metric.Time),
		"energy-limit": boundOf(l, metric.Energy)})
}

// otherGoals are the goals of choose and tune besides watts.
func otherGoals(l *metric.Goal) shared {
	return the("goals", places{"energy": aim{l, metric.Energy}, "time-limit": boundOf(&l.Limits, metric.Time)})
}

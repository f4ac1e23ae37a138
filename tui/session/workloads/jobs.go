package workloads

import (
	"cmp"
	"fmt"
	"strings"

	"jtune/internal/usage"
	"jtune/profiles/workload"
	"jtune/tui/session"
)

// Jobs manages the user's own commands in a session, for screens.
type Jobs struct{ s *session.Session }

// JobsOf returns the jobs of a session.
func JobsOf(s *session.Session) Jobs { return Jobs{s} }

// TypedJob makes a workload from a command line that the user typed (see Typed).
func (j Jobs) TypedJob(line string, as Typed) (workload.Workload, error) {
	t, err := as.OfLine(line)
	if err != nil {
		return workload.Workload{}, err
	}
	return t.Workload(j.s)
}

// KeepJob adds a job to the list until the session ends.
func (j Jobs) KeepJob(w workload.Workload) error {
	j.s.Typed.Keep(w)
	return nil
}

// SaveJob writes a job to the configuration under a name, and returns the path of that file.
func (j Jobs) SaveJob(name string, w workload.Workload) (path string, err error) {
	if err := workload.Own(name, []string{"true"}).Check(); err != nil {
		return "", usage.Of(err)
	}
	return j.s.SaveWorkload(name, SaveText(name, w))
}

// FreeName returns an unused name for a typed job: its own, unless another job in the list has it.
func FreeName(w workload.Workload, list []workload.Workload) string {
	for n, name := 2, w.Name; ; n++ {
		known, err := workload.Find(list, name)
		if err != nil || known.Own && sameJob(known, w) {
			return name
		}
		name = fmt.Sprintf("%s-%d", w.Name, n)
	}
}

// sameJob reports whether two workloads run the same command and are read the same way.
func sameJob(a, b workload.Workload) bool {
	return a.Fingerprint("") == b.Fingerprint("") && a.Batch == b.Batch && a.Unit == b.Unit && a.Pattern == b.Pattern
}

// TypedAgain returns the workload of a command that is typed again for an existing campaign. What the first steps
// determine comes from the campaign's workload; differs describes all other differences.
func TypedAgain(s *session.Session, t Typed, there workload.Workload) (w workload.Workload, differs string,
	err error) {
	if w, err = t.Workload(s); err != nil {
		return w, "", err
	}
	w.Name, w.Title = there.Name, there.Title
	w.Kind, w.Unit, w.Per = cmp.Or(w.Kind, there.Kind), cmp.Or(w.Unit, there.Unit), cmp.Or(w.Per, there.Per)
	w.Batch, w.Samples, w.Workers = there.Batch, there.Samples, there.Workers
	if other := there.Otherwise(w); len(other) > 0 {
		differs = "the campaign ran " + strings.Join(other, ", ")
	}
	return w, differs, nil
}

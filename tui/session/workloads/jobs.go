package workloads

import (
	"cmp"
	"fmt"
	"strings"

	"jtune/internal/usage"
	"jtune/profiles/workload"
	"jtune/tui/session"
)

// Jobs are the commands of the user's own that a session runs, as screens ask for them.
type Jobs struct{ s *session.Session }

// JobsOf are the jobs of a session.
func JobsOf(s *session.Session) Jobs { return Jobs{s} }

// TypedJob makes a workload of a command that was typed in a line, see Typed.
func (j Jobs) TypedJob(line string, as Typed) (workload.Workload, error) {
	t, err := as.OfLine(line)
	if err != nil {
		return workload.Workload{}, err
	}
	return t.Workload(j.s)
}

// KeepJob makes a job known until the session ends.
func (j Jobs) KeepJob(w workload.Workload) error {
	j.s.Typed.Keep(w)
	return nil
}

// SaveJob writes a job into the configuration by a name, and returns the path of that file.
func (j Jobs) SaveJob(name string, w workload.Workload) (path string, err error) {
	if err := workload.Own(name, []string{"true"}).Check(); err != nil {
		return "", usage.Of(err)
	}
	return j.s.SaveWorkload(name, SaveText(name, w))
}

// FreeName is a name for a job that was typed: its own, unless another one in the list has it.
func FreeName(w workload.Workload, list []workload.Workload) string {
	for n, name := 2, w.Name; ; n++ {
		known, err := workload.Find(list, name)
		if err != nil || known.Own && sameJob(known, w) {
			return name
		}
		name = fmt.Sprintf("%s-%d", w.Name, n)
	}
}

// sameJob reports whether two workloads run the same and are read alike.
func sameJob(a, b workload.Workload) bool {
	return a.Fingerprint("") == b.Fingerprint("") && a.Batch == b.Batch && a.Unit == b.Unit && a.Pattern == b.Pattern
}

// TypedAgain is the workload of a command that is given again for the campaign of one. Its first steps decide what
// stays unchanged. differs is what differs otherwise.
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

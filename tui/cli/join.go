package cli

import (
	"jtune/profiles/harness"
	"jtune/profiles/workload"
	"jtune/tui/session"
	"jtune/tui/session/workloads"
)

// joinFlags name a job that jtune did not start.
type joinFlags struct{ harness.Elsewhere }

func (j *joinFlags) named() shared { return the("join", places{"attach": &j.PID}, j) }

// given reports whether a job was named.
func (j *joinFlags) given() bool { return j.PID != 0 || j.Log != "" }

// alone returns an error for a pattern without anything to read.
func (j *joinFlags) alone(own *commandFlags) error {
	switch {
	case own.given() && j.given():
		return usagef("--attach and --log read a job that runs already: give WORKLOAD, not -- COMMAND")
	case own.given():
		own.Pattern, j.Pattern = j.Pattern, ""
	case j.Pattern != "" && !j.given():
		return usagef("--pattern needs --attach PID, --log FILE or -- COMMAND too: it reads what they print")
	}
	return nil
}

// join attaches the workload to the named job, if any; sizes are the batch sizes to choose from.
func (j *joinFlags) join(s *session.Session, w workload.Workload, sizes []int) (workload.Workload, error) {
	switch {
	case j.PID < 0:
		return w, usagef("--attach %d: want the number of a process", j.PID)
	case !j.given():
		return w, nil
	}
	w, err := workloads.Join(s, w, j.Elsewhere)
	if err == nil && len(sizes) > 0 {
		err = usagef("a training that runs already has one batch size: give one --batch")
	}
	return w, err
}

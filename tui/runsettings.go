package tui

import (
	"fmt"

	"jtune/profiles"
)

// Bounds of what may be set for a run.
const (
	mostBatch   = 1024
	mostWorkers = 16
)

// runSettings asks for the minibatch size and the loaders of a run. Another
// minibatch size is another workload: tuning keeps the listed one.
type runSettings struct {
	form
	workload       profiles.Workload
	batch, workers int
}

func newRunSettings(w profiles.Workload) *runSettings {
	s := &runSettings{workload: w, batch: max(1, w.Batch), workers: w.Workers}
	s.form = form{title: "Settings of " + w.Name, verb: "take", width: 60, note: s.note, fields: []field{
		{name: "minibatch", text: func() string { return fmt.Sprintf("%d samples", s.batch) }, turn: func(by int) {
			if by > 0 {
				s.batch = min(mostBatch, s.batch*2)
			} else {
				s.batch = max(1, s.batch/2)
			}
		}},
		{name: "workers", text: func() string { return fmt.Sprintf("%d loader processes", s.workers) },
			turn: func(by int) { s.workers = min(max(0, s.workers+by), mostWorkers) }},
	}}
	return s
}

func (s *runSettings) note(int) []string {
	text := "For runs on this page. Another minibatch size is another workload: tuning asks for its own."
	if s.workers == 0 {
		text += " Without workers the training process loads its data itself and waits for it."
	}
	return []string{text}
}

// changed is the workload as set.
func (s *runSettings) changed() profiles.Workload {
	w := s.workload
	w.Batch, w.Workers = s.batch, s.workers
	return w
}

// fixed says why a workload's settings cannot be changed here, or "".
func (sh *shared) fixed(w profiles.Workload) string {
	switch {
	case sh.board.Replay != "":
		return "a replay holds one minibatch size"
	case len(w.Command) > 0:
		return "its own command sets them"
	}
	return ""
}

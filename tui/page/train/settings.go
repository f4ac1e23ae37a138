package train

import (
	"fmt"

	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// Bounds of what may be set for a run.
const (
	mostBatch   = 1024
	mostWorkers = 16
)

// settings asks for the batch size and the loaders of a run, and for a job that runs already.
// Another batch size is another workload: tuning keeps the listed one.
type settings struct {
	widget.Form
	workload       workload.Workload
	batch, workers int
	job            *widget.Input // that runs already, see jobField
}

func newSettings(keys *page.Keys, w workload.Workload) *settings {
	s := &settings{workload: w, batch: max(1, w.Batch), workers: w.Workers}
	s.Form = widget.Form{Keys: keys.FormKeys(), Title: "Settings of " + w.Name, Verb: "take", Width: 60, Note: s.note}
	s.Fields = []widget.Field{
		{Name: "batch size", Text: func() string { return fmt.Sprintf("%d samples", s.batch) }, Turn: func(by int) {
			if by > 0 {
				s.batch = min(mostBatch, s.batch*2)
			} else {
				s.batch = max(1, s.batch/2)
			}
		}},
		{Name: "workers", Text: func() string { return fmt.Sprintf("%d loader processes", s.workers) },
			Turn: func(by int) { s.workers = min(max(0, s.workers+by), mostWorkers) }},
	}
	if s.command() {
		s.Fields = nil
	}
	s.Fields = append(s.Fields, s.jobField())
	return s
}

func (s *settings) note(int) []string {
	if s.At == len(s.Fields)-1 {
		return []string{jobNote}
	}
	text := "For runs on this page. Another batch size is another workload: tuning asks for its own."
	if s.workers == 0 {
		text += " Without workers the training process loads its data itself and waits for it."
	}
	return []string{text}
}

// command reports whether the workload's own command sets its batch size and loaders.
func (s *settings) command() bool { return len(s.workload.Command) > 0 }

// changed is the workload as set.
func (s *settings) changed() workload.Workload {
	w := s.workload
	if !s.command() {
		w.Batch, w.Workers = s.batch, s.workers
	}
	return w
}

// unset says why no settings of a run can be changed here, or "".
func (p *Page) unset() string {
	if p.read.Board().Replay != "" {
		return "a replay holds one batch size"
	}
	return ""
}

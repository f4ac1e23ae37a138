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

// settings asks for the batch size and the loaders of a run. Another
// batch size is another workload: tuning keeps the listed one.
type settings struct {
	widget.Form
	workload       workload.Workload
	batch, workers int
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
	return s
}

func (s *settings) note(int) []string {
	text := "For runs on this page. Another batch size is another workload: tuning asks for its own."
	if s.workers == 0 {
		text += " Without workers the training process loads its data itself and waits for it."
	}
	return []string{text}
}

// changed is the workload as set.
func (s *settings) changed() workload.Workload {
	w := s.workload
	w.Batch, w.Workers = s.batch, s.workers
	return w
}

// fixed says why a workload's settings cannot be changed here, or "".
func (p *Page) fixed(w workload.Workload) string {
	switch {
	case p.read.Board().Replay != "":
		return "a replay holds one batch size"
	case len(w.Command) > 0:
		return "its own command sets them"
	}
	return ""
}

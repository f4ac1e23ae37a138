package train

import (
	"fmt"
	"strconv"

	"jtune/internal/fields"
	"jtune/learn"
	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// settings asks for a run's batch size and loaders, and for a running job. A changed batch size applies only to runs:
// tuning keeps the listed one.
type settings struct {
	widget.Form
	workload       workload.Workload
	batch, workers int
	job            *widget.Input // a running job, see jobField
}

func newSettings(keys *page.Keys, w workload.Workload) *settings {
	s := &settings{workload: w, batch: max(1, w.Batch), workers: w.Workers}
	s.Form = widget.Form{Keys: keys.FormKeys(), Title: "Settings of " + w.Name, Verb: "take", Width: 60, Note: s.note}
	s.Fields = []widget.Field{
		{Name: "batch size", Text: func() string { return fmt.Sprintf("%d samples", s.batch) }, Turn: func(by int) {
			if by > 0 {
				s.batch = min(learn.MostBatch, s.batch*2)
			} else {
				s.batch = max(1, s.batch/2)
			}
		}},
		{Name: "workers", Text: func() string { return fmt.Sprintf("%d loader processes", s.workers) },
			Turn: func(by int) {
				if n := s.workers + by; fields.In("run", "workers").Wrong(strconv.Itoa(n)) == "" {
					s.workers = n
				}
			}},
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
	text := "For runs on this page. A search has its own question for the batch size: t, pgdn."
	if s.workers == 0 {
		text += " Without workers the training process loads its data itself and waits for it."
	}
	return []string{text}
}

// command reports whether the workload has its own command, which sets batch size and loaders.
func (s *settings) command() bool { return len(s.workload.Command) > 0 }

// changed returns the workload with the settings.
func (s *settings) changed() workload.Workload {
	w := s.workload
	if !s.command() {
		w.Batch, w.Workers = s.batch, s.workers
	}
	return w
}

// jobField asks for a running job: its process ID, or the path of its log or named pipe.
func (s *settings) jobField() widget.Field {
	s.job = widget.NewInput(joinedFrom(s.workload), "", longestPath)
	return widget.Field{Name: "job", Input: s.job, Text: func() string {
		if s.job.Value() == "" {
			return "jtune starts it"
		}
		return s.job.Render("_")
	}}
}

// jobNote explains the field.
const jobNote = "Type the process number of a training that runs already, or the path of its log or named pipe: " +
	"runs and searches read it, and never signal or end it. Empty: jtune starts a job."

package train

import (
	"fmt"
	"strconv"
	"strings"

	"jtune/internal/fields"
	"jtune/learn"
	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// longestPath is the maximum length of a log's path.
const longestPath = 400

// jobNote explains the question for a running job.
const jobNote = "Type the process number of a training that runs already, or the path of its log or named pipe: " +
	"runs and searches read it, and never signal or end it. Empty: jtune starts a job."

// settings asks for a run's batch size and loaders, unless the workload has its own command, which sets them, and for
// a running job: its process ID, or the path of its log or named pipe. A changed batch size applies only to runs:
// tuning keeps the listed one.
func (p *Page) settings(w workload.Workload) page.Question {
	joined := ""
	if w.Elsewhere != nil {
		joined = w.Elsewhere.Asked()
	}
	job := widget.NewInput(joined, "", longestPath)
	list := []page.Field{{Name: "job", Input: job, Empty: func() string { return "jtune starts it" }}}
	if len(w.Command) == 0 {
		w.Batch = max(1, w.Batch)
		list = append(sizeFields(&w), list...)
	}
	var q page.Question
	q = p.read.Question("", page.Form{Title: "Settings of " + w.Name, Verb: "take", Width: 60, Fields: list,
		Note: func(int) []string {
			if q.At == len(list)-1 {
				return []string{jobNote}
			}
			text := "For runs on this page. A search has its own question for the batch size: t, pgdn."
			if w.Workers == 0 {
				text += " Without workers the training process loads its data itself and waits for it."
			}
			return []string{text}
		},
	}, func() page.Intent {
		p.set[w.Name] = w
		if from := strings.TrimSpace(job.Value()); from != joined {
			return page.Join{Workload: w.Name, From: from}
		}
		return nil
	})
	return q
}

// sizeFields ask for the batch size and the loaders of a workload.
func sizeFields(w *workload.Workload) []page.Field {
	return []page.Field{
		{Name: "batch size", Text: func() string { return fmt.Sprintf("%d samples", w.Batch) }, Turn: func(by int) {
			if by > 0 {
				w.Batch = min(learn.MostBatch, w.Batch*2)
			} else {
				w.Batch = max(1, w.Batch/2)
			}
		}},
		{Name: "workers", Text: func() string { return fmt.Sprintf("%d loader processes", w.Workers) },
			Turn: func(by int) {
				if n := w.Workers + by; fields.In("run", "workers").Wrong(strconv.Itoa(n)) == "" {
					w.Workers = n
				}
			}},
	}
}

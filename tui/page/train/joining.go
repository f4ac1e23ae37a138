package train

import (
	"strings"

	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// longestPath is how many characters the path of a log may have.
const longestPath = 400

// jobField asks for a job that runs already: the number of its process, or the path of its log or named pipe.
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

// joinedFrom is what was typed to join the job of a workload; "" where jtune starts it.
func joinedFrom(w workload.Workload) string {
	if w.Elsewhere == nil {
		return ""
	}
	return w.Elsewhere.Asked()
}

// joining is the intent to read another job than before; nil where nothing changes.
func (s *settings) joining() page.Intent {
	from := strings.TrimSpace(s.job.Value())
	if from == joinedFrom(s.workload) {
		return nil
	}
	return page.Join{Workload: s.workload.Name, From: from}
}

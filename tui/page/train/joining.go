package train

import (
	"strings"

	"jtune/profiles/workload"
	"jtune/tui/page"
)

// longestPath is the maximum length of a log's path.
const longestPath = 400

// joinedFrom returns the process or log that a workload joins; "" if jtune starts the job.
func joinedFrom(w workload.Workload) string {
	if w.Elsewhere == nil {
		return ""
	}
	return w.Elsewhere.Asked()
}

// joining returns the intent to read another job; nil if nothing changed.
func (s *settings) joining() page.Intent {
	from := strings.TrimSpace(s.job.Value())
	if from == joinedFrom(s.workload) {
		return nil
	}
	return page.Join{Workload: s.workload.Name, From: from}
}

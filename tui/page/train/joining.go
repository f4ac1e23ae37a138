package train

import (
	"strings"

	"jtune/profiles/workload"
	"jtune/tui/page"
)

// longestPath is how many characters the path of a log may have.
const longestPath = 400

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

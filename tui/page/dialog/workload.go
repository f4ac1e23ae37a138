package dialog

import (
	"fmt"
	"strings"

	"jtune/internal/text"
	"jtune/profiles/workload"
	"jtune/tui/page"
)

// workloadText describes what a workload trains, or which running job is read.
func workloadText(w workload.Workload) string {
	if w.Elsewhere != nil {
		return fmt.Sprintf("%s: %v", w.Name, w.Elsewhere)
	}
	return strings.Join(text.Said(w.Name, w.About()), ": ")
}

// jobText describes the workload at an index of the list.
func jobText(read page.Reader, at int) string {
	if list := read.Workloads(); at < len(list) {
		return workloadText(list[at])
	}
	return "none known"
}

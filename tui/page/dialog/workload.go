package dialog

import (
	"fmt"

	"jtune/profiles/workload"
)

// workloadText says what a workload trains, or which job is read where it runs already.
func workloadText(w workload.Workload) string {
	if w.Elsewhere != nil {
		return fmt.Sprintf("%s: %v", w.Name, w.Elsewhere)
	}
	title := w.Title
	if title == "" || title == w.Name {
		title = w.Model + " on " + w.Dataset
	}
	return w.Name + ": " + title
}

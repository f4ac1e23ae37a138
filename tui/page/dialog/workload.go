package dialog

import (
	"fmt"
	"slices"

	"jtune/profiles/workload"
	"jtune/tui/widget"
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

// withHelp puts help before the way out of a form.
func withHelp(own []widget.Action, help widget.Action) []widget.Action {
	return slices.Insert(slices.Clone(own), len(own)-1, help)
}

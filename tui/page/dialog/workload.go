package dialog

import (
	"fmt"
	"slices"

	"jtune/profiles/workload"
	"jtune/tui/widget"
)

// realTime is the rate of a virtual board's clock for a job that does not run on that board.
const realTime = widget.Dash + " real time: the job really runs on this machine"

// workloadText says what a workload trains, or which job is read where it runs already.
func workloadText(w workload.Workload) string {
	if w.Elsewhere != nil {
		return fmt.Sprintf("%s: %v", w.Name, w.Elsewhere)
	}
	if about := w.About(); about != "" {
		return w.Name + ": " + about
	}
	return w.Name
}

// withHelp puts help before the way out of a form.
func withHelp(own []widget.Action, help widget.Action) []widget.Action {
	return slices.Insert(slices.Clone(own), len(own)-1, help)
}

package experiment

import (
	"fmt"
	"strings"

	"jtune/internal/report"
	"jtune/internal/text"
)

// Document returns the report for JSON, with the board's name and the folder of the record.
func (r *Report) Document(device, dir string) any {
	return report.Object{{"experiment", r.Experiment.Name}, {"workload", text.Optional(r.Workload.Name)},
		{"device", device}, {"virtual", r.Virtual}, {"repeat", r.Repeat}, {"dir", dir},
		{"lines", r.columns().Objects(r.Lines)}, {"missing", append([]Missing{}, r.Missing...)},
		{"skipped", append([]Skip{}, r.Skipped...)}, {"failed", append([]string{}, r.Failed...)},
		{"notes", append([]string{}, r.Notes...)}, {"takeaway", append([]string{}, r.Takeaway...)}}
}

// Fault returns an error that says why there is nothing to report; nil when there is something.
func (r *Report) Fault() error {
	if len(r.Lines) > 0 {
		return nil
	}
	return fmt.Errorf("experiment %s: no run succeeded: %s", r.Experiment.Name, strings.Join(r.Failed, "; "))
}

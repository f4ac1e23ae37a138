package experiment

import (
	"fmt"
	"strings"

	"jtune/internal/text"
)

// document is the JSON form of a report.
type document struct {
	Experiment string           `json:"experiment"`
	Workload   text.Optional    `json:"workload"`
	Device     string           `json:"device"`
	Virtual    bool             `json:"virtual"`
	Repeat     int              `json:"repeat"`
	Dir        string           `json:"dir"`
	Lines      []map[string]any `json:"lines"`
	Missing    []Missing        `json:"missing"` // settings without a line
	Skipped    []Skip           `json:"skipped"`
	Failed     []string         `json:"failed"`
	Notes      []string         `json:"notes"`
	Takeaway   []string         `json:"takeaway"`
}

// Document returns the report for JSON, with the board's name and the folder of the record.
func (r *Report) Document(device, dir string) any {
	out := document{Experiment: r.Experiment.Name, Workload: text.Optional(r.Workload.Name), Device: device,
		Virtual: r.Virtual, Repeat: r.Repeat, Dir: dir, Lines: []map[string]any{},
		Missing: append([]Missing{}, r.Missing...),
		Skipped: append([]Skip{}, r.Skipped...), Failed: append([]string{}, r.Failed...),
		Notes: append([]string{}, r.Notes...), Takeaway: append([]string{}, r.Takeaway...)}
	for _, l := range r.Lines {
		line := map[string]any{"setting": l.Setting, "part": text.Optional(l.Part), "runs": l.Runs, "mode": l.Mode}
		for _, c := range Columns() {
			line[c.Key] = nil
			if v, ok := l.Stats[c.Key]; ok {
				line[c.Key] = v
			}
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// Fault returns an error that says why there is nothing to report; nil when there is something.
func (r *Report) Fault() error {
	if len(r.Lines) > 0 {
		return nil
	}
	return fmt.Errorf("experiment %s: no run succeeded: %s", r.Experiment.Name, strings.Join(r.Failed, "; "))
}

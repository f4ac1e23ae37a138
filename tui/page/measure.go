package page

import (
	"cmp"

	"jtune/tegra"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
)

// Measure measures a mode with a workload, by name, then restores the board. The batch size is the given one; without
// one it is the shown model's if that belongs to the workload.
func Measure(read Reader, workload string, at tegra.Setting) Intent {
	if why := read.MayMeasure(); why != "" {
		return Say("measure: not now, " + why)
	}
	w, known := read.Work().Find(workload)
	if !known {
		return Sayf("measure: workload %s is not known here", workload)
	}
	if !read.Space().Contains(at.Mode) {
		return Sayf("measure: %v is no mode that this board can be set to now", at.Mode)
	}
	if why := read.Session().Refusal(w); why != "" {
		return Say(Words(why))
	}
	if v := read.Outlook(); v != nil && v.Workload == w.Name {
		at.Batch = cmp.Or(at.Batch, v.Batch)
	}
	return All{Sayf("measures %s with %s, then restores the board", read.ModeText(at.Mode), w.Name),
		Start{Task: task.Verify(measure.ModeRequest{Workload: w, Mode: at.Mode}, at.Batch), Speed: read.Pace()}}
}

// MeasuredWith returns the workload to measure with: the shown model's, otherwise the preselected one; "" if none is
// known.
func MeasuredWith(read Reader) string {
	if v := read.Outlook(); v != nil {
		return v.Workload
	}
	if list, at := read.Workloads(), read.Work().First(); at < len(list) {
		return list[at].Name
	}
	return ""
}

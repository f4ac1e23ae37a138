package measure

import (
	"cmp"

	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/models"
)

// Update updates the models of a workload after its pools have grown: the model of its batch size or of the requested
// sizes, and the one of all sizes if it exists. Failures do not affect the job; they are logged as notes. It returns
// the file of the first model.
func Update(s *session.Session, w workload.Workload, batches []int, dir string, readings []tegra.Measured,
	observe Observer) string {
	if !models.Holds(s.Options.Paths, dir) || len(readings) == 0 {
		return ""
	}
	first := ""
	for _, sizes := range kept(s, w, batches) {
		out, err := models.Learn(s, w, sizes, dir, nil, nil, true)
		if err != nil {
			observe.Note("the model was not updated: " + err.Error())
		}
		first = cmp.Or(first, out.Path)
	}
	return first
}

// kept lists the batch sizes of the models to update: the requested ones; otherwise the workload's own size (nil), or
// all sizes if only that model exists, or both.
func kept(s *session.Session, w workload.Workload, batches []int) [][]int {
	if batches != nil {
		return [][]int{batches}
	}
	all := []int{w.Batch}
	if pool, err := models.PoolOf(s, w, all); err != nil || models.ModelOf(s.Options.Paths, pool) == "" {
		return [][]int{nil}
	}
	if pool, err := models.PoolOf(s, w, nil); err != nil || models.ModelOf(s.Options.Paths, pool) == "" {
		return [][]int{all}
	}
	return [][]int{nil, all}
}

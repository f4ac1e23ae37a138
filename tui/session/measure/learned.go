package measure

import (
	"cmp"

	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/models"
)

// Update keeps the models of a workload's pools after they have grown: the one of its
// batch size, or of the sizes asked for, and the one of all sizes where there is one. A
// job's outcome does not depend on it: what goes wrong is noted. It gives the file of
// the first.
func Update(s *session.Session, w workload.Workload, batches []int, dir string, readings []tegra.Measured,
	observe Observer) string {
	if !models.Holds(s.Options.Paths, dir) || len(readings) == 0 {
		return ""
	}
	first := ""
	for _, sizes := range kept(s, w, batches) {
		ref, err := models.ReferenceOn(s.Options.Paths, models.PoolReference(sizes), s.Device.Board(), s.Device.Space())
		var out models.Learned
		if err == nil {
			out, err = models.Learn(s, w, sizes, dir, nil, ref, true)
		}
		if err != nil {
			observe.Note("the model is not brought up to date: " + err.Error())
		}
		first = cmp.Or(first, out.Path)
	}
	return first
}

// kept lists the batch sizes of the models that learn the measurements of a workload: where the request names several,
// those; else its own size, nil, unless the only model there is has all sizes.
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

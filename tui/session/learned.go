package session

import (
	"cmp"

	"jtune/profiles/workload"
	"jtune/tegra"
)

// update keeps the models of a workload's pools after they have grown: the one of its
// batch size, or of the sizes asked for, and the one of all sizes where there is one. A
// job's outcome does not depend on it: what goes wrong is noted. It gives the file of
// the first.
func (s *Session) update(w workload.Workload, batches []int, dir string, readings []tegra.Measured,
	observe observer) string {
	if !s.Options.holds(dir) || len(readings) == 0 {
		return ""
	}
	first := ""
	for _, sizes := range s.kept(w, batches) {
		ref, err := s.Options.reference(poolReference(sizes), s.Device.Board(), s.Device.Space())
		var out learned
		if err == nil {
			out, err = s.learn(w, sizes, dir, nil, ref, true)
		}
		if err != nil {
			observe.note("the model is not brought up to date: " + err.Error())
		}
		first = cmp.Or(first, out.path)
	}
	return first
}

// kept lists the batch sizes of the models that learn what was measured of a workload:
// where several were asked for, those; else its own size, nil, unless the only model
// there is has all sizes.
func (s *Session) kept(w workload.Workload, batches []int) [][]int {
	if batches != nil {
		return [][]int{batches}
	}
	all := []int{w.Batch}
	if pool, err := s.Pool(w, all); err != nil || s.Options.modelOf(pool) == "" {
		return [][]int{nil}
	}
	if pool, err := s.Pool(w, nil); err != nil || s.Options.modelOf(pool) == "" {
		return [][]int{all}
	}
	return [][]int{nil, all}
}

package guard

import (
	"slices"
	"strconv"

	"jtune/tegra"
)

// ofUser returns a state with the user's limits in place of those that heat lowers now: what the guard wrote last, or
// what it found. It leaves out a limit of which it knows neither, because that could not be restored.
func (s *Server) ofUser(now tegra.State) tegra.State {
	lowered := s.planner.Lowered(now)
	if len(lowered) == 0 {
		return now
	}
	var out tegra.State
	for _, f := range now.Files {
		if slices.Contains(lowered, f.Path) {
			was, ok := s.wrote[f.Path]
			if !ok && s.found != nil {
				was, ok = s.found.Get(f.Path)
			}
			if !ok {
				s.logf("a thermal limit hides the user's limit: %s", f.Path)
				continue
			}
			f.Value = higher(was, f.Value)
		}
		out.Files = append(out.Files, f)
	}
	return out
}

// higher returns the higher of two limits: someone else may have raised one since.
func higher(was, now string) string {
	a, aerr := strconv.ParseInt(was, 10, 64)
	b, berr := strconv.ParseInt(now, 10, 64)
	if aerr == nil && berr == nil && a > b {
		return was
	}
	return now
}

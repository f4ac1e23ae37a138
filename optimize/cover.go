package optimize

import (
	"maps"
	"slices"

	"jtune/optimize/design"
	"jtune/tegra"
)

// cover measures modes that a design spreads over the space, so that the model serves any limit; known ones count. The
// first is the top mode, which users compare with. None is stopped for its power.
func (s *search) cover() error {
	s.toItsEnd = true
	defer func() { s.toItsEnd = false }()
	next := design.New(s.places, s.o.Cover, s.o.Seed)
	top := s.at(tegra.Setting{Mode: s.o.Space.Max()})
	for {
		done, _ := s.samples()
		var failed []tegra.Setting
		for _, i := range slices.Sorted(maps.Keys(s.failed)) {
			failed = append(failed, s.places.At(i))
		}
		at, more := next.Next(done, failed...)
		i := s.at(at)
		switch {
		case !more:
			return nil
		case top >= 0 && !s.failed[top] && !slices.Contains(s.order, top):
			i = top
		}
		if !s.probe(i, Start) {
			return nil
		}
	}
}

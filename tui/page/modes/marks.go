package modes

import (
	"slices"

	"jtune/tegra"
)

// toCompare returns the marked modes and the one under the cursor.
func (p *Page) toCompare() []tegra.Mode {
	list := slices.Clone(p.marked)
	if m, ok := p.chosen(); ok && !slices.Contains(list, m) && len(p.marked) < 2 {
		list = append(list, m)
	}
	return list
}

// compare lists the marked modes.
func (p *Page) compare() { p.marked, p.list, p.tab.Cursor = p.toCompare(), listMarked, 0 }

// mark marks the mode under the cursor for comparison, or removes its mark. One mode alone is not compared.
func (p *Page) mark() {
	m, ok := p.chosen()
	i := slices.Index(p.marked, m)
	switch {
	case !ok:
		return
	case i >= 0:
		p.marked = slices.Delete(p.marked, i, i+1)
	default:
		p.marked = append(p.marked, m)
	}
	if p.list != listMarked {
		p.tab.Move(1)
	} else if len(p.marked) < 2 {
		p.list = listAll
	}
}

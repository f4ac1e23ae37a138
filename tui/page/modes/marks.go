package modes

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// toCompare returns the marked modes and the one under the cursor.
func (p *Page) toCompare() []tegra.Mode {
	list := slices.Clone(p.marked)
	if m, ok := p.chosen(); ok && !slices.Contains(list, m) && len(p.marked) < 2 {
		list = append(list, m)
	}
	return list
}

// compare opens the comparison.
func (p *Page) compare() page.Intent {
	list := p.toCompare()
	if len(list) < 2 {
		mark := p.read.Keys().Mark.Label()
		return page.Sayf("compare: mark modes with %s first; one mark and the cursor are enough", mark)
	}
	p.compared = newComparer(p.read, list)
	return nil
}

func (p *Page) compareKey(k tea.KeyPressMsg) (page.Intent, bool) {
	keys := p.read.Keys()
	c := p.compared
	at, walked := widget.ListKeys{Up: keys.Left, Down: keys.Right}.Step(k, c.cursor, 0, len(c.modes)-1)
	switch {
	case walked:
		c.cursor = at
	case keys.Back.Matches(k), keys.Quit.Matches(k), keys.Compare.Matches(k):
		p.compared = nil
	case keys.Mark.Matches(k):
		p.unmark()
	default:
		does, yes := keys.Applies(k)
		if yes {
			does.Mode = c.modes[c.cursor]
			return does, true
		}
		return nil, false
	}
	return nil, true
}

// unmark removes the mode under the cursor from the comparison.
func (p *Page) unmark() {
	at := p.compared.cursor
	rest := slices.Delete(slices.Clone(p.compared.modes), at, at+1)
	p.marked, p.compared = rest, nil
	if len(rest) > 1 {
		p.compared = newComparer(p.read, rest)
		p.compared.cursor = min(at, len(rest)-1)
	}
}

// mark marks the mode under the cursor for comparison, or removes its mark.
func (p *Page) mark() {
	m, ok := p.chosen()
	if !ok {
		return
	}
	if i := slices.Index(p.marked, m); i >= 0 {
		p.marked = slices.Delete(p.marked, i, i+1)
	} else {
		p.marked = append(p.marked, m)
	}
	p.tab.Move(1)
}

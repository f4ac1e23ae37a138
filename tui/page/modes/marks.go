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
func (p *Page) compare() {
	p.compared = newComparer(p.read, p.toCompare())
}

func (p *Page) compareKey(k tea.KeyPressMsg) (page.Intent, bool) {
	c, keys := p.compared, p.read.Keys()
	at, walked := widget.ListKeys{Up: keys.Left, Down: keys.Right}.Step(k, c.cursor, 0, len(c.modes)-1)
	if c.cursor = at; walked {
		return nil, true
	}
	return p.compareActs().Key(k)
}

// compareActs returns what the keys do with the comparison.
func (p *Page) compareActs() page.Acts {
	c, keys, closes := p.compared, p.read.Keys(), func() { p.compared = nil }
	apply, now := page.Applying(p.read, page.Apply{Mode: c.modes[c.cursor]})
	return page.Acts{apply.As("apply " + letter(c.cursor)), page.Shown(keys.Left.With(keys.Right, "choose")),
		page.On(keys.Mark.As("take out").Doing("take this mode out of the comparison"), p.unmark),
		page.On(keys.Back.As("close"), closes), now,
		page.Quiet(keys.Quit, true, closes), page.Quiet(keys.Compare, true, closes)}
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

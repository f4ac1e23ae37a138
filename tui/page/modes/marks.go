package modes

import (
	"slices"

	"jtune/tegra"
	"jtune/tui/page"
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

// compareActs returns what the keys do with the comparison.
func (p *Page) compareActs() page.Acts {
	c, keys, closes := p.compared, p.read.Keys(), func() { p.compared = nil }
	apply, now := page.Applying(p.read, page.Apply{Mode: c.modes[c.cursor]})
	choose := page.Both(keys.Left, keys.Right, func(by int) page.Intent {
		c.cursor = min(max(0, c.cursor+by), len(c.modes)-1)
		return nil
	})
	return slices.Concat(page.Acts{apply.As("apply " + letter(c.cursor))}, choose.As("choose", ""), page.Acts{
		page.On(keys.Mark.As("take out").Doing("take this mode out of the comparison"), p.unmark),
		page.On(keys.Back.As("close"), closes), now,
		page.Quiet(keys.Quit, true, closes), page.Quiet(keys.Compare, true, closes)})
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

package modes

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// sortKey handles the letter of a column; any other key leaves the order unchanged.
func (p *Page) sortKey(k tea.KeyPressMsg) page.Intent {
	p.sorting = false
	switch c, ok := p.by(k.Text); {
	case ok && c.lacks != "":
		return page.Sayf("sort by %s: %s", c.name, c.lacks)
	case ok:
		p.sort(c)
		return nil
	}
	if keys := p.read.Keys(); !keys.Back.Matches(k) && !keys.Quit.Matches(k) {
		return page.Sayf("sort: no column has the letter %s", k)
	}
	return nil
}

// Update implements page.Page.
func (p *Page) Update(msg tea.Msg) page.Intent {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		p.built = false
		p.filter.Paste(msg)
	case page.TaskDone, page.OutlookShown, page.SpaceCompleted, page.ServedShown, page.LimitSet:
		p.built = false
	case page.BootPlanned:
		return p.openBoot(msg)
	}
	return nil
}

// Acts implements page.Page.
func (p *Page) Acts() page.Acts {
	keys := p.read.Keys()
	switch {
	case p.filter.Typing():
		changes := page.In(func(tea.KeyPressMsg) bool { p.built = false; return false }, nil)
		return append(page.Acts{changes}, p.filter.Acts(p.read, p.build, func() { p.tab.Cursor = 0 })...)
	case p.sorting:
		sorts := func(k tea.KeyPressMsg) (page.Intent, bool) { return p.sortKey(k), true }
		return page.Acts{page.In(sorts, []widget.Action{keys.Sort.As("then a letter, as above"),
			keys.Back.As("leave it")})}
	case p.boot != nil:
		return p.bootActs()
	}
	p.fill()
	return slices.Concat(p.acts(), page.Acts{page.Rows(&p.tab)}, page.Listed(keys.Up.With(keys.Down, "move"),
		keys.PageUp, keys.PageDown, keys.HalfUp, keys.HalfDown, keys.Home, keys.End))
}

// acts returns what the keys do with the list and the mode under the cursor.
func (p *Page) acts() page.Acts {
	keys := p.read.Keys()
	m, ok := p.chosen()
	next := [...]widget.Action{
		listAll:     keys.Presets,
		listPresets: keys.Presets.As("history").Doing("list what was applied in this session"),
		listHistory: keys.Presets.As("all modes"),
		listMarked:  keys.Presets,
	}[p.list]
	compare := keys.Compare
	if len(p.toCompare()) < 2 {
		compare.Why = "mark a mode"
	}
	does := page.Apply{Mode: m, Preset: p.chosenPreset()}
	if p.list == listAll {
		does.Asked = p.read.AskedOfModel()
	}
	apply, now := page.Applying(p.read, does)
	measure := page.On(keys.Verify.Unless(p.read.MayMeasure()), func() page.Intent {
		return page.Measure(p.read, page.MeasuredWith(p.read), tegra.Setting{Mode: m})
	})
	if !ok {
		const none = "no mode is listed"
		apply.Action, now.Action, measure.Action = apply.Unless(none), now.Unless(none), measure.Unless(none)
	}
	closes := func() { p.list, p.tab.Cursor = listAll, 0 }
	if p.list == listMarked {
		return page.Acts{apply.As("apply " + letter(p.tab.Cursor)),
			page.On(keys.Mark.As("take out").Doing("take this mode out of the comparison"), p.mark),
			page.On(keys.Back.As("close"), closes), measure, now,
			page.Quiet(keys.Quit, true, closes), page.Quiet(keys.Compare, true, closes)}
	}
	enlarge := page.Shown(keys.Enlarge)
	limits := page.On(keys.Limits, func() page.Intent { return page.Say("limits: not now, no model is loaded") })
	if p.read.Outlook() != nil {
		limits = page.On(keys.Limits, func() { p.filter.OpenLimits(p.read) })
		enlarge = page.On(keys.Enlarge, func() { p.full = !p.full })
	}
	return page.Acts{
		apply, now.As("now"), measure,
		page.On(keys.Filter, func() { p.filter.OpenFilter(); p.list = listAll }),
		page.On(keys.Sort, func() { p.sorting = true }),
		page.On(keys.Mark.As("mark").Doing("mark a mode to compare it"), p.mark),
		page.On(compare, p.compare),
		page.On(next, func() { p.list, p.tab.Cursor = (p.list+1)%3, 0 }),
		page.On(keys.Compose, p.composeMode),
		enlarge, limits,
		page.On(keys.AtBoot.Unless(p.noBoot()), p.planBoot),
		page.On(keys.Block.Unless(p.noBlock()), p.writeBlock),
		page.Quiet(keys.Back, p.list != listAll, closes),
		page.Quiet(keys.Back, p.filter.Filter != "", func() { p.filter.Filter, p.built = "", false }),
		page.Quiet(keys.Back, len(p.marked) > 0, func() { p.marked = nil }),
	}
}

// Copied returns the chosen mode.
func (p *Page) Copied() string {
	if m, ok := p.chosen(); ok {
		return p.read.ModeText(m)
	}
	return ""
}

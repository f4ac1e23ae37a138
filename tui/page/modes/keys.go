package modes

import (
	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// sortKey handles the letter of a column; any other key leaves the order unchanged.
func (p *Page) sortKey(k tea.KeyPressMsg) page.Intent {
	p.sorting = false
	for _, c := range sortColumns {
		switch {
		case k.Text != c.letter:
		case !p.hasColumn(c.column) && p.read.Outlook() != nil:
			return page.Sayf("sort by %s: only for inference", c.name)
		case !p.hasColumn(c.column):
			return page.Sayf("sort by %s: not now, no model is loaded", c.name)
		default:
			p.sort(c.column)
			return nil
		}
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
		switch {
		case p.limits.Typing():
			p.limits.Update(msg)
		case p.input != nil:
			p.built = false
			p.input.Update(msg)
		}
	case page.TaskDone, page.OutlookShown, page.SpaceCompleted, page.ServedShown, page.LimitSet:
		p.built = false
	case blockMsg:
		if msg.err != nil {
			return page.Fail{What: "nvpmodel block", Err: msg.err}
		}
		return page.Export{Name: msg.name, Files: []page.File{{Ending: "conf", Text: msg.text}}}
	case page.BootPlanned:
		return p.openBoot(msg)
	}
	return nil
}

// Key implements page.Page.
func (p *Page) Key(k tea.KeyPressMsg) (page.Intent, bool) {
	if p.input != nil {
		p.typeFilter(k)
		return nil, true
	}
	if p.limits.Typing() {
		return p.limits.Key(k, p.read), true
	}
	if p.sorting {
		return p.sortKey(k), true
	}
	if p.compose != nil {
		return p.composeKey(k)
	}
	if p.boot != nil {
		does, closed, taken := p.boot.key(k)
		if closed {
			p.boot = nil
		}
		return does, taken
	}
	p.fill()
	if p.compared != nil {
		return p.compareKey(k)
	}
	switch {
	case p.read.Keys().AtBoot.Matches(k):
		return p.planBoot(), true
	case p.read.Keys().Block.Matches(k):
		return p.writeBlock(), true
	}
	if does, taken := p.listKey(k); taken {
		return does, true
	}
	return p.rowKey(k)
}

// rowKey handles the keys that move the cursor or use the mode under it.
func (p *Page) rowKey(k tea.KeyPressMsg) (page.Intent, bool) {
	keys := p.read.Keys()
	switch {
	case p.tab.Key(k):
	case keys.Mark.Matches(k):
		p.mark()
	case keys.Verify.Matches(k):
		m, ok := p.chosen()
		if !ok {
			return nil, false
		}
		return page.Measure(p.read, page.MeasuredWith(p.read), tegra.Setting{Mode: m}), true
	default:
		does, yes := keys.Applies(k)
		if m, ok := p.chosen(); yes && ok {
			does.Mode, does.Preset = m, p.chosenPreset()
			return does, true
		}
		return nil, yes
	}
	return nil, true
}

// listKey handles the keys that change which rows are shown, and their order.
func (p *Page) listKey(k tea.KeyPressMsg) (page.Intent, bool) {
	keys := p.read.Keys()
	switch {
	case keys.Filter.Matches(k):
		p.input, p.list = widget.NewInput(p.filter, "", widget.MostFilter), listAll
	case keys.Sort.Matches(k):
		p.sorting = true
	case keys.Limits.Matches(k) && p.read.Outlook() != nil:
		p.limits.Open(p.read)
	case keys.Limits.Matches(k):
		return page.Say("limits: not now, no model is loaded"), true
	case keys.Presets.Matches(k):
		p.list = (p.list + 1) % 3
		p.tab.Cursor = 0
	case keys.Compose.Matches(k):
		p.compose = newComposer(p.read)
	case keys.Compare.Matches(k):
		return p.compare(), true
	case keys.Enlarge.Matches(k) && p.read.Outlook() != nil:
		p.full = !p.full
	case keys.Back.Matches(k) && p.list != listAll:
		p.list, p.tab.Cursor = listAll, 0
	case keys.Back.Matches(k) && p.filter != "":
		p.filter, p.built = "", false
	case keys.Back.Matches(k) && len(p.marked) > 0:
		p.marked = nil
	default:
		return nil, false
	}
	return nil, true
}

// typeFilter edits the filter's text and updates the table.
func (p *Page) typeFilter(k tea.KeyPressMsg) {
	p.built = false
	switch {
	case p.read.Keys().Enter.Matches(k):
		if p.build(); p.problem == "" { // otherwise the text stays for correction
			p.filter, p.input, p.tab.Cursor = p.input.Value(), nil, 0
		}
	case p.read.Keys().Back.Matches(k):
		p.input = nil
	default:
		p.input.Update(k)
	}
}

// Hints implements page.Page.
func (p *Page) Hints() []widget.Action {
	keys := p.read.Keys()
	switch {
	case p.input != nil:
		return page.FilterHints(p.read)
	case p.limits.Typing():
		return p.limits.Hints(p.read)
	case p.sorting:
		return []widget.Action{keys.Sort.As("then a letter, as above"), keys.Back.As("leave it")}
	case p.compose != nil:
		knob, change := keys.Up.With(keys.Down, "setting"), keys.Left.With(keys.Right, "change")
		return []widget.Action{knob, change, keys.Apply, keys.AtOnce, keys.Back}
	case p.boot != nil:
		return p.boot.hints()
	case p.compared != nil:
		return p.compared.hints(p.read)
	}
	next := [...]widget.Action{
		listAll:     keys.Presets,
		listPresets: keys.Presets.As("history").Doing("list what was applied in this session"),
		listHistory: keys.Presets.As("all modes"),
	}[p.list]
	compare := keys.Compare
	if len(p.toCompare()) < 2 {
		compare.Why = "mark a mode"
	}
	return []widget.Action{
		keys.Apply.Unless(p.read.MayWrite()),
		keys.AtOnce.As("now").Unless(p.read.MayWrite()),
		keys.Verify.As("measure").Unless(p.read.MayMeasure()),
		keys.Filter, keys.Sort,
		keys.Mark.As("mark").Doing("mark a mode to compare it"),
		compare, next, keys.Compose, keys.Enlarge,
		keys.Limits, keys.AtBoot.Unless(p.noBoot()),
		keys.Block.Unless(p.noBlock()),
		keys.Up.With(keys.Down, "move"), keys.PageUp, keys.PageDown, keys.HalfUp, keys.HalfDown, keys.Home, keys.End,
	}
}

// Copied returns the chosen mode, or the comparison.
func (p *Page) Copied() string {
	if p.compared != nil {
		return p.compared.text()
	}
	if m, ok := p.chosen(); ok {
		return p.read.ModeText(m)
	}
	return ""
}

// Package modes is the page of the whole space as a table: filtered, sorted,
// compared; presets, composing, the mode at boot.
package modes

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// Page is the whole space as a table that can be filtered and sorted,
// with what is known of each mode when a model is loaded; presets, composing,
// comparing, history.
type Page struct {
	read     page.Reader
	tab      widget.Table
	order    []int // indexes of the space, filtered and sorted
	view     *outlook.Outlook
	served   *serving.Served
	listing  serving.Listing
	limits   page.LimitLine
	built    bool
	sortBy   modesColumn
	falling  bool // the largest first
	sorting  bool // the next key is a column's letter
	filter   string
	input    *widget.Input // the filter while it is typed; nil: it is not
	problem  string        // of the filter
	list     modesList
	marked   []tegra.Mode // to compare, in the order they were marked
	compared *comparer    // nil: closed
	compose  *composer    // nil: closed
	boot     *bootDialog  // nil: closed
}

// modesList is which list the page shows.
type modesList int

const (
	listAll modesList = iota
	listPresets
	listHistory
)

// modesColumn is a column of the table.
type modesColumn int

// Columns, from left to right; the knobs as tegra.Knob orders them.
const (
	columnMark modesColumn = iota
	columnMode
	columnCores
	columnCPU
	columnGPU
	columnEMC
	columnTime
	columnTimeBand
	columnSpeed
	columnPower
	columnPowerBand
	columnEnergy
	columnState
	columnIs
)

var _ page.Page = (*Page)(nil)

// New lists the space that is read.
func New(read page.Reader) *Page {
	p := &Page{read: read, sortBy: columnMode, falling: true}
	p.tab = widget.Table{Keys: read.Keys().ListKeys(), Cols: []widget.Column{
		{Title: " ", Width: 1},
		{Title: "cores/CPU/GPU/EMC", Width: 20, Whole: true},
		{Title: "cores", Width: 6, Right: true, Drop: 4},
		{Title: "CPU", Width: 10, Right: true, Drop: 4},
		{Title: "GPU", Width: 10, Right: true, Drop: 4},
		{Title: "EMC", Width: 10, Right: true, Drop: 4},
		{Title: "ms/mb", Width: 7, Right: true},
		{Title: "95 %", Width: 15, Drop: 5},
		{Width: 6, Right: true, Drop: 2},
		{Title: "W", Width: 5, Right: true},
		{Title: "95 %", Width: 11, Drop: 5},
		{Title: "J/mb", Width: 6, Right: true, Drop: 2},
		{Title: "state", Width: 13, Drop: 1},
		{Title: "is", Width: 9, Drop: 3},
	}}
	return p
}

// Name is page.Page's.
func (p *Page) Name() page.Name { return page.Modes }

// Typing reports whether a filter, limits or the letter of a column is typed.
func (p *Page) Typing() bool { return p.input != nil || p.sorting || p.limits.Typing() }

// Update is page.Page's.
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
	case page.TaskDone, page.OutlookShown, page.ServedShown, page.LimitSet:
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

// Key is page.Page's.
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

// rowKey takes the keys that move the cursor or use the mode under it.
func (p *Page) rowKey(k tea.KeyPressMsg) (page.Intent, bool) {
	keys := p.read.Keys()
	switch {
	case p.tab.Key(k):
	case keys.Mark.Matches(k):
		p.mark()
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

// listKey takes the keys that change which rows show, and in what order.
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

// mark marks the mode under the cursor to be compared, or takes its mark away.
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

// noBlock returns the reason why a mode cannot be written for nvpmodel, or "".
func (p *Page) noBlock() string {
	if _, can := p.read.Block(); !can {
		return "not for this board"
	}
	return ""
}

// blockMsg brings a mode as a block for nvpmodel.conf.
type blockMsg struct {
	name, text string
	err        error
}

// writeBlock exports the chosen mode for the vendor's nvpmodel.conf.
func (p *Page) writeBlock() page.Intent {
	m, ok := p.chosen()
	if why := p.noBlock(); why != "" || !ok {
		return page.Say("nvpmodel block: " + cmp.Or(why, "no mode is chosen"))
	}
	name := fmt.Sprintf("JTUNE_%dC_%.0f_%.0f_%.0f", m.Cores, m.CPU.MHz(), m.GPU.MHz(), m.EMC.MHz())
	write, _ := p.read.Block()
	return page.Run(func(context.Context) tea.Msg {
		text, err := write(m, name)
		return blockMsg{name, text, err}
	})
}

// typeFilter edits the filter's text; the table follows what is typed.
func (p *Page) typeFilter(k tea.KeyPressMsg) {
	p.built = false
	switch {
	case p.read.Keys().Enter.Matches(k):
		if p.build(); p.problem == "" { // else what was typed stays to be mended
			p.filter, p.input, p.tab.Cursor = p.input.Value(), nil, 0
		}
	case p.read.Keys().Back.Matches(k):
		p.input = nil
	default:
		p.input.Update(k)
	}
}

func (p *Page) composeKey(k tea.KeyPressMsg) (page.Intent, bool) {
	keys := p.read.Keys()
	switch {
	case keys.Back.Matches(k), keys.Quit.Matches(k):
		p.compose = nil
		return nil, true
	case keys.Enter.Matches(k):
		return p.applyComposed(page.Apply{}), true
	}
	if does, yes := keys.Applies(k); yes {
		return p.applyComposed(does), true
	}
	return nil, p.compose.key(k)
}

func (p *Page) applyComposed(does page.Apply) page.Intent {
	does.Mode = p.compose.mode()
	if !p.read.Space().Contains(does.Mode) {
		return page.Say("this combination does not exist on this board")
	}
	p.compose = nil
	return does
}

// chosen is the mode under the cursor.
func (p *Page) chosen() (tegra.Mode, bool) {
	at := p.tab.Cursor
	switch {
	case p.list == listPresets && at < len(p.read.Presets()):
		return p.read.Presets()[at].Mode, true
	case p.list == listHistory && at < len(p.read.Applied().History):
		return p.read.Applied().History[len(p.read.Applied().History)-1-at].Mode, true
	case p.list == listAll && at < len(p.order):
		return p.read.Space().At(p.order[at]), true
	}
	return tegra.Mode{}, false
}

// chosenPreset is the id of the preset under the cursor of their list.
func (p *Page) chosenPreset() tegra.Val[int] {
	if at := p.tab.Cursor; p.list == listPresets && at < len(p.read.Presets()) {
		return tegra.Some(p.read.Presets()[at].ID)
	}
	return tegra.Val[int]{}
}

// Hints is page.Page's.
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
		knob, change := keys.Up.With(keys.Down, "knob"), keys.Left.With(keys.Right, "change")
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
		keys.Filter, keys.Sort,
		keys.Mark.As("mark").Doing("mark a mode to compare it"),
		compare, next, keys.Compose,
		keys.Limits, keys.AtBoot.Unless(p.noBoot()),
		keys.Block.Unless(p.noBlock()),
		keys.AtOnce.Unless(p.read.MayWrite()),
		keys.Up.With(keys.Down, "move"), keys.PageUp, keys.PageDown, keys.HalfUp, keys.HalfDown, keys.Home, keys.End,
	}
}

// Copied is the chosen mode, or the comparison.
func (p *Page) Copied() string {
	if p.compared != nil {
		return p.compared.text()
	}
	if m, ok := p.chosen(); ok {
		return p.read.ModeText(m)
	}
	return ""
}

package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
)

// modesPage is the whole space as a table that can be filtered and sorted,
// with what is known of each mode when a model is loaded; presets, composing,
// comparing, history.
type modesPage struct {
	sh       *shared
	apply    *applyFlow
	tab      table
	order    []int // indexes of the space, filtered and sorted
	view     *mapView
	built    bool
	sortBy   modesColumn
	falling  bool // the largest first
	filter   string
	edit     bool   // the filter is being typed
	typed    string // while it is
	problem  string // of the filter
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
	columnPower
	columnPowerBand
	columnEnergy
	columnIs
)

func newModesPage(sh *shared, apply *applyFlow) *modesPage {
	p := &modesPage{sh: sh, apply: apply, sortBy: columnMode, falling: true}
	p.tab = table{cols: []column{
		{title: " ", width: 1}, {title: "cores/CPU/GPU/EMC", width: 21}, {title: "cores", width: 6, right: true, drop: 4}, {title: "CPU", width: 10, right: true, drop: 4},
		{title: "GPU", width: 10, right: true, drop: 4}, {title: "EMC", width: 10, right: true, drop: 4}, {title: "ms/mb", width: 7, right: true},
		{title: "95 %", width: 15, drop: 5}, {title: "W", width: 5, right: true}, {title: "95 %", width: 11, drop: 5}, {title: "J/mb", width: 6, right: true, drop: 2}, {title: "is", width: 18, drop: 1}}}
	return p
}

func (p *modesPage) title() string { return "Modes" }

func (p *modesPage) typing() bool { return p.edit }

func (p *modesPage) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if p.edit {
			p.typed += pasted(msg.Content, mostFilter-len(p.typed))
		}
	case jobDoneMsg, modelLoadedMsg:
		p.built = false
	case bootPlannedMsg:
		p.openBoot(msg)
	case bootChangedMsg:
		p.sh.bootChanged(msg)
	}
	return nil
}

func (p *modesPage) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	if p.edit {
		p.typeFilter(k)
		return nil, true
	}
	if p.compose != nil {
		return nil, p.composeKey(k)
	}
	if p.boot != nil {
		cmd, closed, taken := p.boot.key(k)
		if closed {
			p.boot = nil
		}
		return cmd, taken
	}
	p.fill()
	if p.compared != nil {
		return nil, p.compareKey(k)
	}
	if key.Matches(k, keys.AtBoot) {
		return p.planBoot(), true
	}
	return nil, p.listKey(k) || p.rowKey(k)
}

// rowKey takes the keys that move the cursor or use the mode under it.
func (p *modesPage) rowKey(k tea.KeyPressMsg) bool {
	switch {
	case p.tab.key(k):
	case key.Matches(k, keys.Mark):
		p.mark()
	case key.Matches(k, keys.Block):
		p.writeBlock()
	case key.Matches(k, keys.Apply):
		if m, ok := p.chosen(); ok {
			p.apply.ask(m)
		}
	default:
		return false
	}
	return true
}

// listKey takes the keys that change which rows show, and in what order.
func (p *modesPage) listKey(k tea.KeyPressMsg) bool {
	switch {
	case key.Matches(k, keys.Filter):
		p.edit, p.typed, p.list = true, p.filter, listAll
	case key.Matches(k, keys.Sort):
		p.sort()
	case key.Matches(k, keys.Reverse):
		p.falling, p.built, p.tab.cursor = !p.falling, false, 0
	case key.Matches(k, keys.Presets):
		p.list = (p.list + 1) % 3
		p.tab.cursor = 0
	case key.Matches(k, keys.Compose):
		p.compose = newComposer(p.sh)
	case key.Matches(k, keys.Compare):
		p.compare()
	case key.Matches(k, keys.Back) && (p.list != listAll || p.filter != ""):
		p.list, p.filter, p.built = listAll, "", false
	case key.Matches(k, keys.Back) && len(p.marked) > 0:
		p.marked = nil
	default:
		return false
	}
	return true
}

// mark marks the mode under the cursor to be compared, or takes its mark away.
func (p *modesPage) mark() {
	m, ok := p.chosen()
	if !ok {
		return
	}
	if i := slices.Index(p.marked, m); i >= 0 {
		p.marked = slices.Delete(p.marked, i, i+1)
	} else {
		p.marked = append(p.marked, m)
	}
	p.tab.move(1)
}

// noBlock gives the reason why a mode cannot be written for nvpmodel, or "".
func (p *modesPage) noBlock() string {
	if p.sh.block == nil {
		return "not for this board"
	}
	return ""
}

// writeBlock exports the chosen mode for the vendor's nvpmodel.conf.
func (p *modesPage) writeBlock() {
	m, ok := p.chosen()
	if why := p.noBlock(); why != "" || !ok {
		p.sh.say("nvpmodel block: %s", cmp.Or(why, "no mode is chosen"))
		return
	}
	name := fmt.Sprintf("JTUNE_%dC_%.0f_%.0f_%.0f", m.Cores, m.CPU.MHz(), m.GPU.MHz(), m.EMC.MHz())
	text, err := p.sh.block(m, name)
	if err != nil {
		p.sh.fail("nvpmodel block", err)
		return
	}
	p.sh.export(name, exportFile{"conf", text})
}

// mostFilter is how long a filter's text may be, in bytes.
const mostFilter = 80

// pasted is the printable beginning of a pasted text, in one line.
func pasted(text string, most int) string {
	var b strings.Builder
	for _, r := range text {
		if b.Len()+utf8.RuneLen(r) > most {
			break
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// typeFilter edits the filter's text; the table follows what is typed.
func (p *modesPage) typeFilter(k tea.KeyPressMsg) {
	p.built = false
	switch {
	case key.Matches(k, keys.Enter):
		p.edit, p.filter, p.built, p.tab.cursor = false, p.typed, false, 0
	case key.Matches(k, keys.Back):
		p.edit = false
	default:
		p.typed = edited(p.typed, k)
	}
}

// edited is a filter's text after a key.
func edited(text string, k tea.KeyPressMsg) string {
	switch s := k.String(); {
	case s == "backspace":
		if r := []rune(text); len(r) > 0 {
			text = string(r[:len(r)-1])
		}
	case s == "space":
		text += " "
	case k.Text != "" && len(text) < mostFilter:
		text += k.Text
	}
	return text
}

func (p *modesPage) composeKey(k tea.KeyPressMsg) bool {
	switch {
	case key.Matches(k, keys.Back):
		p.compose = nil
	case key.Matches(k, keys.Apply), key.Matches(k, keys.Enter):
		if m := p.compose.mode(); p.sh.space.Contains(m) {
			p.compose = nil
			p.apply.ask(m)
		} else {
			p.sh.say("this combination does not exist on this board")
		}
	default:
		return p.compose.key(k)
	}
	return true
}

// chosen is the mode under the cursor.
func (p *modesPage) chosen() (tegra.Mode, bool) {
	at := p.tab.cursor
	switch {
	case p.list == listPresets && at < len(p.sh.presets):
		return p.sh.presets[at].Mode, true
	case p.list == listHistory && at < len(p.sh.dev.history):
		return p.sh.dev.history[len(p.sh.dev.history)-1-at].mode, true
	case p.list == listAll && at < len(p.order):
		return p.sh.space.At(p.order[at]), true
	}
	return tegra.Mode{}, false
}

func (p *modesPage) hints() []hint {
	switch {
	case p.edit:
		return valid(named(keys.Enter, "filter by it"), named(keys.Back, "leave it"))
	case p.compose != nil:
		return valid(both(keys.Up, keys.Down, "knob"), both(keys.Left, keys.Right, "change"), keys.Apply, keys.Back)
	case p.boot != nil:
		return p.boot.hints()
	case p.compared != nil:
		return p.compared.hints(p.sh)
	}
	next := [...]string{"presets", "history", "all modes"}[p.list]
	compare := hint{Binding: keys.Compare}
	if len(p.toCompare()) < 2 {
		compare.why = "mark a mode"
	}
	return []hint{unless(keys.Apply, p.sh.mayWrite()), {Binding: keys.Filter}, {Binding: keys.Sort}, {Binding: named(keys.Mark, "mark")}, compare,
		{Binding: named(keys.Presets, next)}, {Binding: keys.Compose}, {Binding: keys.Reverse}, unless(keys.AtBoot, p.sh.noBoot()), unless(keys.Block, p.noBlock()),
		{Binding: both(keys.Up, keys.Down, "move")}, {Binding: keys.PageUp}, {Binding: keys.PageDown}, {Binding: keys.Home}, {Binding: keys.End}}
}

func (p *modesPage) copied() string {
	if p.compared != nil {
		return p.compared.text()
	}
	if m, ok := p.chosen(); ok {
		return p.sh.mode(m)
	}
	return ""
}

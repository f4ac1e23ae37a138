package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
)

// modesPage is the whole space as a table that can be filtered and sorted,
// with predictions when a model is loaded; presets, composing, history.
type modesPage struct {
	sh      *shared
	apply   *applyFlow
	tab     table
	order   []int // indexes of the space, filtered and sorted
	view    *mapView
	built   bool
	sortBy  int // of sortNames
	filter  string
	edit    bool   // the filter is being typed
	typed   string // while it is
	problem string // of the filter
	list    modesList
	compose *composer // nil: closed
}

// modesList is which list the page shows.
type modesList int

const (
	listAll modesList = iota
	listPresets
	listHistory
)

var sortNames = [...]string{"mode", "time", "power", "energy"}

func newModesPage(sh *shared, apply *applyFlow) *modesPage {
	p := &modesPage{sh: sh, apply: apply}
	p.tab = table{empty: "no mode passes the filter", cols: []column{
		{title: "cores/CPU/GPU/EMC", width: 21}, {title: "cores", width: 5, right: true, drop: 4}, {title: "CPU", width: 10, right: true, drop: 4},
		{title: "GPU", width: 10, right: true, drop: 4}, {title: "EMC", width: 10, right: true, drop: 4}, {title: "ms/mb", width: 7, right: true},
		{title: "W", width: 5, right: true}, {title: "J/mb", width: 6, right: true, drop: 2}, {title: "is", width: 18, drop: 1}}}
	return p
}

func (p *modesPage) title() string { return "Modes" }
func (p *modesPage) typing() bool  { return p.edit }

func (p *modesPage) update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case jobDoneMsg, modelLoadedMsg:
		p.built = false
	}
	return nil
}

// build filters and sorts the space again.
func (p *modesPage) build() {
	p.built, p.view = true, p.sh.view
	f, err := tegra.ParseFilter(p.filter)
	p.problem = ""
	if err != nil {
		p.problem = err.Error()
		return
	}
	p.order = p.order[:0]
	for i := p.sh.space.Len() - 1; i >= 0; i-- { // the largest first: MAXN is on top
		if f.Match(p.row(i, p.sh.space.At(i))) {
			p.order = append(p.order, i)
		}
	}
	if p.view != nil && p.sortBy > 0 {
		value := [][]float64{nil, p.view.timeMS, p.view.powerW, p.view.energyJ}[p.sortBy]
		slices.SortStableFunc(p.order, func(a, b int) int { return cmp.Compare(value[a], value[b]) })
	}
}

// row is what is known of mode i: measured before predicted before nothing.
func (p *modesPage) row(i int, m tegra.Mode) tegra.Measured {
	if p.sh.view != nil && i < len(p.sh.view.preds) {
		return p.sh.view.preds[i].Measured()
	}
	return tegra.Measured{Mode: m}
}

func (p *modesPage) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	if p.edit {
		p.type_(k)
		return nil, true
	}
	if p.compose != nil {
		return nil, p.composeKey(k)
	}
	p.fill()
	switch {
	case key.Matches(k, keys.Up):
		p.tab.move(-1)
	case key.Matches(k, keys.Down):
		p.tab.move(1)
	case key.Matches(k, keys.PageUp):
		p.tab.move(-10)
	case key.Matches(k, keys.PageDown):
		p.tab.move(10)
	case key.Matches(k, keys.Home):
		p.tab.cursor = 0
	case key.Matches(k, keys.End):
		p.tab.cursor = p.tab.rows - 1
	case key.Matches(k, keys.Filter):
		p.edit, p.typed, p.list = true, p.filter, listAll
	case key.Matches(k, keys.Sort):
		p.sort()
	case key.Matches(k, keys.Presets):
		p.list = (p.list + 1) % 3
		p.tab.cursor = 0
	case key.Matches(k, keys.Compose):
		p.compose = newComposer(p.sh)
	case key.Matches(k, keys.Back) && (p.list != listAll || p.filter != ""):
		p.list, p.filter, p.built = listAll, "", false
	case key.Matches(k, keys.Block):
		p.writeBlock()
	case key.Matches(k, keys.Apply):
		if m, ok := p.chosen(); ok {
			p.apply.ask(m)
		}
	default:
		return nil, false
	}
	return nil, true
}

// writeBlock exports the chosen mode for the vendor's nvpmodel.conf.
func (p *modesPage) writeBlock() {
	m, ok := p.chosen()
	if !ok || p.sh.block == nil {
		p.sh.say("nvpmodel block: not for this board")
		return
	}
	name := fmt.Sprintf("JTUNE_%dC_%.0f_%.0f_%.0f", m.Cores, m.CPU.MHz(), m.GPU.MHz(), m.EMC.MHz())
	text, err := p.sh.block(m, name)
	if err != nil {
		p.sh.fail("nvpmodel block", err)
		return
	}
	p.sh.export(name+".conf", text)
}

func (p *modesPage) sort() {
	if p.sh.view == nil {
		p.sh.say("sort: without a model only the knobs are known; t tunes a workload")
		return
	}
	p.sortBy, p.built, p.tab.cursor = (p.sortBy+1)%len(sortNames), false, 0
}

// type_ edits the filter's text.
func (p *modesPage) type_(k tea.KeyPressMsg) {
	switch s := k.String(); {
	case s == "enter":
		p.edit, p.filter, p.built, p.tab.cursor = false, p.typed, false, 0
	case s == "esc":
		p.edit = false
	case s == "backspace":
		if r := []rune(p.typed); len(r) > 0 {
			p.typed = string(r[:len(r)-1])
		}
	case s == "space":
		p.typed += " "
	case k.Text != "" && len(p.typed) < 80:
		p.typed += k.Text
	}
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
		return valid(keys.Up, keys.Left, keys.Apply, keys.Back)
	}
	next := [...]string{"presets", "history", "all modes"}[p.list]
	sortWhy := ""
	if p.sh.view == nil {
		sortWhy = "no model"
	}
	return []hint{unless(keys.Apply, p.sh.mayWrite()), {Binding: keys.Filter}, {Binding: named(keys.Presets, next)}, {Binding: keys.Compose}, unless(keys.Sort, sortWhy),
		{Binding: keys.Block}, {Binding: keys.Down}, {Binding: keys.PageDown}}
}

func (p *modesPage) copied() string {
	if m, ok := p.chosen(); ok {
		return p.sh.mode(m)
	}
	return ""
}

// Render draws the page.
func (p *modesPage) Render(w, h int) string {
	title, note := p.fill()
	body := func(w, h int) string {
		text := p.tab.Render(w, h)
		if p.compose != nil {
			text = over(text, p.compose.Render(w, h), w, h)
		}
		return text
	}
	if h < 4 {
		return body(w, h)
	}
	return under(panel{title, note, body, p.sh.narrow}.Render(w, h-1), cut(p.filterLine(), w))
}

// fill points the table at the list that shows.
func (p *modesPage) fill() (title, note string) {
	if !p.built || p.view != p.sh.view {
		p.build()
	}
	switch p.list {
	case listPresets:
		p.tab.rows = len(p.sh.presets)
		p.tab.cell = func(row, col int) string { return p.cell(p.sh.presets[row].Mode, col, p.sh.presets[row].Name) }
		return "Presets of this board", ""
	case listHistory:
		hist := p.sh.dev.history
		p.tab.rows = len(hist)
		p.tab.cell = func(row, col int) string {
			c := hist[len(hist)-1-row]
			return p.cell(c.mode, col, c.at.Format("15:04 ")+c.what)
		}
		return "Applied in this session, newest first", ""
	}
	p.tab.rows = len(p.order)
	p.tab.cell = func(row, col int) string {
		m := p.sh.space.At(p.order[row])
		return p.cell(m, col, p.isWhat(m))
	}
	title = fmt.Sprintf("%d of %d modes", len(p.order), p.sh.space.Len())
	if p.sh.view == nil {
		return title, "no model: knobs only"
	}
	return title, "predicted for " + p.sh.view.workload + ", by " + sortNames[p.sortBy]
}

func (p *modesPage) filterLine() string {
	switch {
	case p.edit:
		return styleAsk.Render(" filter: ") + p.typed + "█" + styleDim.Render("   such as cores>=8 gpu<900MHz power<30")
	case p.problem != "":
		return styleBad.Render(" " + p.problem)
	case p.filter != "":
		return " filter " + styleBold.Render(p.filter) + styleDim.Render("   esc shows all modes again")
	}
	return styleDim.Render(" / filters: cores>=8 gpu<900MHz power<30 time<100")
}

func (p *modesPage) cell(m tegra.Mode, col int, what string) string {
	switch col {
	case 0:
		return p.sh.mode(m)
	case 1, 2, 3, 4:
		return knobText(m, tegra.Knob(col-1))
	case 8:
		return what
	}
	i, ok := p.sh.space.Index(m)
	if !ok {
		return dash
	}
	r := p.row(i, m)
	switch col {
	case 5:
		return ms(r.TimeMS)
	case 6:
		return positive(r.PowerW, 1)
	}
	return positive(r.EnergyJ(), 2)
}

func (p *modesPage) isWhat(m tegra.Mode) string {
	var words []string
	if now := p.sh.present(); now.OK && now.V == m {
		words = append(words, "now")
	}
	if name := p.sh.nameOf(m); name != "" {
		words = append(words, name)
	}
	if v := p.sh.view; v != nil {
		if _, ok := v.measured[m]; ok {
			words = append(words, "measured")
		}
	}
	return strings.Join(words, " ")
}

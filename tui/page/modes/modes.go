// Package modes is the page of the whole space as a table: filter, sort, compare; presets, composing a mode, the mode
// at boot.
package modes

import (
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// Page is the whole space as a table that can be filtered and sorted, with what is known of each mode if a model is
// loaded. It also lists presets, the history and marked modes.
type Page struct {
	read    page.Reader
	tab     widget.Table
	order   []int // indexes of the space, filtered and sorted
	view    *outlook.Outlook
	served  *serving.LoadView
	listing serving.Listing
	built   bool
	sortBy  string // letter of a column
	falling bool   // largest first
	sorted  bool   // by the user; otherwise modes that keep the limit are on top once a model is loaded
	sorting bool   // the next key is a column's letter
	filter  page.Line
	list    modesList
	marked  []tegra.Mode      // for comparison, in the order of marking
	boot    *bootDialog       // nil: closed
	listed  int               // rows of the list on the screen, its head and frame included
	full    bool              // the list has all rows and columns in a usual window too
	few     bool              // the list has the main columns only
	entry   func(i int) entry // of the shown list
}

// modesList is a list of the page.
type modesList int

const (
	listAll modesList = iota
	listPresets
	listHistory
	listMarked // compared with the first one
)

var _ page.Page = (*Page)(nil)

// New returns the page.
func New(read page.Reader) *Page {
	p := &Page{read: read, sortBy: byMode, falling: true}
	p.tab = widget.Table{Keys: read.Keys().ListKeys()}
	return p
}

// Name implements page.Page.
func (p *Page) Name() page.Name { return page.Modes }

// Typing reports whether a filter, limits or a column's letter is typed.
func (p *Page) Typing() bool { return p.filter.Typing() || p.sorting }

// chosen returns the mode under the cursor.
func (p *Page) chosen() (tegra.Mode, bool) {
	at := p.tab.Cursor
	switch {
	case p.list == listPresets && at < len(p.read.Presets()):
		return p.read.Presets()[at].Mode, true
	case p.list == listHistory && at < len(p.read.Applied().History):
		return p.read.Applied().History[len(p.read.Applied().History)-1-at].Mode, true
	case p.list == listMarked && at < len(p.marked):
		return p.marked[at], true
	case p.list == listAll && at < len(p.order):
		return p.read.Space().At(p.order[at]), true
	}
	return tegra.Mode{}, false
}

// chosenPreset returns the ID of the preset under the cursor of the preset list.
func (p *Page) chosenPreset() tegra.Val[int] {
	if at := p.tab.Cursor; p.list == listPresets && at < len(p.read.Presets()) {
		return tegra.Some(p.read.Presets()[at].ID)
	}
	return tegra.Val[int]{}
}

// Package front is the page of all modes with what is known of them, their Pareto front, and the choice under the
// limit. It also shows the mixes of a pair and an energy study.
//
//	messages ──► Page ──► cloud, mixes, study (a view each) ──► intents
//	              └ the shown view gets the keys and draws
package front

import (
	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/widget"
)

// Page shows one of its views: the mixes of a pair, an energy study, or a model's cloud.
type Page struct {
	shared *shared
	cloud  *cloudView
	mixes  *mixesView
	study  *studyView
	empty  *empty
}

var (
	_ page.Page     = (*Page)(nil)
	_ page.Typist   = (*Page)(nil)
	_ page.Mouser   = (*Page)(nil)
	_ page.Exporter = (*Page)(nil)

	_ page.Subjected = (*Page)(nil)
)

// New returns the page.
func New(read page.Reader) *Page {
	s := &shared{read: read, asTab: read.Look().Glyphs == widget.GlyphsASCII}
	study := &studyView{shared: s}
	return &Page{
		shared: s,
		cloud:  newCloud(s, study),
		mixes:  &mixesView{shared: s},
		study:  study,
		empty:  &empty{shared: s, study: study},
	}
}

// Name implements page.Page.
func (p *Page) Name() page.Name { return page.Front }

// view returns the shown view.
func (p *Page) view() view {
	switch {
	case p.mixes.shows():
		return p.mixes
	case p.study.on:
		return p.study
	case p.shared.read.Outlook() == nil:
		return p.empty
	}
	return p.cloud
}

// Update implements page.Page.
func (p *Page) Update(msg tea.Msg) page.Intent {
	switch m := msg.(type) {
	case tea.PasteMsg:
		p.cloud.paste(m)
	case page.ModelsListed:
		p.empty.kept, p.cloud.rivals.models = len(m.List), m.List
		return p.cloud.rivals.find()
	case studyMsg:
		p.study.take(m.findings)
	case rivalsMsg:
		return p.cloud.rivals.take(m)
	case page.LimitSet:
		p.cloud.limited()
	case page.ServedShown:
		return p.cloud.served()
	case page.OutlookShown:
		if !m.Same { // for another workload
			p.study.close()
		}
		return p.cloud.outlookShown(m)
	}
	return nil
}

// Key implements page.Page.
func (p *Page) Key(k tea.KeyPressMsg) (page.Intent, bool) {
	v := p.view()
	if v != p.cloud {
		p.cloud.stopTyping()
	}
	return v.Key(k)
}

// Typing reports whether a filter or limits are typed.
func (p *Page) Typing() bool { return p.view() == p.cloud && p.cloud.typing() }

// Hints implements page.Page.
func (p *Page) Hints() []widget.Action { return p.view().Hints() }

// Subject implements page.Subjected: it is the workload of the shown model.
func (p *Page) Subject() string {
	if v := p.shared.read.Outlook(); v != nil && p.view() == p.cloud {
		return v.Workload
	}
	return ""
}

// Copied implements page.Page: it is the mode under the cursor.
func (p *Page) Copied() string { return p.view().Copied() }

// Files implements page.Exporter.
func (p *Page) Files() ([]page.File, error) { return p.view().Files() }

// Render implements page.Page.
func (p *Page) Render(w, h int) string { return p.view().Render(w, h) }

// Click implements page.Mouser.
func (p *Page) Click(x, y int) bool {
	v, mouses := p.view().(page.Mouser)
	return mouses && v.Click(x, y)
}

// Wheel implements page.Mouser.
func (p *Page) Wheel(x, y, by int) bool {
	v, mouses := p.view().(page.Mouser)
	return mouses && v.Wheel(x, y, by)
}

// Numbers implements page.Page.
func (p *Page) Numbers() string {
	if p.mixes.shows() {
		return mixNumbers
	}
	return cloudNumbers
}

// cloudNumbers explains the cloud and the study, for the help.
const cloudNumbers = "V draws the cloud, a map, curves, and what the newest energy study of the workload found " +
	"(jtune lab experiment energy): its map, ◆ the least measured, ● measured, the others predicted, and " +
	"latency and " +
	"energy over a clock (K the other one). O draws the fronts of other models of the workload over the cloud, " +
	"what was measured of their modes, and what each chooses for the limit; / keeps modes that pass a " +
	"filter. Map: a quantity over two clocks, the others as at the cursor; ◆ its least value. Curves: time, " +
	"power and energy over one clock, in their 95 % bands. X takes another quantity, K other clocks, the " +
	"arrows walk along them. Each dot of the cloud is a power mode: time of one step to the right, " +
	"watts upward (X takes other axes); left and low is good. The Pareto front, the cloud's lower left edge: " +
	"modes that no other beats in both. In brackets, and as bars at the cursor: where the true value lies 95 " +
	"times in 100. A measurement replaces its prediction and has no band, except for ?: a " +
	"reading that disagrees with all others counts for nothing until a second agrees. predicted: before the " +
	"mode was measured. off: measured against that. ms/step, J/step: " +
	"time and energy per step; W: the power of the module; min/epoch: all of the training " +
	"data once. from 12 modes: how many were measured; Models has the errors. beside it: other modes in " +
	"their own numbers, ● measured, ○ predicted, ✓ within the limit, " +
	"✗ over it. today: the mode that the board is in, its clocks locked. limit: the answer is the " +
	"best mode within it: the fastest within watts, the one of least power within a time. measured: the " +
	"mean of its readings keeps the limit; surely within: the upper end of the 95 % band does; likely, 91 % sure: " +
	"it keeps the limit 91 times in 100, and 84 at least; doubtful: 50 at least; over: less, or measured over."

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
		p.cloud.filter.Paste(m)
	case page.ModelsListed:
		p.empty.kept, p.cloud.rivals.models = len(m.List), m.List
		return p.cloud.rivals.find()
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

// Acts implements page.Page.
func (p *Page) Acts() page.Acts {
	v := p.view()
	if v != p.cloud {
		p.cloud.filter.Close()
	}
	return v.Acts()
}

// Typing reports whether a filter or limits are typed.
func (p *Page) Typing() bool { return p.view() == p.cloud && p.cloud.filter.Typing() }

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

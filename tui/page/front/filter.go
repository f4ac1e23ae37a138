package front

import (
	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
)

// filter keeps some of the modes: the front and the answer are those of the modes that pass.
type filter struct {
	text    string
	input   *widget.Input // while it is typed; nil: it is not
	problem string        // of what is typed

	of    filterKey
	pass  []int // by index; nil: all
	front []int // of the plane
}

// filterKey is what the modes that pass depend on.
type filterKey struct {
	view   *session.Outlook
	served *session.Served
	text   string
	plane  int
}

// Typing reports whether a filter or limits are typed.
func (p *Page) Typing() bool {
	return (p.filter.input != nil || p.load.line.Typing()) && p.mixed() == nil
}

// typingHints are the keys that do not write meanwhile.
func (p *Page) typingHints() []widget.Action {
	if p.filter.input == nil {
		return p.load.line.Hints(p.read)
	}
	return page.FilterHints(p.read)
}

// filtered lists the modes that pass; nil: all. What cannot be read, or keeps no mode, changes nothing.
func (p *Page) filtered() []int {
	f := &p.filter
	text := f.text
	if f.input != nil {
		text = f.input.Value()
	}
	v := p.read.Outlook()
	of := filterKey{v, p.read.Served(), text, p.plane}
	if f.of == of || v == nil {
		return f.pass
	}
	f.of, f.problem = of, ""
	listing := v.Listing(p.job(), p.read.Limit(), p.read.Served())
	parsed, err := p.read.Space().ParseFilter(text, listing.FilterKeys()...)
	pass := []int(nil)
	if err == nil && text != "" {
		pass = v.Pass(parsed, listing)
	}
	switch {
	case err != nil:
		f.problem = err.Error()
	case pass != nil && len(pass) == 0:
		f.problem = "no mode passes it"
	default:
		f.pass, f.front = pass, nil
		if pass != nil {
			f.front = p.trade().Front(pass)
		}
	}
	return f.pass
}

// typeFilter edits the filter's text; the page follows what is typed.
func (p *Page) typeFilter(k tea.KeyPressMsg) {
	keys, f := p.read.Keys(), &p.filter
	switch {
	case keys.Enter.Matches(k):
		if p.filtered(); f.problem == "" { // else what was typed stays to be mended
			f.text, f.input = f.input.Value(), nil
			p.goTo(p.answer())
		}
	case keys.Back.Matches(k):
		f.input = nil
	default:
		f.input.Update(k)
	}
}

// filterLine is the filter below the page; "" without one.
func (p *Page) filterLine(w int) string {
	p.filtered()
	switch f := p.filter; {
	case f.input != nil && f.problem != "":
		return widget.Cut(widget.StyleAsk.Render(" filter: ")+f.input.Render("█")+
			widget.StyleWarn.Render("  not yet: "+f.problem), w)
	case f.input != nil:
		return widget.Cut(widget.StyleAsk.Render(" filter: ")+f.input.Render("█")+
			widget.StyleDim.Render("   such as "+page.FilterForm(p.job())), w)
	case f.text != "":
		return widget.Cut(" filter "+widget.StyleBold.Render(f.text)+
			widget.StyleDim.Render("   "+p.read.Keys().Back.Label()+" shows all modes again"), w)
	}
	return ""
}

package front

import (
	tea "charm.land/bubbletea/v2"

	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/tui/page"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// filter selects modes: the front and the answer count only the modes that pass.
type filter struct {
	axes    *axes
	text    string
	input   *widget.Input // open while typing; nil: closed
	problem string        // what is wrong with the text
	of      filterKey
	pass    []int // by index; nil: all
	front   []int // of the plane
}

// filterKey identifies the inputs of the selection.
type filterKey struct {
	view   *outlook.Outlook
	served *serving.LoadView
	text   string
	plane  int
}

// open opens the input with the text.
func (f *filter) open() { f.input = widget.NewInput(f.text, "", widget.MostFilter) }

// typing reports whether the text is being edited.
func (f *filter) typing() bool { return f.input != nil }

// passing lists the modes that pass; nil: all. A text that is not valid or matches no mode changes nothing.
func (f *filter) passing() []int {
	text := f.text
	if f.input != nil {
		text = f.input.Value()
	}
	read := f.axes.read
	v := read.Outlook()
	of := filterKey{v, read.Served(), text, f.axes.plane}
	if f.of == of || v == nil {
		return f.pass
	}
	f.of, f.problem = of, ""
	listing := serving.ListingOf(v, workloads.UnitOf(f.axes.job(), v.Batch), read.Limit(), read.Served())
	parsed, err := read.Space().ParseFilter(text, listing.FilterKeys()...)
	pass := []int(nil)
	if err == nil && text != "" {
		pass = serving.Pass(v, parsed, listing)
	}
	switch {
	case err != nil:
		f.problem = err.Error()
	case pass != nil && len(pass) == 0:
		f.problem = "no mode passes it"
	default:
		f.pass, f.front = pass, nil
		if pass != nil {
			f.front = f.axes.trade().Front(pass)
		}
	}
	return f.pass
}

// key edits the text and updates the page. It reports whether a new filter was accepted.
func (f *filter) key(k tea.KeyPressMsg) (taken bool) {
	keys := f.axes.read.Keys()
	switch {
	case keys.Enter.Matches(k):
		if f.passing(); f.problem != "" { // the text stays for correction
			return false
		}
		f.text, f.input = f.input.Value(), nil
		return true
	case keys.Back.Matches(k):
		f.input = nil
	default:
		f.input.Update(k)
	}
	return false
}

// line renders the filter below the page; "" if there is none.
func (f *filter) line(w int) string {
	f.passing()
	switch {
	case f.typing() && f.problem != "":
		return widget.Cut(widget.StyleAsk.Render(" filter: ")+f.input.Render("█")+
			widget.StyleWarn.Render("  not yet: "+f.problem), w)
	case f.typing():
		return widget.Cut(widget.StyleAsk.Render(" filter: ")+f.input.Render("█")+
			widget.StyleDim.Render("   such as "+page.FilterForm(f.axes.job())), w)
	case f.text != "":
		return widget.Cut(" filter "+widget.StyleBold.Render(f.text)+
			widget.StyleDim.Render("   "+f.axes.read.Keys().Back.Label()+" shows all modes again"), w)
	}
	return ""
}

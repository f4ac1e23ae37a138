package front

import (
	"jtune/optimize/serving"
	"jtune/tui/page"
	"jtune/tui/session/workloads"
)

// filter selects modes: the front and the answer count only the modes that pass.
type filter struct {
	page.Line
	axes  *axes
	text  string // read last
	of    any    // what that was read with
	pass  []int  // by index; nil: all
	front []int  // of the plane
}

// passing lists the modes that pass; nil: all. A text that is not valid or matches no mode changes nothing.
func (f *filter) passing() []int {
	text, read := f.Value(), f.axes.read
	v := read.Outlook()
	of := [...]any{v, read.Served(), text, f.axes.plane}
	if f.of == any(of) || v == nil {
		return f.pass
	}
	f.text, f.of, f.Wrong = text, of, ""
	listing := serving.ListingOf(v, workloads.UnitOf(f.axes.job(), v.Batch), read.Limit(), read.Served())
	parsed, err := read.Space().ParseFilter(text, listing.FilterKeys()...)
	pass := []int(nil)
	if err == nil && text != "" {
		pass = serving.Pass(v, parsed, listing)
	}
	switch {
	case err != nil:
		f.Wrong = err.Error()
	case pass != nil && len(pass) == 0:
		f.Wrong = "no mode passes it"
	default:
		f.pass, f.front = pass, nil
		if pass != nil {
			f.front = f.axes.trade().Front(pass)
		}
	}
	return f.pass
}

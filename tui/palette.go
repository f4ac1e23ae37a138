package tui

import (
	"slices"
	"strings"

	"jtune/internal/sorted"
	"jtune/tui/page"
	"jtune/tui/page/dialog"
)

// newPalette lists every action: apply and quit, then the shown page's, the global ones, and the other pages'. The
// reason why an action is not available is the one in its page's last line.
func (r *root) newPalette() *dialog.Palette {
	keys := r.sh.Keys
	why := map[string]string{keys.AtOnce.ID: "only by its key"}
	everywhere := r.acts()
	for _, a := range everywhere { // what works on every page needs no row of one
		why[a.ID] = a.Why
	}
	rank := func(o dialog.Offer) int {
		switch {
		case o.ID == keys.Apply.ID, o.ID == keys.AtOnce.ID:
			return 0
		case o.ID == keys.Quit.ID:
			return 1
		case o.On == r.shown().Name():
			return 2
		case o.On == "":
			return 3
		}
		return 4
	}
	var out []dialog.Offer
	for _, p := range append([]page.Page{r.shown()}, r.pages...) {
		for _, h := range p.Acts().Hints() {
			if _, known := why[h.ID]; !known {
				why[h.ID] = h.Why
			}
		}
		for _, a := range keys.On(p.Name()) {
			o := dialog.Offer{Action: a.Unless(why[a.ID]), On: p.Name()}
			if !slices.ContainsFunc(out, func(before dialog.Offer) bool { return before.ID == o.ID }) {
				out = append(out, o)
			}
		}
	}
	for _, a := range everywhere {
		if !strings.HasPrefix(a.ID, keys.Page.ID) {
			out = append(out, dialog.Offer{Action: a.Unless(why[a.ID])})
		}
	}
	for i, p := range r.pages {
		out = append(out, dialog.Offer{Action: keys.PageKey(i + 1).As("open " + p.Name().Title())})
	}
	sorted.Stable(out, func(a, b dialog.Offer) int { return rank(a) - rank(b) })
	return dialog.NewPalette(keys, out, r.wordsOf, r.perform)
}

package tui

import (
	"strings"

	"jtune/tui/page"
	"jtune/tui/page/dialog"
)

// openHelp shows the keys of the open dialog or the shown page.
func (r *root) openHelp() {
	r.text = dialog.NewHelp(r.sh.Keys, strings.TrimSpace("Help, jtune "+r.sh.version), func() dialog.Help {
		if r.form != nil {
			return dialog.Help{Name: "in this dialog", Own: r.form.Hints(), Numbers: r.form.Numbers()}
		}
		p := r.shown()
		return dialog.Help{Name: "on " + p.Name().Title(), Own: p.Hints(), Numbers: page.Numbers(string(p.Name())),
			Everywhere: r.acts().Hints()}
	}, r.w)
}

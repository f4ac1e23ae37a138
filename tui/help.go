package tui

import (
	"strings"

	"jtune/tui/page"
	"jtune/tui/page/dialog"
)

// openHelp shows the keys of the open dialog or the shown page, over it.
func (r *root) openHelp() {
	open := r.top()
	title := strings.TrimSpace("Help, jtune " + r.sh.version)
	r.forms = append(r.forms, dialog.NewHelp(r.sh.Keys, title, func() dialog.Help {
		if open != nil {
			return dialog.Help{Name: "in this dialog", Own: open.Acts().Hints(), Numbers: open.Numbers()}
		}
		p := r.shown()
		return dialog.Help{Name: "on " + p.Name().Title(),
			Own: p.Acts().Hints(), Numbers: page.Numbers(string(p.Name())),
			Everywhere: r.acts().Hints()}
	}, r.w))
}

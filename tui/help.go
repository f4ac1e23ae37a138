package tui

import (
	"strings"

	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/widget"
)

// openHelp shows the keys of the open dialog or the shown page.
func (r *root) openHelp() {
	r.text = dialog.NewHelp(r.sh.Keys, strings.TrimSpace("Help, jtune "+r.sh.version), func() dialog.Help {
		if r.form != nil {
			return dialog.Help{Name: "in this dialog", Own: r.form.Hints(), Numbers: r.form.Numbers()}
		}
		p := r.shown()
		return dialog.Help{Name: "on " + p.Name().Title(), Own: p.Hints(), Numbers: page.Numbers(string(p.Name())),
			Everywhere: globalHints(r.sh.Keys)}
	}, r.w)
}

// globalHints returns the keys that work on every page.
func globalHints(keys *page.Keys) []widget.Action {
	return []widget.Action{
		keys.Page, keys.NextPage, keys.PrevPage,
		keys.Tune, keys.Verify, keys.Undo, keys.Freeze, keys.Enlarge,
		keys.Slower, keys.Faster,
		keys.Copy, keys.Export, keys.Messages, keys.Boards, keys.Mouse,
		keys.Back, keys.Suspend, keys.Quit,
	}
}

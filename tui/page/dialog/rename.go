package dialog

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/widget"
)

// Rename asks for a new name of a campaign or model.
type Rename struct {
	widget.Form
	read page.Reader
	of   page.Rename
	to   *widget.Input
}

// mostName is the maximum length of a name.
const mostName = 60

// NewRename starts with the present name.
func NewRename(read page.Reader, of page.Rename) *Rename {
	d := &Rename{read: read, of: of, to: widget.NewInput(of.Name, "", mostName)}
	d.Form = widget.Form{Keys: read.Keys().FormKeys(), Title: "Rename a " + of.What, Verb: "rename", Width: 72,
		Note:   func(int) []string { return []string{of.Note} },
		Fields: []widget.Field{{Name: "name", Text: func() string { return d.to.Render("_") }, Input: d.to}}}
	return d
}

// Key handles a key; closed reports whether the dialog closes.
func (d *Rename) Key(k tea.KeyPressMsg) (does page.Intent, closed bool) {
	closed, taken := d.Form.Key(k)
	from, to := d.of.Name, strings.TrimSpace(d.to.Value())
	if taken && to != from {
		does = page.Manage(d.of.What, func() (string, error) {
			return fmt.Sprintf("%s is %s now", from, to), d.of.To(to)
		})
	}
	return does, closed
}

// Hints lists the keys that work now, with help before the back key.
func (d *Rename) Hints() []widget.Action { return withHelp(d.Form.Hints(), d.read.Keys().Help) }

// Numbers explains the question, for the help.
func (d *Rename) Numbers() string {
	return "name: without slashes, and not one that another " + d.of.What + " has."
}

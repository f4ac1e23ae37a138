package tui

import (
	"strings"

	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/widget"
)

func (r *root) openText(title string, lines func(w int) []string) {
	r.text = dialog.NewText(r.sh.Keys, title, lines, r.w)
}

func (r *root) openHelp() {
	r.openText(strings.TrimSpace("Help, jtune "+r.sh.version), r.helpLines)
}

// helpLines lists the keys of the shown page, its numbers, the global keys, and the meaning of each letter.
func (r *root) helpLines(w int) []string {
	var shown explained = r.shown()
	name := "on " + r.shown().Name().Title()
	if r.form != nil {
		shown, name = r.form, "in this dialog"
	}
	lines := []string{widget.StyleBold.Render(name)}
	for _, k := range shown.Hints() {
		lines = append(lines, helpLine(k, w))
	}
	lines = append(lines, "", widget.StyleBold.Render("the numbers"))
	lines = append(lines, widget.Entries(shown.Numbers(), w)...)
	if r.form != nil {
		return lines
	}
	lines = append(lines, "", widget.StyleBold.Render("everywhere"))
	for _, k := range globalHints(r.sh.Keys) {
		lines = append(lines, helpLine(k, w))
	}
	lines = append(lines, "", widget.StyleBold.Render("one letter, one meaning"))
	for _, l := range r.sh.Keys.Letters() {
		lines = append(lines, "  "+widget.StyleKey.Render(widget.Cut(l.Letter, 3))+
			widget.Row(strings.Join(l.Words, ", "), strings.Join(l.Where, " "), w-5))
	}
	return append(lines, "", widget.StyleDim.Render(widget.Wrap("VIRTUAL is a simulation, not a measurement; "+
		"REPLAY answers from a file. A dash means not available. W: what the module draws.", w)))
}

// helpKeys is the width of the key column in the help.
const helpKeys = 13

func helpLine(k widget.Action, w int) string {
	desc := k.Explained()
	if k.Why != "" {
		desc += " (not now: " + k.Why + ")"
	}
	lines := strings.Split(widget.Wrap(desc, w-helpKeys), "\n")
	for i, line := range lines {
		name := ""
		if i == 0 {
			name = k.Label()
		}
		lines[i] = "  " + widget.StyleKey.Render(widget.Cut(name, helpKeys-3)) + " " + line
	}
	return strings.Join(lines, "\n")
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

package tui

import (
	"strings"

	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/widget"
)

func (r *root) openText(title string, lines, more func(w int) []string) {
	r.text = dialog.NewText(r.sh.Keys, title, lines, more, r.w)
}

func (r *root) openHelp() {
	r.openText(strings.TrimSpace("Help, jtune "+r.sh.version), r.keyLines, r.helpLines)
}

// helpRows is how many lines of a text an 80x24 terminal shows.
const helpRows = 19

// explains returns what the help is about, and its heading.
func (r *root) explains() (shown explained, name string) {
	if r.form != nil {
		return r.form, "in this dialog"
	}
	return r.shown(), "on " + r.shown().Name().Title()
}

// keyLines lists the keys of the shown page in columns, so that they fit one screen, and the global keys if these fit
// it too.
func (r *root) keyLines(w int) []string {
	shown, name := r.explains()
	lines := append([]string{widget.StyleBold.Render(name)}, keyColumns(shown.Hints(), w)...)
	last := widget.StyleDim.Render(widget.Cut(r.sh.Keys.Help.Label()+" says more: numbers, letters, all keys", w))
	if everywhere := keyColumns(globalHints(r.sh.Keys), w); r.form == nil && len(lines)+len(everywhere)+3 <= helpRows {
		lines = append(append(lines, "", widget.StyleBold.Render("everywhere")), everywhere...)
	}
	return append(lines, last)
}

// keyColumns lists keys in two columns, in one where w is too small, and dims those that do not work now.
func keyColumns(keys []widget.Action, w int) []string {
	n := max(1, w/twoColumns)
	rows, width := (len(keys)+n-1)/n, w/n
	lines := make([]string, rows)
	for i, k := range keys {
		says := widget.Cut(k.Help().Desc, width-helpKeys)
		if k.Why != "" {
			says = widget.StyleDim.Render(says)
		}
		lines[i%rows] += " " + widget.StyleKey.Render(widget.Cut(k.Label(), helpKeys-3)) + "  " + says
	}
	return lines
}

// twoColumns is the minimum width of a column of keys.
const twoColumns = 34

// helpLines lists the keys of the shown page, its numbers, the global keys, and the meaning of each letter.
func (r *root) helpLines(w int) []string {
	shown, name := r.explains()
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

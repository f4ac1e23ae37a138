package dialog

import (
	"strings"

	"jtune/tui/page"
	"jtune/tui/widget"
)

// Help is what the help says of a page or a dialog.
type Help struct {
	Name       string          // its heading
	Own        []widget.Action // keys of the page or dialog
	Numbers    []string        // explain what it shows
	Everywhere []widget.Action // keys of all pages; nil in a dialog
}

// NewHelp returns a help whose first form is one screen of keys.
func NewHelp(keys *page.Keys, title string, of func() Help, w int) *Text {
	return NewText(keys, title, func(w int) []string { return of().short(keys, w) },
		func(w int) []string { return of().long(keys, w) }, w)
}

// helpRows is how many lines of a text an 80x24 terminal shows.
const helpRows = 19

// short lists the keys in columns, so that they fit one screen, and those of all pages if these fit it too.
func (h Help) short(keys *page.Keys, w int) []string {
	lines := append([]string{widget.StyleBold.Render(h.Name)}, keyColumns(h.Own, w)...)
	everywhere := keyColumns(h.Everywhere, w)
	if h.Everywhere != nil && len(lines)+len(everywhere)+3 <= helpRows {
		lines = append(append(lines, "", widget.StyleBold.Render("everywhere")), everywhere...)
	}
	more := keys.Help.Label() + " says more: numbers, letters, all keys"
	return append(lines, widget.StyleDim.Render(widget.Cut(more, w)))
}

// leastColumn is the minimum width of a column of keys, helpKeys that of its keys.
const (
	leastColumn = 34
	helpKeys    = 13
)

// keyColumns lists keys in as many columns as fit, and dims those that do not work now.
func keyColumns(list []widget.Action, w int) []string {
	n := max(1, w/leastColumn)
	rows, width := (len(list)+n-1)/n, w/n
	lines := make([]string, rows)
	for i, k := range list {
		says := widget.Cut(k.Help().Desc, width-helpKeys)
		if k.Why != "" {
			says = widget.StyleDim.Render(says)
		}
		lines[i%rows] += " " + widget.StyleKey.Render(widget.Cut(k.Label(), helpKeys-3)) + "  " + says
	}
	return lines
}

// long explains the keys and the numbers, then the keys of all pages and the meaning of each letter.
func (h Help) long(keys *page.Keys, w int) []string {
	lines := []string{widget.StyleBold.Render(h.Name)}
	for _, k := range h.Own {
		lines = append(lines, helpLine(k, w))
	}
	lines = append(lines, "", widget.StyleBold.Render("the numbers"))
	lines = append(lines, entries(h.Numbers, w)...)
	if h.Everywhere == nil {
		return lines
	}
	lines = append(lines, "", widget.StyleBold.Render("everywhere"))
	for _, k := range h.Everywhere {
		lines = append(lines, helpLine(k, w))
	}
	lines = append(lines, "", widget.StyleBold.Render("one letter, one meaning"))
	for _, l := range keys.Letters() {
		lines = append(lines, "  "+widget.StyleKey.Render(widget.Cut(l.Letter, 3))+
			widget.Row(strings.Join(l.Words, ", "), strings.Join(l.Where, " "), w-5))
	}
	return append(lines, "", widget.StyleDim.Render(widget.Wrap("VIRTUAL is a simulation, not a measurement; "+
		"REPLAY answers from a file. A dash means not available. W: what the module draws.", w)))
}

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

// longestTerm is the maximum width of a term.
const longestTerm = 32

// entries formats texts such as "limit: the best mode within it." as a list in w columns: terms stand out, and wrapped
// lines are indented.
func entries(list []string, w int) (lines []string) {
	const in = "  "
	for _, entry := range list {
		term, _, _ := strings.Cut(entry, ": ")
		for i, line := range strings.Split(widget.Wrap(entry, max(1, w-len(in))), "\n") {
			switch rest, begins := strings.CutPrefix(line, term+": "); {
			case i > 0:
				line = in + line
			case begins && widget.Width(term) <= longestTerm:
				line = widget.StyleKey.Render(term+":") + " " + rest
			}
			lines = append(lines, line)
		}
	}
	return lines
}

package tui

import (
	"strings"

	"jtune/tui/page"
	"jtune/tui/widget"
)

// helpText draws the keys of the page that shows and those that work everywhere.
func (r *root) helpText(w, h int) string {
	shown := r.pages[r.active]
	inner := min(w, pagerW) - 4
	lines := []string{widget.StyleBold.Render("on " + shown.Name().Title())}
	for _, k := range shown.Hints() {
		lines = append(lines, helpLine(k, inner))
	}
	lines = append(lines, "", widget.StyleBold.Render("the numbers"), widget.Wrap(shown.Numbers(), inner))
	lines = append(lines, "", widget.StyleBold.Render("everywhere"))
	for _, k := range globalHints(r.sh.Keys) {
		lines = append(lines, helpLine(k, inner))
	}
	lines = append(lines, "", widget.StyleDim.Render(widget.Wrap("VIRTUAL is a simulation, not a measurement; "+
		"REPLAY answers from a file. A dash means not available. W: what the module draws.", inner)))
	return r.pager(strings.TrimSpace("Help, jtune "+r.sh.version), lines, w, h)
}

// pagerW is the widest that a text over the page gets.
const pagerW = 76

// pager draws a text over the page, from the line that the user has scrolled to.
func (r *root) pager(title string, lines []string, w, h int) string {
	lines = strings.Split(strings.Join(lines, "\n"), "\n")
	room := max(1, h-2)
	r.rows, r.room = len(lines), room
	r.scroll = max(0, min(r.scroll, len(lines)-room))
	lines = lines[r.scroll:]
	note := ""
	if len(lines) > room {
		note = "↓ more"
	}
	text := strings.Join(lines[:min(len(lines), room)], "\n")
	return widget.Box(title, note, text, min(w, pagerW), min(h, strings.Count(text, "\n")+3))
}

// helpKeys is how many columns the names of keys take in the help.
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

// globalHints are the keys that work on every page.
func globalHints(keys *page.Keys) []widget.Action {
	return []widget.Action{
		keys.Page, keys.NextPage, keys.PrevPage,
		keys.Tune, keys.Undo, keys.Freeze, keys.Enlarge,
		keys.Slower, keys.Faster,
		keys.Copy, keys.Export, keys.Messages, keys.Mouse,
		keys.Back, keys.Quit,
	}
}

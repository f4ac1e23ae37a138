package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// helpText draws the keys of a page and those that work everywhere, from the
// key table.
func helpText(title string, page []hint, w, h, scroll int) string {
	inner := min(w, 76) - 4
	lines := []string{styleBold.Render("on " + title)}
	for _, k := range page {
		lines = append(lines, helpLine(k, inner))
	}
	lines = append(lines, "", styleBold.Render("everywhere"))
	for _, k := range globalHints() {
		lines = append(lines, helpLine(k, inner))
	}
	lines = append(lines, "", styleDim.Render(wrap("VIRTUAL and REPLAY mean a simulated board: nothing on it is a measurement. A dash is a value nobody gave. W: what the module draws.", inner)))
	lines = strings.Split(strings.Join(lines, "\n"), "\n")
	room := h - 2
	scroll = max(0, min(scroll, len(lines)-room))
	lines = lines[scroll:]
	note := ""
	if len(lines) > room {
		note = "↓ more"
	}
	text := strings.Join(lines[:min(len(lines), room)], "\n")
	return box("Help", note, text, min(w, 76), min(h, strings.Count(text, "\n")+3))
}

func helpLine(k hint, w int) string {
	text := fmt.Sprintf("  %s %s", styleKey.Render(cut(k.Help().Key, 10)), k.Help().Desc)
	if k.why != "" {
		text += styleDim.Render(" (not now: " + k.why + ")")
	}
	return ansi.Truncate(text, w, "…")
}

// globalHints are the keys that work on every page.
func globalHints() []hint {
	return valid(keys.Page, keys.NextPage, keys.PrevPage, named(keys.Tune, "tune: find the best power mode for a workload"),
		named(keys.Undo, "undo the last change to the device"), named(keys.Freeze, "freeze the view; reading goes on"),
		named(keys.Enlarge, "enlarge a panel, one after another"), named(keys.Slower, "virtual clock slower"), named(keys.Faster, "virtual clock faster"),
		named(keys.Copy, "copy what the cursor is on (OSC 52)"), named(keys.Export, "export this view as a text file"),
		named(keys.Mouse, "mouse wheel on or off"), keys.Back, named(keys.Quit, "quit; what was not kept is put back"))
}

// footer fits the hints into the last line, the first ones first.
func footer(hints []hint, w int) string {
	var parts []string
	room := w
	for _, k := range hints {
		text := styleKey.Render(k.Help().Key) + " " + k.Help().Desc
		if k.why != "" {
			text = styleDim.Render(k.Help().Key + " " + k.Help().Desc + " (" + k.why + ")")
		}
		n := ansi.StringWidth(text)
		if n > room {
			continue
		}
		parts = append(parts, text)
		room -= n + 2
	}
	return cut(strings.Join(parts, "  "), w)
}

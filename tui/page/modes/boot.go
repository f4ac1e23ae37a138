package modes

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
)

// bootDialog shows the unit that applies a mode at every boot, and writes it on request: the user agrees to the text of
// the file.
type bootDialog struct {
	read   page.Reader
	mode   tegra.Mode
	unit   *session.BootUnit
	cannot string // why it cannot be written, or ""
}

// key handles a key; closed reports whether the dialog closes.
func (d *bootDialog) key(k tea.KeyPressMsg) (does page.Intent, closed, taken bool) {
	keys := d.read.Keys()
	unit := d.unit
	change := func(done string, do func() error) page.Intent {
		return page.ChangeBoot{Unit: unit, Do: do, Done: done}
	}
	switch {
	case keys.Back.Matches(k), keys.Quit.Matches(k):
		return nil, true, true
	case (keys.AtBoot.Matches(k) || keys.Stop.Matches(k)) && d.read.Rushed(): // pasted
		return nil, false, true
	case keys.AtBoot.Matches(k) && d.cannot != "":
		return page.Say("at boot: " + d.cannot), false, true
	case keys.AtBoot.Matches(k):
		return change("written: every boot sets "+d.read.ModeText(d.mode), unit.Install), true, true
	case keys.Stop.Matches(k) && d.noRemove() != "":
		return page.Say("remove: " + d.noRemove()), false, true
	case keys.Stop.Matches(k):
		return change("removed: no mode is applied at boot", unit.Remove), true, true
	}
	return nil, false, false
}

// noRemove returns why there is nothing to remove, or "".
func (d *bootDialog) noRemove() string {
	switch {
	case d.cannot != "":
		return "not here"
	case d.unit.Before == "":
		return "none is there"
	}
	return ""
}

func (d *bootDialog) hints() []widget.Action {
	keys := d.read.Keys()
	why := ""
	if d.cannot != "" {
		why = "see above"
	}
	return []widget.Action{
		keys.AtBoot.As("write it").Unless(why),
		keys.Stop.As("remove").Unless(d.noRemove()),
		keys.Back.As("leave"),
	}
}

// Render draws the dialog in at most w×h cells.
func (d *bootDialog) Render(w, h int) string {
	width := min(w, 76)
	inner := width - 4
	now := "now at boot: nothing of jtune's"
	if d.unit.Before != "" {
		now = "now at boot: " + d.unit.ModeBefore()
	}
	mode := widget.StyleBold.Render(d.read.ModeText(d.mode))
	lines := []string{now, widget.Wrap("from then on: "+mode+", the mode the board is in", inner)}
	if d.cannot != "" {
		lines = append(lines, widget.StyleWarn.Render(widget.Wrap(d.cannot, inner)))
	}
	for _, n := range d.unit.Notes {
		lines = append(lines, widget.StyleWarn.Render(widget.Wrap(n, inner)))
	}
	writes := d.read.Keys().AtBoot.Label() + " writes " + d.unit.Path()
	lines = append(lines, widget.Wrap(writes+", which root runs once at each boot:", inner))
	head := strings.Join(lines, "\n") + "\n"
	text := head + d.unitText(inner, "")
	if strings.Count(text, "\n")+3 > h { // only the command
		text = head + d.unitText(inner, "ExecStart=")
	}
	high := min(h, strings.Count(text, "\n")+3)
	text = widget.FitMore(text, "… a larger window shows the rest", inner, high-2)
	return widget.Box("The mode at every boot", "", text, width, high)
}

// unitText returns the unit's lines that begin with a prefix.
func (d *bootDialog) unitText(w int, with string) string {
	var lines []string
	for line := range strings.Lines(d.unit.Text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && strings.HasPrefix(line, with) {
			line = strings.ReplaceAll(ansi.Hardwrap(line, w-2, true), "\n", "\n  ")
			lines = append(lines, "  "+widget.StyleDim.Render(line))
		}
	}
	return strings.Join(lines, "\n")
}

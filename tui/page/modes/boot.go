package modes

import (
	"strings"

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

// bootActs returns what the keys of the dialog do.
func (p *Page) bootActs() page.Acts {
	d, keys, why, leave := p.boot, p.read.Keys(), "", func() { p.boot = nil }
	change := func(done string, do func() error) func() page.Intent {
		return func() page.Intent {
			p.boot = nil
			return page.ChangeBoot{Unit: d.unit, Do: do, Done: done}
		}
	}
	remove := ""
	switch {
	case d.cannot != "":
		why, remove = "see above", "not here"
	case d.unit.Before == "":
		remove = "none is there"
	}
	return page.Acts{
		page.On(keys.AtBoot.As("write it").Unless(why),
			change("written: every boot sets "+p.read.ModeText(d.mode), d.unit.Install)).Pressed(p.read),
		page.On(keys.Stop.As("remove").Unless(remove), change("removed: no mode is applied at boot", d.unit.Remove)).
			Pressed(p.read),
		page.On(keys.Back.As("leave"), leave),
		page.Quiet(keys.Quit, true, leave),
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

package tui

import (
	"errors"
	"path/filepath"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/tegra"
	"jtune/tui/session"
)

// bootDialog shows the unit that would apply the present mode at every boot,
// and writes it when asked: the file's text is what the user says yes to.
type bootDialog struct {
	sh     *shared
	mode   tegra.Mode
	unit   *session.BootUnit
	cannot string // why it cannot be written; ""
}

// bootPlannedMsg brings the unit, or why there is none.
type bootPlannedMsg struct {
	mode tegra.Mode
	unit *session.BootUnit
	err  error
}

// bootChangedMsg says that what happens at boot was changed.
type bootChangedMsg struct {
	unit *session.BootUnit
	done string
	undo bool // back to what was there
	err  error
}

// noBoot gives the reason why the present mode cannot become that at boot, or
// "". A virtual board shows what a real one would do.
func (sh *shared) noBoot() string {
	switch {
	case sh.readOnly:
		return "read-only"
	case sh.busy():
		return "busy " + sh.job.kind.String()
	case sh.dev.unkept():
		return "keep the mode first"
	case !sh.bootMode().OK:
		return "the board is in no mode; apply one"
	}
	return ""
}

// bootMode is the mode that was kept, else the one the board is in.
func (sh *shared) bootMode() tegra.Val[tegra.Mode] {
	if sh.dev.kept {
		return sh.dev.mode
	}
	return sh.present()
}

// planBoot prepares the unit of the mode that the board is in.
func (p *modesPage) planBoot() tea.Cmd {
	if why := p.sh.noBoot(); why != "" {
		p.sh.say("at boot: not now, %s", why)
		return nil
	}
	h, m := p.sh.host, p.sh.bootMode().V
	return func() tea.Msg {
		unit, err := h.PlanBoot(m, "--dvfs=off")
		return bootPlannedMsg{m, unit, err}
	}
}

// open shows what was planned.
func (p *modesPage) openBoot(msg bootPlannedMsg) {
	if msg.unit == nil || msg.unit.Text == "" {
		p.sh.fail("at boot", msg.err)
		return
	}
	p.boot = &bootDialog{sh: p.sh, mode: msg.mode, unit: msg.unit}
	switch {
	case errors.Is(msg.err, tegra.ErrUnsupported):
		p.boot.cannot = "a virtual board has no boot: on a Jetson this would be written"
	case msg.err != nil:
		p.boot.cannot = msg.err.Error()
	}
}

// key takes a key; closed says that the dialog goes.
func (d *bootDialog) key(k tea.KeyPressMsg) (cmd tea.Cmd, closed, taken bool) {
	unit := d.unit
	change := func(done string, do func() error) tea.Cmd {
		return func() tea.Msg { return bootChangedMsg{unit: unit, done: done, err: do()} }
	}
	switch {
	case key.Matches(k, keys.Back):
		return nil, true, true
	case key.Matches(k, keys.AtBoot, keys.Stop) && d.sh.rushed: // pasted
		return nil, false, true
	case key.Matches(k, keys.AtBoot) && d.cannot != "":
		d.sh.say("at boot: %s", d.cannot)
		return nil, false, true
	case key.Matches(k, keys.AtBoot):
		return change("written: every boot sets "+d.sh.mode(d.mode), unit.Install), true, true
	case key.Matches(k, keys.Stop) && d.noRemove() != "":
		d.sh.say("remove: %s", d.noRemove())
		return nil, false, true
	case key.Matches(k, keys.Stop):
		return change("removed: no mode is applied at boot", unit.Remove), true, true
	}
	return nil, false, false
}

// noRemove gives the reason why there is nothing to take away, or "".
func (d *bootDialog) noRemove() string {
	switch {
	case d.cannot != "":
		return "not here"
	case d.unit.Before == "":
		return "none is there"
	}
	return ""
}

func (d *bootDialog) hints() []hint {
	why := ""
	if d.cannot != "" {
		why = "see above"
	}
	return []hint{unless(named(keys.AtBoot, "write it"), why), unless(named(keys.Stop, "remove"), d.noRemove()), {Binding: named(keys.Back, "leave")}}
}

// Render draws the dialog in at most w×h cells.
func (d *bootDialog) Render(w, h int) string {
	width := min(w, 76)
	inner := width - 4
	now := "now at boot: nothing of jtune's"
	if d.unit.Before != "" {
		now = "now at boot: " + d.unit.ModeBefore()
	}
	lines := []string{now, "from then on: " + styleBold.Render(d.sh.mode(d.mode)) + ", the mode the board is in", ""}
	if d.cannot != "" {
		lines = append(lines, styleWarn.Render(wrap(d.cannot, inner)))
	}
	for _, n := range d.unit.Notes {
		lines = append(lines, styleWarn.Render(wrap(n, inner)))
	}
	lines = append(lines, wrap(keys.AtBoot.Help().Key+" writes "+d.unit.Path()+", which root runs once at each boot:", inner))
	head := strings.Join(lines, "\n") + "\n"
	text := head + d.unitText(inner, "")
	if strings.Count(text, "\n")+3 > h { // the command alone
		text = head + d.unitText(inner, "ExecStart=")
	}
	return box("The mode at every boot", "", text, width, min(h, strings.Count(text, "\n")+3))
}

// unitText gives the unit's lines that begin with a word.
func (d *bootDialog) unitText(w int, with string) string {
	var lines []string
	for line := range strings.Lines(d.unit.Text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && strings.HasPrefix(line, with) {
			lines = append(lines, "  "+styleDim.Render(strings.ReplaceAll(ansi.Hardwrap(line, w-2, true), "\n", "\n  ")))
		}
	}
	return strings.Join(lines, "\n")
}

// bootChanged says what was done, and remembers how it is undone.
func (sh *shared) bootChanged(msg bootChangedMsg) {
	switch {
	case msg.err != nil:
		sh.fail("at boot", msg.err)
	case msg.undo:
		sh.dev.boot = nil
		sh.say("at boot: as it was before")
	default:
		sh.dev.boot = msg.unit
		sh.say("%s (%s); %s takes that back", msg.done, filepath.Base(msg.unit.Path()), keys.Undo.Help().Key)
	}
}

// undoBoot puts back what was done at boot before.
func (sh *shared) undoBoot() tea.Cmd {
	unit := sh.dev.boot
	return func() tea.Msg { return bootChangedMsg{unit: unit, undo: true, err: unit.Undo()} }
}

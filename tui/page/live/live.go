// Package live is the page of what the board does now: clocks, power, temperatures, memory, and which processes use
// them.
package live

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/profiles"
	"jtune/tui/page"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// Page shows what the board does now.
type Page struct {
	read  page.Reader
	large int  // panel that fills the page; 0: all panels
	brief bool // the main values only: an enlarged panel has the rest
	terse int  // how much the brief page leaves out, as more happens than it can show
}

var _ page.Page = (*Page)(nil)

// New returns the page.
func New(read page.Reader) *Page { return &Page{read: read} }

// Name implements page.Page.
func (p *Page) Name() page.Name { return page.Live }

// Update implements page.Page; the state holds everything.
func (p *Page) Update(tea.Msg) page.Intent { return nil }

// Copied returns the present mode.
func (p *Page) Copied() string {
	if m := p.read.Present(); m.OK {
		return p.read.ModeText(m.V)
	}
	return ""
}

// modeText formats the mode with its name in w columns. If room is short it omits locked clocks, which are shown
// elsewhere, then the common prefix of preset names.
func (p *Page) modeText(w int) string {
	m := p.read.Present()
	if !m.OK {
		return "custom (matches no power mode)"
	}
	text, preset := p.read.ModeText(m.V), p.read.NameOf(m.V)
	if preset != "" && p.brief {
		return preset
	}
	for _, name := range []string{p.read.NameAs(m.V, p.read.Locked()), preset, strings.TrimPrefix(preset, "MODE_")} {
		if name != "" && widget.Width(text+" = "+name) <= w {
			return text + " = " + name
		}
	}
	return text
}

// unnamed reports whether the board is in a mode that no preset names.
func (p *Page) unnamed() bool {
	m := p.read.Present()
	return m.OK && p.read.NameOf(m.V) == ""
}

// workloadLine shows the running job.
func (p *Page) workloadLine() string {
	j := p.read.Task()
	if f := p.read.Followed(); (j == nil || j.Done()) && f != nil && !f.Done() {
		does := "measures " + f.Workload.Name + " here"
		if p.read.Board().Simulated() { // the job runs on its own virtual board
			does = "simulates " + f.Workload.Name
		}
		return fmt.Sprintf(" another jtune (process %d) %s: %s shows it", f.Follows.PID, does,
			widget.StyleKey.Render("3"))
	}
	if j == nil || j.Done() {
		if u := p.read.Interrupted(); u != nil {
			return " cut off (" + widget.StyleKey.Render("3") + "): " + u.String()
		}
		if left := p.read.Readings().Left; left != "" {
			return " " + left
		}
		tune := widget.Press(p.read.Keys().Tune)
		return " no workload is running; " + tune + " tunes one, " + widget.StyleKey.Render("2") + " starts one"
	}
	doing := j.Progress.Phase.String()
	if j.State != task.Running {
		doing = j.State.String()
	} else if j.Progress.Phase == profiles.Finished {
		doing = "between two modes"
	}
	text := fmt.Sprintf(" %s, %s: %s", j.Kind, j.Workload.Name, doing)
	if t := j.Progress.TimeMS; t > 0 {
		text += fmt.Sprintf(", %s ms/step", widget.MS(t))
		if w := p.read.Sample().Reading.TotalW; w.OK && !p.brief {
			text += ", " + widget.Joules(t*w.V/1000)
		}
	}
	if l := j.Last; l != nil && l.TimeMS > 0 && l.StallMS.OK {
		text += fmt.Sprintf(", stall %.0f %%", 100*l.StallMS.V/l.TimeMS)
	}
	return text
}

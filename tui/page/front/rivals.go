package front

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/text"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
)

// rivals are other models of the same workload, drawn over the cloud.
type rivals struct {
	models   []session.ModelInfo // of the data directory
	on       bool
	of       *session.Outlook // that they were worked out beside
	list     []session.Rival
	observed map[tegra.Mode]tegra.Measured
	limit    optimize.Limit // of choices
	choices  []session.Readout
}

// rivalsMsg brings them.
type rivalsMsg struct {
	of   *session.Outlook
	list []session.Rival
}

// turnRivals shows other models, or takes them away.
func (p *Page) turnRivals() page.Intent {
	r := &p.rivals
	if r.on = !r.on; !r.on {
		return nil
	}
	if _, loaded := p.read.Load(); loaded {
		r.on = false
		return page.Say("other models: not under a load; " + p.read.Keys().Limits.Label() + " and limits without one")
	}
	return p.findRivals()
}

// findRivals predicts every mode by the other models, in the background.
func (p *Page) findRivals() page.Intent {
	o, models := p.read.Outlook(), p.rivals.models
	return page.Compute(func(context.Context) tea.Msg { return rivalsMsg{o, o.Rivals(models)} })
}

// take takes what was worked out, if it is of what shows.
func (p *Page) take(m rivalsMsg) page.Intent {
	r := &p.rivals
	if m.of != p.read.Outlook() {
		if r.on {
			return p.findRivals()
		}
		return nil
	}
	r.of, r.list, r.choices = m.of, m.list, nil
	if r.observed = m.of.Observed(m.list, nil); len(m.list) < 2 && r.on {
		return page.Say("no other model of this workload on this board: fit one by another method on the Models page " +
			"(" + p.read.Keys().Refit.Label() + ")")
	}
	return nil
}

// rivalled lists the models that are drawn; nil: none.
func (p *Page) rivalled() []session.Rival {
	_, loaded := p.read.Load()
	if r := p.rivals; r.on && r.of == p.read.Outlook() && !loaded {
		return r.list
	}
	return nil
}

// choices are what the models choose for the limit.
func (p *Page) choices() []session.Readout {
	r := &p.rivals
	if l := p.read.Limit(); r.choices == nil || r.limit != l {
		r.limit, r.choices = l, session.Readouts(r.list, r.observed, l)
	}
	return r.choices
}

// rivalLines are the predicted fronts and, in capitals, what was measured of their modes; a small letter stands at each
// choice.
func (p *Page) rivalLines() (out []widget.CloudLine) {
	t := p.trade()
	for k, r := range p.rivalled() {
		line := widget.CloudLine{Glyph: rivalGlyph(k, 'A')}
		for _, i := range r.Front(t.Plane) {
			m := r.Predicted[i].Measured
			line.Xs, line.Ys = append(line.Xs, t.Across.Of(m)), append(line.Ys, t.Up.Of(m))
			if got, ok := p.rivals.observed[m.Mode]; ok {
				line.AtX, line.AtY = append(line.AtX, t.Across.Of(got)), append(line.AtY, t.Up.Of(got))
			}
		}
		at := p.choices()[k].Predicted.Measured
		line.Choice, line.ChoiceX, line.ChoiceY = rivalGlyph(k, 'a'), t.Across.Of(at), t.Up.Of(at)
		out = append(out, line)
	}
	return out
}

func rivalGlyph(k int, first rune) rune { return first + rune(k%12) } // before M, which is MAXN

// readout is what each model chooses for the limit, predicted and observed.
func (p *Page) readout(w int) string {
	var lines []string
	for k, r := range p.choices() {
		said := fmt.Sprintf("  predicted %s ms %s W", text.Of(r.Predicted.TimeMS), text.Of(r.Predicted.PowerW))
		if !r.Met {
			said += ", over"
		}
		got := "  not measured"
		if r.Observed.OK {
			got = fmt.Sprintf("  observed  %s ms %s W", text.Of(r.Observed.V.TimeMS), text.Of(r.Observed.V.PowerW))
		}
		lines = append(lines, widget.Cut(fmt.Sprintf("%c %s", rivalGlyph(k, 'a'),
			widget.StyleBold.Render(r.Name)), w), "  "+p.read.ModeText(r.Predicted.Mode), said, got)
	}
	return strings.Join(lines, "\n")
}

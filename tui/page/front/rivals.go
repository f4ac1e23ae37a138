package front

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/text"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/models"
	"jtune/tui/session/plots"
	"jtune/tui/widget"
)

// rivals are other models of the same workload, drawn over the cloud.
type rivals struct {
	read     page.Reader
	models   []models.Info // of the data directory
	on       bool
	of       *outlook.Outlook // the outlook that list was computed for
	list     []plots.Rival
	observed map[tegra.Mode]tegra.Measured
	limit    metric.Goal // of chosen
	chosen   []plots.Readout
}

// turn shows or hides other models.
func (r *rivals) turn() page.Intent {
	if r.on = !r.on; !r.on {
		return nil
	}
	if r.read.Goal().Load.Any() {
		r.on = false
		return page.Say("other models: not under a load; " + r.read.Keys().Limits.Label() + " and limits without one")
	}
	return r.find()
}

// find predicts every mode with the other models in a command, while they are shown.
func (r *rivals) find() page.Intent {
	o, models := r.read.Outlook(), r.models
	if !r.on || o == nil {
		return nil
	}
	return page.Compute(func(context.Context) tea.Msg {
		list := plots.Rivals(o, models)
		return page.Then(func() page.Intent { return r.take(o, list) })
	})
}

// take stores the other models' predictions if they belong to the shown outlook.
func (r *rivals) take(of *outlook.Outlook, list []plots.Rival) page.Intent {
	if of != r.read.Outlook() {
		return r.find()
	}
	r.of, r.list, r.chosen = of, list, nil
	if r.observed = plots.Observed(of, list, nil); len(list) < 2 && r.on {
		return page.Say("no other model of this workload on this board: fit one by another method on the Models page " +
			"(" + r.read.Keys().Refit.Label() + ")")
	}
	return nil
}

// drawn lists the models to draw; nil: none, or only the shown one, whose choice is the answer.
func (r *rivals) drawn() []plots.Rival {
	if r.on && len(r.list) > 1 && r.of == r.read.Outlook() && !r.read.Goal().Load.Any() {
		return r.list
	}
	return nil
}

// choices returns what the models choose for the limit.
func (r *rivals) choices() []plots.Readout {
	if l := r.read.Limit(); r.chosen == nil || r.limit != l {
		r.limit, r.chosen = l, plots.Readouts(r.list, r.observed, l)
	}
	return r.chosen
}

// lines returns the predicted fronts, in capitals the measurements of their modes, and in small letters the choices.
func (r *rivals) lines(t serving.Trade) (out []widget.CloudLine) {
	for k, rival := range r.drawn() {
		line := widget.CloudLine{Glyph: rivalGlyph(k, 'A')}
		for _, i := range rival.Front(t.Plane) {
			m := rival.Predicted[i].Measured
			line.Xs, line.Ys = append(line.Xs, t.Across.Of(m)), append(line.Ys, t.Up.Of(m))
			if got, ok := r.observed[m.Mode]; ok {
				line.AtX, line.AtY = append(line.AtX, t.Across.Of(got)), append(line.AtY, t.Up.Of(got))
			}
		}
		at := r.choices()[k].Predicted.Measured
		line.Choice, line.ChoiceX, line.ChoiceY = rivalGlyph(k, 'a'), t.Across.Of(at), t.Up.Of(at)
		out = append(out, line)
	}
	return out
}

func rivalGlyph(k int, first rune) rune { return first + rune(k%12) } // before M, which marks MAXN

// readout lists what each model chooses for the limit, predicted and observed.
func (r *rivals) readout(w int) string {
	var lines []string
	for k, c := range r.choices() {
		said := fmt.Sprintf("  predicted %s ms %s W", text.Of(c.Predicted.TimeMS), text.Of(c.Predicted.PowerW))
		if !c.Met {
			said += ", over"
		}
		got := "  not measured"
		if c.Observed.OK {
			got = fmt.Sprintf("  observed  %s ms %s W", text.Of(c.Observed.V.TimeMS), text.Of(c.Observed.V.PowerW))
		}
		lines = append(lines, widget.Cut(fmt.Sprintf("%c %s", rivalGlyph(k, 'a'),
			widget.StyleBold.Render(c.Name)), w), "  "+r.read.ModeText(c.Predicted.Mode), said, got)
	}
	return strings.Join(lines, "\n")
}

package models

import (
	"cmp"
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tui/page"
	"jtune/tui/session/models"
	"jtune/tui/widget"
)

// comparison is the difference between two models of the list over the whole space.
type comparison struct {
	outlook.ModelComparison
	ids    [2]modelID
	models [2]*learn.Model
}

// compareModels predicts every mode with both models in a command.
func (p *Page) compareModels(a, b models.Info) page.Compute {
	space, limit, both := p.read.Space(), p.read.Limit(), [2]*learn.Model{a.Model, b.Model}
	return func(context.Context) tea.Msg {
		c := &comparison{outlook.CompareModels(both, space, limit), [2]modelID{idOf(a), idOf(b)}, both}
		return page.Then(func() page.Intent { p.versus = c; return nil })
	}
}

// of reports whether c compares these two models.
func (c *comparison) of(a, b models.Info) bool {
	return c != nil && c.ids == [2]modelID{idOf(a), idOf(b)}
}

// text shows the two models side by side.
func (c *comparison) text(read page.Reader, w int) string {
	const names = 10 // width of "reference" and the gap after it
	room := max(8, (w-names-1)/2)
	beside := func(name, a, b string) string {
		return widget.Cut(name, names) + widget.Cut(a, room) + " " + widget.Cut(b, room)
	}
	lines := []string{widget.StyleBold.Render(beside("", widget.CutFront(c.ids[0].name, room),
		widget.CutFront(c.ids[1].name, room)))}
	facts := func(m *learn.Model) []string {
		return []string{string(m.Method), text.Thousands(m.Modes()), models.ErrorText(m.CV.TimeMAPEPct),
			models.ErrorText(m.CV.PowerMAPEPct), m.CV.How, cmp.Or(m.Reference, "none")}
	}
	a, b := facts(c.models[0]), facts(c.models[1])
	for i, name := range []string{"method", "modes", "time", "power", "checked", "reference"} {
		lines = append(lines, beside(name, a[i], b[i]))
	}
	differ := "They predict the same for every mode."
	if c.WorstPct > 0 {
		differ = fmt.Sprintf("They differ by %.1f %% in time and %.1f %% in power (medians over all modes), "+
			"most at %s: %.0f %% in time.",
			c.TimePct, c.PowerPct, read.ModeText(c.Worst), c.WorstPct)
	}
	answer, choices := "answer: "+read.Limit().String(), [2]string{widget.Dash, widget.Dash}
	for i, choice := range c.Choices {
		if choice.OK {
			choices[i] = read.ModeText(choice.V)
		}
	}
	switch {
	case max(widget.Width(choices[0]), widget.Width(choices[1])) <= room:
		lines = append(lines, beside("answer", choices[0], choices[1]))
	case choices[0] == choices[1]:
		answer += ": both " + choices[0]
	default:
		answer += ": " + choices[0] + " against " + choices[1]
	}
	return widget.Under(append(lines, "", widget.Wrap(differ, w), widget.StyleDim.Render(widget.Wrap(answer, w)))...)
}

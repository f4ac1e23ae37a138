package tui

import (
	"fmt"
	"math"

	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/quantile"
	"jtune/tui/session"
)

// comparison is how two models differ over the whole space.
type comparison struct {
	ids               [2]modelID
	models            [2]*learn.Model
	choices           [2]string // of each for the limit in force
	timePct, powerPct float64   // medians of the differences
	worst             tegra.Mode
	worstPct          float64 // difference in time there
}

// comparisonMsg brings it.
type comparisonMsg struct{ c *comparison }

// compareModels predicts every mode by both, off the screen's goroutine.
func compareModels(a, b session.ModelInfo, space *tegra.Space, l optimize.Limit) tea.Cmd {
	return func() tea.Msg {
		c := &comparison{ids: [2]modelID{idOf(a), idOf(b)}, models: [2]*learn.Model{a.Model, b.Model}}
		var preds [2][]learn.Prediction
		for i, m := range c.models {
			preds[i] = m.Predict(space.Modes())
			c.choices[i] = dash
			if choice, err := optimize.Choose(preds[i], l); err == nil {
				c.choices[i] = space.Format(choice.Mode)
			}
		}
		var times, powers []float64
		for i, p := range preds[0] {
			q := preds[1][i]
			t := 100 * math.Abs(p.TimeMS-q.TimeMS) / p.TimeMS
			times, powers = append(times, t), append(powers, 100*math.Abs(p.PowerW-q.PowerW)/p.PowerW)
			if t > c.worstPct {
				c.worstPct, c.worst = t, p.Mode
			}
		}
		c.timePct, c.powerPct = quantile.Median(times).V, quantile.Median(powers).V
		return comparisonMsg{c}
	}
}

// of tells whether the comparison is of these two.
func (c *comparison) of(a, b session.ModelInfo) bool {
	return c != nil && c.ids == [2]modelID{idOf(a), idOf(b)}
}

// text sets the two side by side.
func (c *comparison) text(sh *shared, w int) string {
	const names = 9 // columns of "leans on" and the gap after it
	room := max(8, (w-names-1)/2)
	beside := func(name, a, b string) string { return cut(name, names) + cut(a, room) + " " + cut(b, room) }
	lines := []string{styleBold.Render(beside("", cutFront(c.ids[0].name, room), cutFront(c.ids[1].name, room)))}
	row := func(name string, value func(m *learn.Model) string) {
		lines = append(lines, beside(name, value(c.models[0]), value(c.models[1])))
	}
	row("method", func(m *learn.Model) string { return string(m.Method) })
	row("modes", func(m *learn.Model) string { return fmt.Sprint(len(m.Samples)) })
	row("time", func(m *learn.Model) string { return errorText(m.CV.TimeMAPEPct) })
	row("power", func(m *learn.Model) string { return errorText(m.CV.PowerMAPEPct) })
	row("checked", func(m *learn.Model) string { return m.CV.How })
	row("leans on", func(m *learn.Model) string {
		if m.Reference == "" {
			return "nothing"
		}
		return m.Reference
	})
	differ := "They say the same of every mode."
	if c.worstPct > 0 {
		differ = fmt.Sprintf("They differ by %.1f %% in time and %.1f %% in power (medians over all modes), most at %s: %.0f %% in time.",
			c.timePct, c.powerPct, sh.mode(c.worst), c.worstPct)
	}
	answer := "answer: " + sh.limit.String()
	switch {
	case max(width(c.choices[0]), width(c.choices[1])) <= room:
		lines = append(lines, beside("answer", c.choices[0], c.choices[1]))
	case c.choices[0] == c.choices[1]:
		answer += ": both " + c.choices[0]
	default:
		answer += ": " + c.choices[0] + " against " + c.choices[1]
	}
	return under(append(lines, "", wrap(differ, w), styleDim.Render(wrap(answer, w)))...)
}

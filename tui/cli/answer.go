package cli

import (
	"fmt"
	"math"

	"jtune/internal/document"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/answers"
	"jtune/tui/session/further"
)

// checkGoal rejects goals that are no limits.
func checkGoal(l metric.Goal) error {
	if l.Margin = 0; l == (metric.Goal{}) {
		return usagef("no goal: give --power-limit W, --time-limit MS, both, --energy or --limit LINE")
	}
	if (l.Knee || l.SlowerPct > 0) && l.Limited() {
		return usagef("limits may be given together, but not with --knee or --max-slowdown")
	}
	if err := l.Check(); err != nil {
		return usagef("%v", err)
	}
	return nil
}

// answerParts returns an answer as text, followed by sentences. origin is printed after its mode; "" for measurements
// of a real board.
func answerParts(a answers.Answer, space *tegra.Space, origin, today string, advice []string) []document.Part {
	sheet := a.Sheet(today)
	parts := linesOf(append([]string{settingText(space, a.Setting) + origin}, sheet.Lines()...)...)
	rows := append(knownRows(a), further.Rows(further.Of(a.Limit, a.Predicted, a.True, a.Read()))...)
	rows = append(rows, servingRows(a.Serving)...)
	if a.Served != nil {
		rows = append(rows, servedRows(a.Ask, *a.Served)...)
	}
	if a.Trial != nil {
		rows = append(rows, trialRow(a.Ask, a.Trial))
	}
	if a.Standing.Limited {
		rows = append(rows, []string{"the limit", a.Standing.String()})
	}
	parts = append(parts, document.Table{Rows: append(rows, otherRows(a, sheet, today)...)})
	if a.Training != nil {
		parts = append(parts, projectionParts(a.Training, space)...)
	}
	return append(parts, adviceParts(advice)...)
}

// knownRows returns an answer's lines about its time, power and energy.
func knownRows(a answers.Answer) (rows [][]string) {
	line := func(name string, m tegra.Measured, time, power string) {
		rows = append(rows, []string{name, text.Of(m.TimeMS) + " ms", time, text.Of(m.PowerW) + " W", power,
			text.Of(m.EnergyJ()) + " J"})
	}
	if m := a.Best(); a.Batch > 0 {
		rows = append(rows, []string{"per sample", text.Of(m.SampleMS()) + " ms",
			fmt.Sprintf("(%s samples per second)", text.Of(1000/m.SampleMS())), "", "", text.Of(m.SampleJ()) + " J"})
	}
	read := a.Read()
	// Beside a reading, a prediction from before it says nothing about this mode.
	if p := a.Predicted; p.TimeMS > 0 && (a.Fitted || a.Doubted.OK || !read.OK) {
		line("predicted", p.Measured, band(p.TimeLoMS, p.TimeHiMS, read.OK), band(p.PowerLoW, p.PowerHiW, read.OK))
	}
	if read.OK {
		name := "measured"
		if a.Doubted.OK {
			name = "measured, in doubt"
		}
		line(name, read.V, "", "")
	}
	return rows
}

// otherRows returns the lines about other modes, each in its own numbers.
func otherRows(a answers.Answer, s answers.Sheet, today string) (rows [][]string) {
	for _, c := range a.Versus.Distinct() {
		if c.Other.Mode == a.Mode {
			rows = append(rows, []string{"this is " + answers.Said(c.Name, today)})
		}
	}
	for _, r := range s.Rows[:len(s.Rows)-1] {
		row := []string{answers.Short(r.Name), text.Of(r.TimeMS) + " ms", "", text.Of(r.PowerW) + " W", "",
			text.Of(r.EnergyJ()) + " J", "measured " + answers.Mark(r.Fits)}
		if !r.Read {
			row[2], row[4] = band(r.TimeLoMS, r.TimeHiMS, false), band(r.PowerLoW, r.PowerHiW, false)
			row[6] = "predicted " + answers.Mark(r.Fits)
		}
		rows = append(rows, row)
	}
	return rows
}

// widestBand is the ratio of a band's ends above which it is useless beside a measurement.
const widestBand = 4

// band formats a credible band; "" if there is none, or if a measurement makes it useless.
func band(lo, hi float64, measured bool) string {
	if math.IsNaN(lo) || math.IsNaN(hi) || measured && hi > widestBand*lo {
		return ""
	}
	return "(" + between(lo, hi) + ")"
}

// adviceParts are sentences below a table.
func adviceParts(lines []string) []document.Part {
	if len(lines) == 0 {
		return nil
	}
	return append([]document.Part{document.Break{}}, linesOf(lines...)...)
}

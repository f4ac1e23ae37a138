package cli

import (
	"jtune/internal/document"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/answers"
	"jtune/tui/session/handover"
)

// checkGoal rejects goals that are no limits.
func checkGoal(q metric.Question) error {
	l := q.Limit
	if q.Limit.Margin = 0; q == (metric.Question{}) {
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

// answerParts returns an answer as text. origin is printed after its mode; "" for measurements of a real board. later
// is what is known besides its search.
func answerParts(a answers.Answer, of workload.Workload, space *tegra.Space, origin, today string,
	later document.Facts) []document.Part {
	parts := append([]document.Part{document.Line(space.Setting(a.Setting) + origin)},
		handover.Parts(a, of.Noun(), today, nil, later)...)
	if a.Training != nil {
		parts = append(parts, projectionParts(a.Training, space)...)
	}
	return parts
}

// adviceParts are sentences below a table.
func adviceParts(lines []string) []document.Part {
	if len(lines) == 0 {
		return nil
	}
	return append([]document.Part{document.Break{}}, linesOf(lines...)...)
}

package dialog

import (
	"jtune/tegra"
	"jtune/tui/page"
)

// NewMeasure asks which mode to measure, and with which workload: the board's presets first, then MAXN, the present
// mode and the answers of the newest search. Any other mode or preset name can be typed; typed is there at first.
// The workload under the cursor is preselected.
func NewMeasure(read page.Reader, typed string) page.Question {
	mode, job := newModeQuestion(read, namedModes(read)), newJobQuestion(read)
	mode.typed.SetValue(typed)
	return read.Question("measure", page.Form{Title: "Measure a mode", Verb: "measure", Width: 72,
		Note: func(int) []string {
			return []string{"measures this mode and restores the board; the model of the workload learns it",
				"type a mode or the name of a preset, such as " + read.ModeText(read.Space().Max())}
		},
		Fields: []page.Field{mode.field(), job.field()},
	}, func() page.Intent {
		m, _ := mode.chosen()
		return page.Measure(read, read.Workloads()[job.at].Name, tegra.Setting{Mode: m})
	})
}

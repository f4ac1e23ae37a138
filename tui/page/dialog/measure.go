package dialog

import (
	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// Measure asks which mode to measure, and with which workload: the board's presets first, then MAXN, the present mode
// and the answers of the newest search. Any other mode or preset name can be typed.
type Measure struct {
	widget.Form
	read page.Reader
	mode *modeQuestion
	job  *jobQuestion
}

// NewMeasure preselects the first preset and the workload under the cursor.
func NewMeasure(read page.Reader) *Measure {
	d := &Measure{read: read, mode: newModeQuestion(read, namedModes(read)), job: newJobQuestion(read)}
	d.Form = widget.Form{Keys: read.Keys().FormKeys(), Title: "Measure a mode", Verb: "measure", Width: 72,
		Note:   d.note,
		Fields: []widget.Field{d.mode.field(), d.job.field()}}
	return d
}

// Of enters a mode or a preset's name; "" changes nothing.
func (d *Measure) Of(mode string) *Measure {
	d.mode.typed.SetValue(mode)
	return d
}

func (d *Measure) note(int) []string {
	return []string{"measures this mode and restores the board; the model of the workload learns it",
		"type a mode or the name of a preset, such as " + d.read.ModeText(d.read.Space().Max())}
}

// Key handles a key; closed reports whether the dialog closes.
func (d *Measure) Key(k tea.KeyPressMsg) (does page.Intent, closed bool) {
	closed, taken := d.Form.Key(k)
	if taken {
		m, _ := d.mode.chosen()
		does = page.Measure(d.read, d.read.Workloads()[d.job.at].Name, tegra.Setting{Mode: m})
	}
	return does, closed
}

// Hints lists the keys that work now, with help before the back key.
func (d *Measure) Hints() []widget.Action { return withHelp(d.Form.Hints(), d.read.Keys().Help) }

// Numbers explains the questions, for the help.
func (d *Measure) Numbers() string {
	return "mode: the board's presets, MAXN, today's mode, the answers of the newest search, or what is typed. " +
		"A preset that needs a reboot is measured by its cores and clocks. workload: the job that runs. " +
		"The reading joins the others of the workload: Front and Modes show it in place of the prediction."
}

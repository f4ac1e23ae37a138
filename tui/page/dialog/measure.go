package dialog

import (
	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/widget"
)

// Measure asks which mode is to be measured, and with which workload: the board's presets first, then MAXN, the present
// mode and the answers of the newest search; any other mode and the name of a preset can be typed.
type Measure struct {
	widget.Form
	read page.Reader
	mode *modeQuestion
	job  *jobQuestion
}

// NewMeasure begins with the first preset and the workload under the cursor.
func NewMeasure(read page.Reader) *Measure {
	d := &Measure{read: read, mode: newModeQuestion(read, namedModes(read)), job: newJobQuestion(read)}
	d.Form = widget.Form{Keys: read.Keys().FormKeys(), Title: "Measure a mode", Verb: "measure", Width: 72,
		Note:   d.note,
		Fields: []widget.Field{d.mode.field(), d.job.field()}}
	return d
}

// Of enters a mode or the name of a preset; "" leaves it unchanged.
func (d *Measure) Of(mode string) *Measure {
	d.mode.typed.SetValue(mode)
	return d
}

func (d *Measure) note(int) []string {
	return []string{"measures this mode and restores the board; the model of the workload learns it",
		"type a mode or the name of a preset, such as " + d.read.ModeText(d.read.Space().Max())}
}

// Key takes a key; closed says that the dialog goes.
func (d *Measure) Key(k tea.KeyPressMsg) (does page.Intent, closed bool) {
	closed, taken := d.Form.Key(k)
	if taken {
		m, _ := d.mode.chosen()
		does = page.Measure(d.read, d.read.Workloads()[d.job.at].Name, m)
	}
	return does, closed
}

// Hints lists the keys that work now, help before the way out.
func (d *Measure) Hints() []widget.Action { return withHelp(d.Form.Hints(), d.read.Keys().Help) }

// Numbers explains the questions, for the help.
func (d *Measure) Numbers() string {
	return "mode: the board's presets, MAXN, the present mode, the answers of the newest search, or what is typed. " +
		"A preset that needs a reboot is measured by its cores and clocks. workload: the job that runs. " +
		"The reading joins the others of the workload: Front and Modes show it in place of the prediction."
}

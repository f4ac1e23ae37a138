package dialog

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// Measure asks which mode is to be measured, and with which workload: the board's presets first, then MAXN, the present
// mode and the answers of the newest search; any other mode and the name of a preset can be typed.
type Measure struct {
	widget.Form
	read     page.Reader
	listed   []namedMode
	at       int // in them
	typed    *widget.Input
	workload int
}

// namedMode is a mode with what it is known by.
type namedMode struct {
	name string
	mode tegra.Mode
}

// NewMeasure begins with the first preset and the workload under the cursor.
func NewMeasure(read page.Reader) *Measure {
	d := &Measure{read: read, listed: namedModes(read), typed: widget.NewInput("", "", mostMode),
		workload: read.Work().First()}
	mode := widget.Field{Name: "mode", Text: d.modeText, Input: d.typed, Wrong: d.wrongMode, Turn: func(by int) {
		d.typed.SetValue("")
		widget.Around(&d.at, by, len(d.listed))
	}}
	with := widget.Field{Name: "workload", Text: d.workloadText,
		Turn: func(by int) { widget.Around(&d.workload, by, len(read.Workloads())) }}
	find := newFinder(read, "", func(at int) { d.workload = at })
	find.asks(&with)
	with.Wrong = func() string { return cmp.Or(find.wrong(), d.wrongWorkload()) }
	d.Form = widget.Form{Keys: read.Keys().FormKeys(), Title: "Measure a mode", Verb: "measure", Width: 72,
		Note:   d.note,
		Fields: []widget.Field{mode, with}}
	return d
}

// Of types a mode or the name of a preset; "" leaves it as it is.
func (d *Measure) Of(mode string) *Measure {
	d.typed.SetValue(mode)
	return d
}

// mostMode is how long a typed mode may be.
const mostMode = 40

// namedModes are the modes that have a name here, each once.
func namedModes(read page.Reader) (out []namedMode) {
	add := func(name string, m tegra.Mode) {
		if !slices.ContainsFunc(out, func(n namedMode) bool { return n.mode == m }) {
			out = append(out, namedMode{name, m})
		}
	}
	for _, p := range read.Presets() {
		add(p.Name, p.Mode)
	}
	add("MAXN", read.Space().Max())
	if now := read.Present(); now.OK {
		add("the present mode", now.V)
	}
	for _, j := range []*page.Task{read.Task(), read.Searched()} {
		if j != nil && j.Done() && j.Tuned != nil {
			for _, a := range j.Tuned.Answers {
				add("the answer to "+a.Limit.Bounds(), a.Mode)
			}
		}
	}
	return out
}

// chosen is the mode that is asked for.
func (d *Measure) chosen() (tegra.Mode, error) {
	if text := strings.TrimSpace(d.typed.Value()); text != "" {
		return tegra.FindMode(text, d.read.Space(), d.read.Presets())
	}
	return d.listed[d.at].mode, nil
}

func (d *Measure) modeText() string {
	if d.typed.Value() != "" {
		return d.typed.Render("_")
	}
	n := d.listed[d.at]
	return n.name + "  " + d.read.ModeText(n.mode)
}

func (d *Measure) wrongMode() string {
	if _, err := d.chosen(); err != nil {
		return "no mode of this board such as " + d.read.ModeText(d.read.Space().Max()) + ", and no preset"
	}
	return ""
}

func (d *Measure) workloadText() string {
	if list := d.read.Workloads(); d.workload < len(list) {
		return workloadText(list[d.workload])
	}
	return "none known"
}

func (d *Measure) wrongWorkload() string {
	list := d.read.Workloads()
	if d.workload >= len(list) {
		return "none is known"
	}
	return d.read.Session().Blocked(list[d.workload])
}

func (d *Measure) note(int) []string {
	return []string{"measures this mode and restores the board; the model of the workload learns it",
		"type a mode or the name of a preset, such as " + d.read.ModeText(d.read.Space().Max())}
}

// Key takes a key; closed says that the dialog goes.
func (d *Measure) Key(k tea.KeyPressMsg) (does page.Intent, closed bool) {
	closed, taken := d.Form.Key(k)
	if taken {
		m, _ := d.chosen()
		does = page.Measure(d.read, d.read.Workloads()[d.workload].Name, m)
	}
	return does, closed
}

// Hints lists the keys that work now, help before the way out.
func (d *Measure) Hints() []widget.Action { return withHelp(d.Form.Hints(), d.read.Keys().Help) }

// Numbers explains the questions, for the help.
func (d *Measure) Numbers() string {
	return "mode: the board's presets, MAXN, the present mode, the answers of the newest search, or what is typed. " +
		"A preset that needs a reboot is measured by its cores and clocks. workload: what runs meanwhile. " +
		"The reading joins the others of the workload: Front and Modes show it in the place of the prediction."
}

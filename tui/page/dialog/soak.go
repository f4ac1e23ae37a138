package dialog

import (
	"errors"
	"math"
	"time"

	"jtune/internal/fields"
	"jtune/internal/units"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/soak"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// soakQuestion asks which mode to prove, with which job, for how long and within which limits.
type soakQuestion struct {
	read   page.Reader
	mode   *modeQuestion
	job    *jobQuestion
	lasts  int           // index into lengths, if none is typed
	typed  *widget.Input // a length
	limits *widget.Input
	clock  *clockQuestion
	asked  page.AskSoak
}

// lengths are the durations to choose from; 0 is until steady.
var lengths = []time.Duration{soak.Usual, 10 * time.Minute, 2 * time.Hour, 0}

// mostLength is the maximum length of a typed time in characters.
const mostLength = 20

// mostBounds is the maximum length of the list of limits in characters.
const mostBounds = 60

// NewSoak opens with the given request.
func NewSoak(read page.Reader, ask page.AskSoak) page.Question {
	listed := append([]namedMode{{name: "today's, unchanged"}}, namedModes(read)...)
	d := &soakQuestion{read: read, mode: newModeQuestion(read, listed), job: newJobQuestion(read),
		typed: widget.NewInput("", "", mostLength), limits: widget.NewInput("", "", mostBounds), asked: ask}
	d.mode.typed.SetValue(ask.Mode)
	d.limits.SetValue(ask.Limits)
	d.clock = newClockQuestion(read, func() bool { return read.Workloads()[d.job.at].Beside() }, math.Inf(1),
		watchedSoak)
	lasts := page.Field{Name: "lasts", Empty: d.lastsText, Input: d.typed, Wrong: d.wrongLength,
		Turn: func(by int) { widget.Around(&d.lasts, by, len(lengths)) }}
	limits := page.Field{Name: "limits", Empty: d.limitsText, Input: d.limits, Wrong: d.wrongLimits}
	return read.Question("soak", page.Form{Verb: "soak", Width: 76,
		Title: "Prove that a mode holds" + page.BatchText(ask.Batch), Note: d.note,
		Fields: d.clock.ask([]page.Field{d.job.field(), d.mode.field(), lasts, limits})}, d.start)
}

func (d *soakQuestion) lastsText() string {
	if l := lengths[d.lasts]; l > 0 {
		return units.Span(l)
	}
	return "until the temperature is steady"
}

// length returns how long the load runs; 0: until steady.
func (d *soakQuestion) length() (time.Duration, error) {
	if d.typed.Value() == "" {
		return lengths[d.lasts], nil
	}
	l, err := units.Duration(d.typed.Value())
	if why := fields.In("soak", "for").Wrong(l.String()); err == nil && why != "" {
		err = errors.New(why)
	}
	return l, err
}

func (d *soakQuestion) wrongLength() string {
	_, err := d.length()
	return page.Wrong(err)
}

func (d *soakQuestion) limitsText() string {
	return d.limits.Render("_") + widget.StyleDim.Render("  the board's own; or such as 30 W, 85 °C, 5 A, 4.75 V")
}

// bounds returns the typed limits.
func (d *soakQuestion) bounds() (metric.Limits, error) {
	l, err := soak.ParseLimits(d.limits.Value())
	if err == nil && d.read.Readings().OK {
		err = l.Shown(d.read.Board(), d.read.Sample().Reading)
	}
	return l, err
}

func (d *soakQuestion) wrongLimits() string {
	_, err := d.bounds()
	return page.Wrong(err)
}

func (d *soakQuestion) note(int) []string {
	return []string{"runs the job in the mode, watches heat, currents, voltages and clocks, restores the board",
		"ends at once where a limit breaks or a clock falls"}
}

func (d *soakQuestion) start() page.Intent {
	w := d.read.Workloads()[d.job.at]
	if w.Name == d.asked.Workload {
		w = w.AtBatch(d.asked.Batch)
	}
	length, _ := d.length()
	r := soak.Request{Workload: w, For: length, UntilSteady: length == 0}
	r.Limits, _ = d.bounds()
	why := d.read.MayRun()
	if m, _ := d.mode.chosen(); m != (tegra.Mode{}) {
		r.Mode, why = &tegra.Request{Mode: m}, d.read.MayMeasure()
	}
	if why != "" {
		return page.Say("soak: not now, " + why)
	}
	return page.All{page.Open(page.Profile), page.Start{Task: task.Soak(r), Speed: d.clock.rate()}}
}

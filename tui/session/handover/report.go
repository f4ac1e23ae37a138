package handover

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"jtune/internal/document"
	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
)

// Document formats a report.
func (r Report) Document() document.Document {
	board := r.Header.Device.Board()
	d := document.Document{
		Title: fmt.Sprintf("%s on %s", r.Header.Workload.Name, cmp.Or(board.Name, "–")),
		Mark:  mark(board),
		About: fmt.Sprintf("Report of campaign %s, measured %s, written %s by jtune %s", r.Name, day(r.Header.Created),
			day(r.Made), r.Jtune),
	}
	add := func(parts ...document.Part) { d.Parts = append(d.Parts, parts...) }
	if r.Kept != nil {
		for i, a := range r.Kept.Answers {
			add(r.answer(i, a)...)
			add(r.proof(i, a.Setting)...)
		}
	} else if len(r.Soaks) > 0 {
		add(soakParts(r.Soaks[0])...)
	}
	add(r.path()...)
	add(r.measured()...)
	add(r.settings()...)
	add(document.Heading("Job, board and software"), campaigns.About(r.Header, r.Software))
	add(r.caveats()...)
	return d
}

// mark says prominently that a page's numbers are not measurements.
func mark(b tegra.Board) string {
	switch {
	case b.Replay != "":
		return "REPLAYED: this board replays numbers of a file. Nothing on this page is a new measurement."
	case b.Virtual:
		return "SIMULATED: a virtual board. No number on this page was measured on a Jetson."
	}
	return ""
}

func day(t time.Time) string {
	if t.IsZero() {
		return "at an unknown time"
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// answer returns the question, the answer, and its gain.
func (r Report) answer(i int, a answers.Answer) []document.Part {
	goal := r.Kept.Goal(i).Words()
	parts := []document.Part{document.Heading("The answer: " + goal), document.Claim{Text: r.Space.Setting(a.Setting)}}
	return append(parts, Parts(a, r.Header.Workload.Noun(), answers.Then, r.Space, r.Later(i, r.Space))...)
}

// mostDots caps the points of predicted modes in a figure.
const mostDots = 1500

// path returns the cloud of all modes with the measurements.
func (r Report) path() []document.Part {
	if r.Known == nil {
		return nil
	}
	parts := []document.Part{document.Heading("All modes, and what was measured")}
	f := r.cloud()
	return append(parts, document.Drawing{Figure: f}, document.Text(
		"Large dots were measured. Small dots are predicted by a model of the measured modes; the rings are those "+
			"that no other mode beats in both quantities."+text.IfAny(" All are at batch size %d.", r.Known.Batch)))
}

// mostRows caps the measured modes in a report.
const mostRows = 150

// measured returns a table of all readings.
func (r Report) measured() []document.Part {
	if len(r.Rows) == 0 {
		return nil
	}
	noun := r.Header.Workload.Noun()
	t := document.Table{Head: []string{"mode", "how it ended", "#", "ms per " + noun, "W", "J per " + noun,
		text.Plural(noun)},
		Numbers: 2}
	for i, row := range r.Rows[:min(len(r.Rows), mostRows)] {
		cells := []string{r.Space.Setting(row.Setting), ended(row), fmt.Sprint(i + 1), "–", "–", "–", "–"}
		if row.Status.Usable() {
			cells[3], cells[4], cells[5] = text.Of(row.TimeMS), text.Of(row.PowerW), text.Of(row.Measured.EnergyJ())
			cells[6] = text.Thousands(row.Minibatches)
		}
		t.Rows = append(t.Rows, cells)
	}
	parts := []document.Part{document.Heading("Measurements, in order"), t}
	if more := len(r.Rows) - mostRows; more > 0 {
		parts = append(parts, document.Text(fmt.Sprintf("and %s more in modes.csv of the campaign",
			text.Count(more, "reading"))))
	}
	return parts
}

func ended(row record.Row) string {
	if row.Why != "" {
		return string(row.Status) + ": " + row.Why
	}
	return string(row.Status)
}

// settings describes how to set each answer again.
func (r Report) settings() (parts []document.Part) {
	var modes []tegra.Mode
	if r.Kept != nil {
		for _, a := range r.Kept.Answers {
			modes = append(modes, a.Mode)
		}
	} else if len(r.Soaks) > 0 && r.Soaks[0].Result.Mode.OK {
		modes = append(modes, r.Soaks[0].Result.Mode.V)
	}
	if modes == nil {
		return nil
	}
	parts = append(parts, document.Heading("How to set the mode again"))
	t := document.Table{Head: []string{"mode", "CPU cores online", "CPU kHz", "GPU Hz", "memory (EMC) Hz"}, Numbers: 1}
	var code []string
	for _, m := range modes {
		name := r.Space.Format(m)
		t.Rows = append(t.Rows, []string{name, fmt.Sprint(m.Cores), fmt.Sprint(m.CPU.KHz()), fmt.Sprint(int64(m.GPU)),
			fmt.Sprint(int64(m.EMC))})
		if r.Commands.Set != nil {
			code = append(code, r.Commands.Set(name)...)
		}
	}
	if code == nil {
		return append(parts, t)
	}
	return append(parts, t, document.Code(strings.Join(code, "\n")), document.Text(r.Commands.SetSays))
}

// caveats says what the numbers are and what was not measured.
func (r Report) caveats() []document.Part {
	measured, usable := len(r.Rows), 0
	for _, row := range r.Rows {
		if row.Status.Usable() {
			usable++
		}
	}
	lines := []string{}
	if measured > 0 {
		lines = append(lines,
			fmt.Sprintf("%s, %s of them usable. Only what is marked measured was: a reading's time is "+
				"the mean of its %s, its power the mean of the module's own power monitor.",
				text.Count(measured, "reading"), text.Thousands(usable), text.Plural(r.Header.Workload.Noun())))
	}
	if r.Known != nil {
		cv := r.Known.Model.CV
		line := "All other numbers of modes are predicted by a model"
		if cv.How != "" {
			line += fmt.Sprintf(", whose mean error for modes that it had not seen is %.1f %% of time and %s of power "+
				"(%s)", cv.TimeMAPEPct, percent(cv.PowerMAPEPct), cv.How)
		}
		lines = append(lines, line+".")
	}
	if r.Kept != nil {
		lines = append(lines, r.Kept.Warnings...)
	}
	lines = append(lines, r.Notes...)
	lines = append(lines,
		"No board measures ambient temperature or the supply of its carrier board: temperatures describe "+
			"the module where it was tested; watts, amperes and volts describe its own rails.")
	parts := []document.Part{document.Heading("What these numbers are")}
	for _, l := range lines {
		parts = append(parts, document.Text(l))
	}
	return parts
}

func percent(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", v)
}

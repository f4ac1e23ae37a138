package profile

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"jtune/internal/report"
	"jtune/internal/units"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry/hold"
	"jtune/tui/export"
	"jtune/tui/page"
	"jtune/tui/session/soak"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// askSoak opens the soak dialog: for the card's answer or the chosen row's mode with its job, otherwise for the present
// mode.
func askSoak(p *Page) page.Intent {
	if why := p.read.MayRun(); why != "" {
		return page.Say("soak: not now, " + why)
	}
	ask, j := page.AskSoak{Workload: p.Subject()}, p.shown()
	switch {
	case p.answers() != nil:
		ask.Mode, ask.Batch = p.read.ModeText(p.answer().Mode), p.answer().Batch
		if l := p.answer().Limit.Limits.Only(metric.Power); l.Len() > 0 {
			ask.Limits = l.String()
		}
	case j != nil && j.Kind == task.Soaking && j.Soak != nil && j.Soak.Mode.OK:
		ask.Mode = p.read.ModeText(j.Soak.Mode.V)
	case j != nil && p.tab.Cursor < len(j.Rows):
		at := j.Rows[len(j.Rows)-1-p.tab.Cursor].Setting
		ask.Mode, ask.Batch = p.read.ModeText(at.Mode), at.Batch
	}
	return ask
}

// soakView shows the soak of a task.
type soakView struct {
	read   page.Reader
	j      *page.Task
	opened bool // from the list of campaigns
}

// readSoak reads the soak of a folder for a task to show.
func readSoak(dir string, j *page.Task) page.Intent {
	return page.Run(func(context.Context) tea.Msg {
		k, err := soak.Read(dir)
		return page.Then(func() page.Intent {
			if j.Err = err; err == nil {
				j.Proof = &soak.Result{Result: k.Result, Dir: k.Dir}
				j.Soak = &soak.View{Mode: k.Result.Mode, Curves: k.Curves()}
			}
			return nil
		})
	})
}

// writeReport writes the report of the search whose card is shown.
func writeReport(j *page.Task, on page.Session) page.Intent {
	dir := j.Tuned.Home
	return page.Compute(func(context.Context) tea.Msg {
		d, err := on.Report(dir)
		return page.Then(func() page.Intent {
			if err != nil {
				return page.Fail{What: "report", Err: err}
			}
			return page.Export{Name: filepath.Base(dir), Files: []page.File{{Ending: "html",
				Text: export.DocumentHTML(d)}}}
		})
	})
}

// render draws the readings beside their limits, and the curves.
func (v soakView) render(w, h int) string {
	now, j := soak.View{}, v.j
	if j.Soak != nil {
		now = *j.Soak
	}
	head := widget.Under(v.title(now, w), v.state(now, w))
	head = widget.Under(head, strings.Join(boundLines(j, now, w), "\n"))
	rest := h - strings.Count(head, "\n") - 1
	f, ok := now.Curves.Figure()
	if !ok || rest < leastCurve {
		return widget.Fit(head, w, h)
	}
	if w < narrowW { // only the temperature
		f.Panels = f.Panels[len(f.Panels)-1:]
	}
	curves := func(w, h int) string { return widget.Figure(f, w, h, widget.Paint) }
	if w < narrowW {
		return widget.Under(head, curves(w, rest))
	}
	title := "power, current and temperature by " + f.X.Name
	return widget.Under(head, v.read.Panel(title, "", curves).Render(w, rest))
}

// leastCurve is the minimum height of a curve.
const leastCurve = 5

// title names the job, the mode and the progress.
func (v soakView) title(now soak.View, w int) string {
	mode, j := "today's mode", v.j
	if now.Mode.OK {
		mode = v.read.ModeText(now.Mode.V)
	}
	lasted := ""
	switch st := now.Now; {
	case j.Proof != nil:
		lasted = units.Span(time.Duration(j.Proof.DurationS * float64(time.Second)))
	case st.Phase == soak.Loading && st.For > 0:
		lasted = widget.ClockText(st.At) + " of " + units.Span(st.For)
	case st.Phase == soak.Loading:
		lasted = widget.ClockText(st.At)
	}
	job := j.Workload.Name
	if w < narrowW {
		return widget.StyleBold.Render(widget.Ends(widget.CutClause(" soak "+job, w), lasted, w))
	}
	return widget.StyleBold.Render(widget.Ends(widget.CutClause(" soak of "+job+" in "+mode, w), lasted, w))
}

// state returns the verdict, or the progress.
func (v soakView) state(now soak.View, w int) string {
	st, text, style, j := now.Now, "", widget.StyleBold, v.j
	switch {
	case j.Proof != nil:
		text, style = j.Proof.Sentence(), verdictStyle(j.Proof.Verdict)
	case j.Done() && j.Err != nil:
		text, style = "ended: "+page.Words(j.Err.Error()), widget.StyleBad
	case j.Done() && v.opened:
		text = "reading its samples …"
	case j.Done():
		text = "stopped before its load began"
	case j.State == task.Stopping:
		text, style = "stopping: restoring the board", widget.StyleWarn
	case st.Broken != "":
		text, style = "does not hold: "+st.Broken, widget.StyleBad
	case st.Phase == soak.Loading:
		text = "holds so far; " + st.Steady.Words(st.In)
	default:
		text = "resting: the idle board's temperature is taken as the air temperature, which no board measures"
	}
	lines := widget.WrapIn(style, text, w-1)
	return " " + strings.Join(lines[:min(len(lines), mostState)], "\n ")
}

// mostState is the maximum number of lines of a verdict.
const mostState = 4

func verdictStyle(v hold.Verdict) lipgloss.Style {
	switch v {
	case hold.Holds:
		return widget.StyleGood
	case hold.DoesNotHold:
		return widget.StyleBad
	}
	return widget.StyleWarn
}

// boundLines lists the present and the highest readings beside their limits.
func boundLines(j *page.Task, now soak.View, w int) []string {
	st := now.Now
	at, present := st.State, map[string]tegra.Val[float64]{"W": st.PowerW, "A": st.Amperes, "°C": st.TjC}
	if r := j.Proof; r != nil {
		at, present = r.State, nil
	} else if st.Phase != soak.Loading {
		return nil
	}
	type b = hold.Bound
	return widget.Grid(report.Table[b]{
		{Width: 20, Text: func(x b) string {
			if x.Unit == "V" {
				return " " + x.Of + ", least"
			}
			return " " + x.Of
		}},
		{Title: "now", Width: 11, Right: true, Drop: 2, Text: func(x b) string { return x.Text(present[x.Unit]) }},
		{Title: "peak", Width: 8, Right: true, Text: func(x b) string { return x.Text(x.Seen) }},
		{Title: "limit", Width: 8, Right: true, Text: func(x b) string { return x.Text(x.Limit) }},
		{Title: "left", Width: 11, Right: true, Drop: 1, Text: func(x b) string {
			if x.Left.OK && x.Left.V < 0 {
				return widget.StyleBad.Render(x.Text(x.Left))
			}
			return x.Text(x.Left)
		}},
	}, at.Bounds(now.Curves.Limits), w)
}

package profile

import (
	"cmp"
	"fmt"
	"slices"

	"jtune/internal/axis"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/optimize"
	"jtune/optimize/pareto"
	"jtune/optimize/standing"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/answers"
	"jtune/tui/session/task"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// head shows the progress of the campaign in two lines.
func (p *Page) head(j *page.Task, w int) string {
	switch {
	case j.Follows != nil:
		return p.followedHead(j, w)
	case j == p.open:
		return p.openedHead(w)
	}
	count, measured := fmt.Sprintf("mode %d", len(j.Rows)+1), j.Done() || j.Progress.Phase == profiles.Soaking
	switch {
	case measured:
		count = text.Count(len(record.Modes(j.Rows)), "mode")
	case j.Kind == task.Tuning: // it measures some modes again
		count = fmt.Sprintf("measurement %d", len(j.Rows)+1)
	}
	switch {
	case j.Planned == 0 || measured:
	case j.Kind == task.Profiling:
		count += fmt.Sprintf(" of %d", j.Planned)
	case j.Kind == task.Tuning:
		count += fmt.Sprintf(" of at most %d", j.Planned)
	case len(j.Rows) < j.Planned:
		count += fmt.Sprintf(" of about %d", j.Planned)
	default:
		count += fmt.Sprintf(", planned about %d", j.Planned)
	}
	goal := ""
	switch j.Kind {
	case task.Profiling, task.Redoing:
		if j.Plan != "" {
			goal = ": " + j.Plan
		}
	case task.Tuning, task.FrontSearch, task.Pairing:
		goal = ": " + j.First().Words()
		for _, l := range j.Limits[1:] {
			goal += ", " + l.Brief()
		}
	}
	first := widget.Ends(widget.CutClause(fmt.Sprintf(" %s %s%s", j.Kind, j.Workload.Name, goal), w), count, w)
	if j.Done() && j.Err != nil {
		why := widget.Wrap(" ended: "+page.Words(j.Err.Error()), w)
		return widget.Under(widget.StyleBold.Render(first), widget.StyleBad.Render(why))
	}
	return widget.Under(widget.StyleBold.Render(first), widget.Pinned(" "+p.state(j, w), p.timing(j, w), w))
}

// timing returns the elapsed and remaining time, as far as known; "" at the end. It is never cut off.
func (p *Page) timing(j *page.Task, w int) string {
	pr, elapsed := j.Progress, widget.ClockText(j.Elapsed(p.read.BoardNow()))
	switch {
	case j.Done():
		return ""
	case pr.ETAHi > 0 && w < narrowW:
		return units.Span(pr.ETAHi) + " left"
	case pr.ETAHi > 0 && w < wideW:
		return elapsed + ", " + widget.SpanRange(pr.ETALo, pr.ETAHi) + " left"
	case pr.ETAHi > 0:
		return elapsed + " elapsed, " + widget.SpanRange(pr.ETALo, pr.ETAHi) + " left"
	case w < narrowW:
		return elapsed
	}
	return elapsed + " elapsed"
}

// wideW is the minimum width for words in the status line.
const wideW = 100

func (p *Page) state(j *page.Task, w int) string {
	keys := p.read.Keys()
	pr, stopped := j.Progress, "stopped by "+cmp.Or(j.By, "you")+"; the board is restored"
	switch {
	case j.Done() && j.Stopped:
		if p.noResume() == "" {
			return stopped + "; " + keys.Resume.Label() + " continues it"
		}
		return stopped
	case j.Done():
		out := widget.StyleGood.Render("done") + outcome(j)
		if p.answers() != nil && p.today(p.answer()) == answers.Then { // it is in another mode since
			return out
		}
		return out + "; the board is restored"
	case j.State == task.Stopping:
		return widget.StyleWarn.Render("stopping") + ": restoring the board"
	case j.State == task.Paused:
		return widget.StyleWarn.Render("paused") + by(j) + ": nothing is measured; " + keys.Pause.Label() + " continues"
	case j.State == task.Pausing:
		return widget.StyleWarn.Render("pausing after this mode") + "; " + keys.Pause.Label() + " continues"
	}
	text := widget.StyleBold.Render(pr.Phase.String())
	if pr.Phase == profiles.Measuring && pr.Of > 0 && w < narrowW {
		text = widget.StyleBold.Render(pr.Collected(true)) + fmt.Sprintf(", %s ms", widget.MS(pr.TimeMS))
	} else if pr.Phase == profiles.Measuring && pr.Of > 0 {
		text += fmt.Sprintf(" %s, %s ms", pr.Collected(w < wideW), widget.MS(pr.TimeMS))
	}
	if pr.PowerW.OK {
		text += ", " + page.Unit(pr.PowerW, 1, "W")
	}
	if w >= wideW {
		text += leftOut(pr)
	}
	if pr.Step.Mode.Cores > 0 {
		text = p.read.ModeText(pr.Step.Mode) + page.BatchText(pr.Step.Batch) + "  " + text
	}
	return text
}

// leftOut says when power had settled and what was discarded; "" before that.
func leftOut(p profiles.Progress) string {
	if p.LeftOut == 0 && p.Dropped == 0 {
		return ""
	}
	steady := ""
	if p.Settled.OK {
		steady = fmt.Sprintf("steady after %.1f s, ", p.Settled.V)
	}
	return fmt.Sprintf(", %snot counted: %s, %s", steady, text.Count(p.LeftOut, "step"),
		text.Count(p.Dropped, "power sample"))
}

// by names the user of another program who gave the last order; "" if nobody.
func by(j *page.Task) string {
	if j.By == "" {
		return ""
	}
	return " by " + j.By
}

// outcome says how a search ended and what it cost.
func outcome(j *page.Task) string {
	if j.Tuned == nil || j.Tuned.Took <= 0 {
		return ""
	}
	took := units.Span(j.Tuned.Took)
	if j.Tuned.Ended == optimize.Converged {
		return " in " + took
	}
	return fmt.Sprintf(": %s, %s", j.Tuned.Ended, took)
}

// reading is a measurement as the table of a task lists it.
type reading struct {
	record.Row
	page.Figures
	n int
}

// readings are the columns of a task's measurements, newest first; brief: without their numbers.
func readings(p *Page, j *page.Task, brief bool) report.Table[int] {
	type r = reading
	time, _ := page.Heads(j.Workload)
	return report.Table[r]{
		{Title: "n", Width: max(2, len(fmt.Sprint(len(j.Rows)))), Right: true, Drop: 1, Off: brief,
			Text: func(x r) string { return fmt.Sprint(x.n + 1) }},
		{Title: "mode", Width: 20, Whole: true,
			Text: func(x r) string { return j.SpaceOr(p.read.Space()).Format(x.Mode) }},
		{Title: "bs", Width: 3, Right: true, Off: !j.Sized(), Text: func(x r) string { return fmt.Sprint(x.Batch) }},
		{Title: time, Width: 7, Right: true, Text: func(x r) string { return x.MS }},
		{Title: "W", Width: 5, Right: true, Text: func(x r) string { return x.W }},
		{Title: "J", Width: 5, Right: true, Drop: 3, Text: func(x r) string { return x.J }},
		{Title: "state", Width: 10, Drop: 2, Text: func(x r) string { return stateOf(j, x.n) }},
	}.At(func(i int) r {
		n, shown := len(j.Rows)-1-i, tegra.Measured{}
		if row := j.Rows[n]; row.Status.Usable() || row.Status == record.Over {
			shown = row.Measured
		}
		return reading{j.Rows[n], page.FiguresOf(shown), n}
	})
}

// stateOf says why measurement n was made, or how it ended.
func stateOf(j *page.Task, n int) string {
	r := j.Rows[n]
	text := string(r.Status)
	if n < len(j.Probes) && r.Status.Usable() {
		text = string(j.Probes[n].Why)
		if s := j.Standing(r.Setting, cmp.Or(j.Probes[n].Limit, j.Limits[0])); s.State == standing.Over {
			text = s.State.String()
		}
	}
	if r.Why != "" && !r.Status.Usable() {
		text += ": " + r.Why
	}
	return text
}

// front draws the measurements and their front.
func (p *Page) front(j *page.Task, w, h int) string {
	var points []tegra.Measured
	var xs, ys []float64
	for _, m := range j.Measured() {
		point := m
		points = append(points, point)
		xs, ys = append(xs, point.SampleMS()), append(ys, m.PowerW)
	}
	if len(points) == 0 {
		return "no measured mode yet"
	}
	s := j.Preview
	span := slices.Concat(ys, s.PowerW, within(s.LowW, ys), within(s.HighW, ys))
	for _, l := range j.Limits {
		for b := range l.Limits.Only(metric.Power).Each() {
			span = append(span, b.Value)
		}
	}
	plot := chart.Plot{X: axis.NewScale(slices.Concat(xs, s.TimeMS), true), Y: axis.NewScale(span, false),
		XName: "ms", YName: "W"}
	timeMS := metric.Goal.Of
	if j.Sized() { // per sample, but a time limit is per minibatch
		plot.XName, timeMS = "ms/sample", func(metric.Goal, *metric.Metric) float64 { return 0 }
	}
	for _, l := range j.Limits {
		plot.Limits(timeMS(l, metric.Time), l.Of(metric.Power))
	}
	fx, fy := s.TimeMS, s.PowerW
	if len(fx) == 0 { // too few modes for a prediction: only the measured ones
		for _, i := range pareto.Front(points, pareto.Power) {
			fx, fy = append(fx, points[i].SampleMS()), append(fy, points[i].PowerW)
		}
	}
	plot.Line(s.TimeMS, s.LowW, chart.InkBand)
	plot.Line(s.TimeMS, s.HighW, chart.InkBand)
	plot.Line(fx, fy, chart.InkFront)
	for i := range xs {
		plot.Mark(xs[i], ys[i], '●', chart.InkMeasured)
	}
	markBest(j, &plot)
	bands := bandsText(j, w)
	if j == p.open { // nothing is fitted for a campaign of the list
		bands = widget.StyleDim.Render("measured modes alone")
	}
	return widget.Under(widget.Cut(bands, w), plot.Render(w, h-1, widget.Paint))
}

// within keeps the values close to the measured ones: early bands may be too wide for a plot.
func within(band, measured []float64) []float64 {
	most := slices.Max(measured) * 1.3
	var out []float64
	for _, v := range band {
		out = append(out, min(max(v, 0), most))
	}
	return out
}

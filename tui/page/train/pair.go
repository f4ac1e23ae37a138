package train

import (
	"cmp"
	"fmt"
	"strings"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/optimize/mix"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session/measure"
	"jtune/tui/session/pair"
	"jtune/tui/session/task"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// numbersW is the width of a pair's numbers if charts are beside them.
const numbersW = 76

// mixesOf returns the mixes of an ended pair for Front; nil if none were computed.
func (p *Page) mixesOf(j *page.Task) *pair.Mixes {
	if !j.Done() || j.Paired == nil {
		return nil
	}
	if j.Paired.Mixes == nil { // a single mix was run: it is among the earlier ones
		return p.read.Mixes()
	}
	return j.Paired.Mixes
}

// pairActs returns what the keys do with a pair.
func (p *Page) pairActs(j *page.Task) page.Acts {
	keys := p.read.Keys()
	walk, find := page.Shown(keys.Up.With(keys.Down, "rows")), page.Shown(keys.Filter.As("search"))
	if !j.Done() {
		return page.Acts{page.On(keys.Stop, func() page.Intent { return page.Stop{} }), walk, find}
	}
	why := "no pair was measured"
	apply, now := page.Shown(keys.Apply.Unless(why)), page.Shown(keys.AtOnce.Unless(why))
	if j.Paired != nil {
		apply, now = page.Applying(p.read, page.Apply{Mode: j.Paired.Mode})
	}
	mixes, none := p.mixesOf(j), ""
	if mixes == nil {
		none = "no mixes were predicted"
	}
	return page.Acts{apply,
		page.On(keys.Look.Unless(none), func() page.Intent { return page.ShowMixes{Mixes: mixes} }),
		page.On(keys.Back.As("the workloads"), func() { p.left = j }), walk, now, find}
}

// pairPage draws a pair: the search's progress, which job has the GPU, both jobs against the limits, and the
// measurements.
func (p *Page) pairPage(j *page.Task, w, h int) string {
	lines := []string{p.pairHead(j, w), p.pairState(j, w)}
	if len(j.Watch.Turns) > 0 && !j.Done() {
		lines = append(lines, strip(j.Watch.Turns, w, true))
	}
	top := widget.Fit(strings.Join(lines, "\n"), w, len(lines))
	rest := h - len(lines)
	rows := p.read.Panel("Measured", p.rows.Search.Note(), func(w, h int) string { return p.pairRows(j, w, h) })
	both := p.read.Panel(p.pairTitle(j), "", func(w, _ int) string { return p.pairNumbers(j, w) })
	if w < 70 || h < 12 { // no room for frames
		body := strings.Split(p.pairNumbers(j, w), "\n")
		if len(body) > rest {
			body = body[:max(0, rest)]
		}
		left := rest - len(body)
		out := widget.Under(top, widget.Fit(strings.Join(body, "\n"), w, len(body)))
		if left >= 3 {
			return widget.Under(out, p.pairRows(j, w, left))
		}
		return widget.Fit(out, w, h)
	}
	needs := strings.Count(p.pairNumbers(j, w-4), "\n") + 3
	if w >= wideW && h > wideH {
		half := max(w/2, numbersW)
		needs = max(strings.Count(p.pairNumbers(j, half-4), "\n")+3, 10)
		power := p.read.Panel("Power, last 2 min", "", p.read.PowerChart)
		return widget.Under(top, widget.Beside(both.Render(half, needs), power.Render(w-half, needs)),
			rows.Render(w, rest-needs))
	}
	if needs = min(needs, rest); rest-needs < 4 {
		needs = rest
	}
	if needs == rest {
		return widget.Under(top, both.Render(w, rest))
	}
	return widget.Under(top, both.Render(w, needs), rows.Render(w, rest-needs))
}

// pairHead names the pair and its limits.
func (p *Page) pairHead(j *page.Task, w int) string {
	asked := j.Questions.String()
	if j.Policy != "" {
		asked += ", " + turnsText(j.Policy)
	}
	elapsed := widget.ClockText(j.Elapsed(p.read.BoardNow())) + " elapsed"
	if j.Done() {
		elapsed = text.Count(len(j.Watch.Probes), "pair") + " run"
	}
	return widget.StyleBold.Render(widget.Ends(widget.CutClause(" "+j.Subject()+": "+asked, w), elapsed, w))
}

// turnsText names a policy.
func turnsText(policy string) string {
	switch policy {
	case mix.Free:
		return "no turns"
	case record.Alone:
		return "inference alone"
	}
	return policy + " turns"
}

// pairState describes the present step, or how the search has ended.
func (p *Page) pairState(j *page.Task, w int) string {
	switch {
	case j.Done() && j.Stopped:
		return " stopped by " + cmp.Or(j.By, "you") + "; the board is restored"
	case j.Done() && j.Paired != nil && j.Paired.NothingTrains() != "":
		return widget.StyleBad.Render(widget.CutClause(" ✗ trains nothing: "+j.Paired.NothingTrains(), w))
	case j.Done() && j.Paired != nil && j.Paired.Feasible:
		return widget.CutClause(" "+widget.StyleGood.Render("✓ measured as a pair, keeps every limit")+
			"; the board is restored", w)
	case j.Done() && j.Paired != nil:
		return widget.StyleBad.Render(widget.CutClause(" ✗ no measured pair meets the limits, the nearest: "+
			j.Paired.Why(), w))
	case j.Done() && j.Err != nil:
		return widget.StyleBad.Render(widget.CutClause(" "+endedText(j), w))
	case j.State == task.Stopping:
		return " " + widget.StyleWarn.Render("stopping") + ": restoring the board"
	}
	pr := j.Progress
	line := j.Watch.Stage.String()
	if pr.Phase == profiles.Finished && j.Watch.Stage.Doing == measure.PairVerifies {
		return widget.CutClause(" 2 of 2: works out which pair is run next", w)
	}
	if pr.Step.Mode.Cores > 0 && j.Watch.Stage.Doing != measure.PairPredicts {
		line += ", " + p.read.ModeText(pr.Step.Mode) + page.BatchText(pr.Step.Batch) + ": " + pr.Phase.String()
	}
	switch {
	case j.Watch.Stage.Doing == measure.PairPredicts:
	case j.Watch.Now != nil && j.Watch.Stage.Doing == measure.PairVerifies: // otherwise the stage names the running job
		line += " " + measure.PairPart(j.Watch.Now.Part)
	case pr.Phase == profiles.Measuring && pr.Of > 0:
		line += fmt.Sprintf(" %d of %d", pr.Minibatch, pr.Of)
	}
	return widget.CutClause(" "+line, w)
}

// leastGap is the minimum idle time between two turns that the strip shows, as a share of the later turn.
const leastGap = 0.1

// strip draws the newest turns in a line, one glyph for the job that had the GPU.
func strip(turns []measure.PairTurn, w int, legend bool) string {
	const head = " GPU "
	words, late := "", false
	for _, t := range turns {
		late = late || t.Late
	}
	if legend && w >= 70 {
		words = "   █ training  ▒ inference  · idle"
		if late {
			words += "  ▓ late"
		}
	}
	room := max(4, w-len(head)-widget.Width(words))
	var cells []string
	for i := len(turns) - 1; i >= 0 && len(cells) < room; i-- {
		t := turns[i]
		switch {
		case t.Job == harness.JobInfer:
			cells = append(cells, widget.Paint(chart.InkWarm, "▒"))
		case t.Late:
			cells = append(cells, widget.Paint(chart.InkHot, "▓"))
		default:
			cells = append(cells, widget.Paint(chart.InkGPU, "█"))
		}
		if t.GapMS > leastGap*t.MS && len(cells) < room {
			cells = append(cells, widget.Paint(chart.InkAxis, "·"))
		}
	}
	var b strings.Builder
	for i := len(cells) - 1; i >= 0; i-- {
		b.WriteString(cells[i])
	}
	return head + widget.Cut(b.String(), room) + widget.StyleDim.Render(words)
}

// pairTitle names what the numbers belong to.
func (p *Page) pairTitle(j *page.Task) string {
	switch {
	case j.Done() && j.Paired != nil && !j.Paired.Feasible:
		return "The nearest pair, measured"
	case j.Done() && j.Paired != nil && j.Stopped:
		return "The best pair until then, measured"
	case j.Done() && j.Paired != nil:
		return "The answer, measured"
	case j.Done():
		return "No answer"
	case j.Watch.Stage.Doing <= measure.PairPredicts:
		return "What each job does alone"
	}
	return "Both jobs, so far"
}

// pairNumbers renders the pair's jobs in numbers.
func (p *Page) pairNumbers(j *page.Task, w int) string {
	switch {
	case j.Done() && j.Paired != nil:
		return p.pairAnswer(j, j.Paired, w)
	case j.Done() && j.Err != nil && !j.Stopped && widget.Width(endedText(j)) >= w: // the line above cut it
		return widget.Wrap(endedText(j), w)
	case j.Done():
		return widget.StyleDim.Render("no pair was measured")
	case j.Watch.Stage.Doing <= measure.PairPredicts:
		return widget.Wrap("Models of the two jobs come first: settings of each alone are measured where fewer are "+
			"known. They serve every later question. Then all mixes are predicted, and the best are run as pairs.", w)
	}
	st := j.Watch.Stage
	var so record.Pair
	if now := j.Watch.Now; now != nil {
		so = now.Pair
	}
	lines := factLines(pair.Facts(so, st.Ask))
	for _, l := range pair.PairLimits(st.Ask, so) {
		lines = append(lines, limitLine(l, false, w))
	}
	if o := st.Predicted; o != nil {
		line := "predicted  " + text.Of(o.TrainPerS) + " step/s"
		if v := tegra.Finite(o.LatencyMS); v.OK {
			line += fmt.Sprintf(", p%.4g %s ms", 100*st.Ask.Quantile, widget.MS(v.V))
		}
		lines = append(lines, widget.StyleDim.Render(line+", "+text.Of(o.PeakW)+" W peak"))
	}
	return widget.Clauses(lines, w)
}

// factLines lists facts, each in a line.
func factLines(facts document.Facts) (lines []string) {
	for _, f := range facts {
		lines = append(lines, fmt.Sprintf("%-11s%s", f[0], f[1]))
	}
	return lines
}

// limitLine compares the pair with a limit; in a narrow line only by a mark.
func limitLine(l pair.PairLimit, measured bool, w int) string {
	held := l.Held()
	mark, state, style := widget.Dash, "not known yet", widget.StyleDim
	switch {
	case held.OK && measured && held.V:
		mark, state, style = "✓", "measured within", widget.StyleGood
	case held.OK && measured:
		mark, state, style = "✗", "measured over", widget.StyleBad
	case held.OK && held.V:
		mark, state, style = "~", "within so far", widget.StylePlain
	case held.OK:
		mark, state, style = "✗", "over so far", widget.StyleWarn
	}
	line := fmt.Sprintf("%s: %s of %s %s", l.Name, page.Num(l.Value, 1), text.Of(l.Limit), l.Unit)
	if w < 52 {
		return "limit " + style.Render(mark) + "    " + line
	}
	return "limit      " + line + "  " + style.Render(mark+" "+state)
}

// pairAnswer describes the best measured pair, and each job without the other.
func (p *Page) pairAnswer(j *page.Task, f *pair.Answer, w int) string {
	row := f.Row
	lines := []string{widget.StyleBold.Render(p.read.ModeText(f.Mode)) +
		fmt.Sprintf(", inference in batches of %d, %s", f.Batch, turnsText(row.Pair.Policy))}
	for _, l := range pair.PairLimits(f.Ask, *row.Pair) {
		lines = append(lines, limitLine(l, true, w))
	}
	lines = append(lines, factLines(f.Facts(p.read.ModeText))...)
	return widget.Clauses(lines, w)
}

// pairRows lists the measurements, newest first.
func (p *Page) pairRows(j *page.Task, w, h int) string {
	rows := j.Watch.Rows
	p.rows.Rows = len(rows)
	p.rows.Cols = p.pairColumns().At(func(i int) pairReading { return readingOf(&j.Watch, len(rows)-1-i, w) })
	return p.rows.Render(w, h)
}

// endedText says why a search ended without an answer.
func endedText(j *page.Task) string { return "ended: " + page.Words(j.Err.Error()) }

// whyW is the table width from which a broken limit shows its value, which is also in other columns.
const whyW = 100

// pairReading is a measurement of a pair as its table lists it.
type pairReading struct {
	task.PairRow
	n                              int
	what, rate, late, watts, state string
}

// pairColumns are the columns of the measurements.
func (p *Page) pairColumns() report.Table[pairReading] {
	type r = pairReading
	return report.Table[r]{
		{Title: "n", Width: 2, Right: true, Drop: 4, Text: func(x r) string { return fmt.Sprint(x.n + 1) }},
		{Title: "mode", Width: 20, Whole: true, Text: func(x r) string { return p.read.ModeText(x.Mode) }},
		{Title: "bs", Width: 3, Right: true, Text: func(x r) string { return widget.Positive(float64(x.Batch), 0) }},
		{Title: "what ran", Width: 15, Drop: 1, Text: func(x r) string { return x.what }},
		{Title: "ms", Width: 5, Right: true, Drop: 5, Text: func(x r) string { return widget.MS(x.TimeMS) }},
		{Title: "step/s", Width: 6, Right: true, Text: func(x r) string { return x.rate }},
		{Title: "p99 ms", Width: 6, Right: true, Drop: 2, Text: func(x r) string { return x.late }},
		{Title: "W", Width: 5, Right: true, Text: func(x r) string { return x.watts }},
		{Title: "state", Width: 10, Drop: 3, Text: func(x r) string { return x.state }},
	}
}

// readingOf returns measurement n, for a table of w cells.
func readingOf(watch *task.PairWatch, n, w int) pairReading {
	r := watch.Rows[n]
	out := pairReading{PairRow: r, n: n, what: r.Of, rate: widget.Dash, late: widget.Dash,
		watts: widget.Positive(r.PowerW, 1), state: "alone"}
	if v := r.Row.Pair; v != nil {
		out.what, out.late, out.watts, out.state = turnsText(v.Policy), marked(v.Latency.SureP99(), v.Latency.P99),
			widget.Positive(v.PeakW(), 1), "to compare"
		if v.TrainPerS > 0 {
			out.rate = text.Of(v.TrainPerS)
		}
	} else if r.Batch == 0 && r.TimeMS > 0 {
		out.rate = text.Of(1000 / r.TimeMS)
	}
	if probe, searched := watch.Probe(n); searched {
		out.state = "✓ within"
		if why := probe.Why(); why != "" {
			out.state = "✗ " + why
			if name, _, ok := strings.Cut(why, " "); ok && w < whyW {
				out.state = "✗ " + name
			}
		}
	}
	if !r.Status.Usable() {
		out.rate, out.late, out.watts, out.state = widget.Dash, widget.Dash, widget.Dash,
			strings.TrimSuffix(string(r.Status)+": "+r.Why, ": ")
	}
	return out
}

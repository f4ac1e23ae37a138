package tui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/tegra/figures"
	"jtune/tui/chart"
)

// profilePage follows a campaign: what is measured now, what was, and the
// front that shows so far.
type profilePage struct {
	sh    *shared
	tab   table
	large int // 1: table, 2: front
	cut   *unfinished
}

func newProfilePage(sh *shared) *profilePage {
	p := &profilePage{sh: sh}
	p.tab = table{empty: "nothing measured yet", cols: []column{
		{title: "n", width: 2, right: true, drop: 1}, {title: "mode", width: 21}, {title: "bs", width: 3, right: true, off: true}, {title: "ms/mb", width: 7, right: true},
		{title: "W", width: 5, right: true}, {title: "J", width: 5, right: true, drop: 3}, {title: "state", width: 10, drop: 2}}}
	return p
}

func (p *profilePage) title() string { return "Profile" }

// shown is the campaign that the page tells of: its own while one runs, else
// that of another process, else its own last one; nil when there was none.
func (p *profilePage) shown() *job {
	own, other := p.sh.job, p.sh.follow
	if own != nil && own.kind == jobRun {
		own = nil
	}
	if other != nil && (own == nil || own.done && !other.done) {
		return other
	}
	return own
}

func (p *profilePage) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case unfinishedMsg:
		p.cut = msg.found
	case sampleMsg:
		return tea.Batch(p.sh.followNext(), p.sketchOwn())
	case followedMsg:
		return p.sh.takeFollowed(msg.found)
	case jobNewsMsg:
		return p.sketchOwn()
	case sketchMsg:
		j := msg.job
		j.sketch, j.sketching = msg.sketch, false
		if len(j.sketch.timeMS) > 0 {
			j.bands = append(j.bands, j.sketch.timePct)
		}
		return p.sh.sketchNext(j)
	}
	return nil
}

// sketchOwn works out what the running campaign's rows say so far.
func (p *profilePage) sketchOwn() tea.Cmd {
	if j := p.sh.job; j != nil && j.kind != jobRun {
		return p.sh.sketchNext(j)
	}
	return nil
}

func (p *profilePage) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	j := p.shown()
	running := j != nil && !j.done && j.follows == nil
	switch {
	case p.tab.key(k):
	case key.Matches(k, keys.Enlarge):
		p.large = (p.large + 1) % 3
	case key.Matches(k, keys.Back) && p.large != 0:
		p.large = 0
	case key.Matches(k, keys.Pause) && running:
		j.gate.set(!j.gate.closed())
	case key.Matches(k, keys.Stop) && running:
		j.stop()
	case key.Matches(k, keys.Redo) && p.cut == nil && len(p.failed()) > 0:
		if why := p.sh.mayWrite(); why != "" {
			p.sh.say("not now: %s", why)
			return nil, true
		}
		return p.sh.redo(j, p.failed()), true
	case key.Matches(k, keys.Resume) && p.cut != nil:
		if why := p.sh.mayWrite(); why != "" {
			p.sh.say("not now: %s", why)
			return nil, true
		}
		return p.sh.resume(p.cut, p.sh.limit), true
	default:
		return nil, false
	}
	return nil, true
}

func (p *profilePage) hints() []hint {
	why := "nothing runs"
	pause := keys.Pause
	if j := p.shown(); j != nil && !j.done && j.follows != nil {
		why = fmt.Sprintf("jtune %d runs it", j.follows.PID)
	} else if j != nil && !j.done {
		why = ""
		if j.gate.closed() {
			pause = named(pause, "go on")
		} else {
			pause = named(pause, "pause after this mode")
		}
	}
	stop := keys.Stop
	if why == "" {
		stop = named(stop, "stop and restore")
	}
	out := []hint{unless(pause, why), unless(stop, why)}
	if p.cut != nil && why != "" {
		out = append(valid(keys.Resume), out...)
	}
	if p.cut == nil && len(p.failed()) > 0 && why != "" {
		out = append(valid(keys.Redo), out...)
	}
	return append(append(out, speedHints(p.sh)...), hint{Binding: keys.Enlarge}, hint{Binding: both(keys.Up, keys.Down, "walk the modes")})
}

// failed lists the modes of the campaign that gave no value, each once, with
// their minibatch sizes where there are several.
func (p *profilePage) failed() []learn.Setting {
	j := p.shown()
	if j == nil || j.follows != nil {
		return nil
	}
	good := map[learn.Setting]bool{}
	for _, r := range j.rows {
		at := learn.SettingOf(r.Measured)
		good[at] = good[at] || r.Status.Usable()
	}
	var out []learn.Setting
	for _, r := range j.rows {
		if at := learn.SettingOf(r.Measured); !good[at] && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}

func (p *profilePage) copied() string {
	if j := p.shown(); j != nil && p.tab.cursor < len(j.rows) {
		return j.spaceOr(p.sh.space).Format(j.rows[len(j.rows)-1-p.tab.cursor].Mode)
	}
	return ""
}

// Render draws the page.
func (p *profilePage) Render(w, h int) string {
	j := p.shown()
	if j == nil {
		text := "\n" + wrap(" No campaign yet. Press "+keys.Tune.Help().Key+": it asks for a workload, a limit and how much effort, measures a few power modes here, and answers with the best one. The board is put back as it was found.", w)
		if u := p.cut; u != nil {
			text += "\n\n" + wrap(fmt.Sprintf(" Cut off earlier: mapping %s, %d of %d modes measured. %s goes on with it.", u.workload.Name, len(u.rows), u.of, keys.Resume.Help().Key), w)
		}
		return fit(text, w, h)
	}
	head := p.head(j, w)
	rest := h - strings.Count(head, "\n") - 1
	p.tab.rows = len(j.rows)
	p.tab.cols[sizeColumn].off = !j.sized()
	p.tab.cell = func(row, col int) string { return p.cell(j, row, col) }
	list := panel{"measured, newest first", "", p.tab.Render, p.sh.narrow}
	front := panel{"front so far", "● measured ─ expected", func(w, h int) string { return p.front(j, w, h) }, p.sh.narrow}
	switch {
	case rest < 3:
		return fit(head, w, h)
	case p.large == 1 || p.large == 0 && w < 78:
		return under(head, list.Render(w, rest))
	case p.large == 2:
		return under(head, front.Render(w, rest))
	}
	left := 54
	if w > 130 {
		left = 62
	}
	return under(head, beside(list.Render(left, rest), front.Render(w-left, rest)))
}

// head tells in two lines where the campaign stands.
func (p *profilePage) head(j *job, w int) string {
	if j.follows != nil {
		return p.followedHead(j, w)
	}
	pr := j.progress
	count := fmt.Sprintf("mode %d", len(j.rows)+1)
	if j.done {
		count = figures.Count(len(j.rows), "mode")
	}
	switch {
	case j.planned == 0 || j.done:
	case j.kind == jobTune:
		count += fmt.Sprintf(" of at most %d", j.planned)
	case len(j.rows) < j.planned:
		count += fmt.Sprintf(" of about %d", j.planned)
	default:
		count += fmt.Sprintf(", planned about %d", j.planned)
	}
	gone := clockText(p.sh.clock.Now() - j.began)
	if j.done {
		gone = ""
	} else if pr.ETAHi > 0 {
		gone += fmt.Sprintf(" gone, %.0f–%.0f min left", pr.ETALo.Minutes(), pr.ETAHi.Minutes())
	} else {
		gone += " gone"
	}
	goal := ""
	if j.kind != jobVerify {
		goal = ": " + j.limit.String()
	}
	first := ends(fmt.Sprintf(" %s %s%s", j.kind, j.workload.Name, goal), count, w)
	if j.done && j.err != nil {
		return under(styleBold.Render(first), styleBad.Render(wrap(" ended: "+j.err.Error(), w)))
	}
	return under(styleBold.Render(first), ends(" "+p.state(j), gone, w))
}

func (p *profilePage) state(j *job) string {
	pr := j.progress
	switch {
	case j.done && j.stopping:
		if p.cut != nil && j.kind == jobFront {
			return "stopped by you; the board is back as it was found; " + keys.Resume.Help().Key + " goes on"
		}
		return "stopped by you; the board is back as it was found"
	case j.done:
		return styleGood.Render("done") + outcome(j) + "; the board is back as it was found; 5 shows the answer"
	case j.stopping:
		return styleWarn.Render("stopping") + ": putting the board back"
	case j.gate.holds():
		return styleWarn.Render("paused") + ": nothing is measured; " + keys.Pause.Help().Key + " goes on"
	case j.gate.closed():
		return styleWarn.Render("pausing after this mode") + "; " + keys.Pause.Help().Key + " goes on"
	}
	text := styleBold.Render(pr.Phase.String())
	if pr.Phase == profiles.Measuring && pr.Of > 0 {
		text += fmt.Sprintf(" %d of %d minibatches, %s ms", pr.Minibatch, pr.Of, ms(pr.TimeMS))
	}
	if pr.PowerW.OK {
		text += ", " + unit(pr.PowerW, 1, "W")
	}
	if pr.Step.Mode.Cores > 0 {
		text = p.sh.mode(pr.Step.Mode) + batchText(pr.Step.Batch) + "  " + text
	}
	return text
}

// outcome says how a search ended and what it cost.
func outcome(j *job) string {
	if j.tuned == nil || j.tuned.Took <= 0 {
		return ""
	}
	return fmt.Sprintf(": %s, %.0f min", j.tuned.Ended, j.tuned.Took.Minutes())
}

// sizeColumn shows the minibatch size, where a campaign has several.
const sizeColumn = 2

// cell gives the table newest first.
func (p *profilePage) cell(j *job, row, col int) string {
	n := len(j.rows) - 1 - row
	r := j.rows[n]
	ok := r.Status.Usable()
	switch col {
	case 0:
		return fmt.Sprint(n + 1)
	case 1:
		return j.spaceOr(p.sh.space).Format(r.Mode)
	case sizeColumn:
		return fmt.Sprint(r.Batch)
	case 3:
		if !ok {
			return dash
		}
		return ms(r.TimeMS)
	case 4:
		return num(tegra.Val[float64]{V: r.PowerW, OK: ok}, 1)
	case 5:
		return num(tegra.Val[float64]{V: r.Measured.EnergyJ(), OK: ok}, 2)
	}
	text := string(r.Status)
	if n < len(j.probes) && ok {
		text = string(j.probes[n].Why)
		if !j.probes[n].Feasible {
			text = "over limit"
		}
	}
	if r.Why != "" && !ok {
		text += ": " + r.Why
	}
	return text
}

// front draws what was measured and the front of it.
func (p *profilePage) front(j *job, w, h int) string {
	var points []optimize.Point
	var xs, ys []float64
	for _, m := range j.measured() {
		point := optimize.MeasuredPoint(m)
		points = append(points, point)
		xs, ys = append(xs, point.SampleMS()), append(ys, m.PowerW)
	}
	if len(points) == 0 {
		return "no measured mode yet"
	}
	s := j.sketch
	span := slices.Concat(ys, s.powerW, within(s.low, ys), within(s.high, ys))
	if j.limit.PowerW > 0 {
		span = append(span, j.limit.PowerW)
	}
	plot := chart.Plot{X: chart.NewScale(slices.Concat(xs, s.timeMS), true), Y: chart.NewScale(span, false), XName: "ms", YName: "W"}
	l := j.limit
	if j.sized() { // by sample, while a time limit is one on the minibatch
		plot.XName, l.TimeMS = "ms/sample", 0
	}
	limitLines(&plot, l)
	fx, fy := s.timeMS, s.powerW
	if len(fx) == 0 { // too few modes to expect anything: the measured ones alone
		for _, i := range optimize.Front(points, optimize.Power) {
			fx, fy = append(fx, points[i].SampleMS()), append(fy, points[i].PowerW)
		}
	}
	plot.Line(s.timeMS, s.low, chart.InkBand)
	plot.Line(s.timeMS, s.high, chart.InkBand)
	plot.Line(fx, fy, chart.InkFront)
	for i := range xs {
		plot.Mark(xs[i], ys[i], '●', chart.InkMeasured)
	}
	return under(cut(j.bandsText(w), w), plot.Render(w, h-1, paint))
}

// within keeps the values that are not far beyond the measured ones: bands may
// be wider at first than any plot should be.
func within(band, measured []float64) []float64 {
	most := slices.Max(measured) * 1.3
	var out []float64
	for _, v := range band {
		out = append(out, min(max(v, 0), most))
	}
	return out
}

// limitLines draws the limits that there are.
func limitLines(plot *chart.Plot, l optimize.Limit) {
	if l.PowerW > 0 {
		plot.Level(l.PowerW, "limit", chart.InkLimit)
	}
	if l.TimeMS > 0 {
		plot.Column(l.TimeMS, "limit", chart.InkLimit)
	}
}

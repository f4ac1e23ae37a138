// Package profile is the page that follows a campaign: of this process, or of
// another.
package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/axis"
	"jtune/internal/text"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// Page follows a campaign: what is measured now, what was, and the
// front that shows so far.
type Page struct {
	read  page.Reader
	tab   widget.Table
	large int // 1: table, 2: front
	// asked is the cut-off campaign whose file runs something else than the user's workload, while
	// the page shows that and waits for the word; nil: none
	asked *session.Interrupted
	left  *page.Task // the search whose closing card was left
	at    int        // the answer that is chosen on the card
}

var _ page.Page = (*Page)(nil)

// New follows the campaigns that are read.
func New(read page.Reader) *Page {
	p := &Page{read: read}
	p.tab = widget.Table{Keys: read.Keys().ListKeys(), Empty: "nothing measured yet", Cols: []widget.Column{
		{Title: "n", Width: 2, Right: true, Drop: 1},
		{Title: "mode", Width: 20, Whole: true},
		{Title: "bs", Width: 3, Right: true, Off: true},
		{Title: "ms/mb", Width: 7, Right: true},
		{Title: "W", Width: 5, Right: true},
		{Title: "J", Width: 5, Right: true, Drop: 3},
		{Title: "state", Width: 10, Drop: 2},
	}}
	return p
}

// Name is page.Page's.
func (p *Page) Name() page.Name { return page.Profile }

// cut is the campaign that can go on; nil: there is none.
func (p *Page) cut() *session.Interrupted { return p.read.Interrupted() }

// shown is the campaign that the page shows: its own while one runs, else
// that of another process, else its own last one; nil when there was none.
func (p *Page) shown() *page.Task {
	own, other := p.read.Task(), p.read.Followed()
	if own != nil && (own.Kind == session.Training || own.Kind == session.Verifying && own.Done()) {
		own = p.read.Searched()
	}
	if other != nil && (own == nil || own.Done() && !other.Done()) {
		return other
	}
	return own
}

// Typing reports whether a search is typed.
func (p *Page) Typing() bool { return p.tab.Search.Typing() }

// Update is page.Page's: the rest is in the state.
func (p *Page) Update(msg tea.Msg) page.Intent {
	if m, ok := msg.(tea.PasteMsg); ok {
		p.tab.Paste(m)
	}
	return nil
}

// Key is page.Page's.
func (p *Page) Key(k tea.KeyPressMsg) (page.Intent, bool) {
	keys := p.read.Keys()
	j := p.shown()
	running := j != nil && !j.Done() && j.Follows == nil
	if u := p.asked; u != nil {
		switch {
		case keys.Yes.Matches(k) && p.read.Rushed(): // pasted
			return nil, true
		case keys.Yes.Matches(k):
			p.asked = nil
			return page.Start{Task: u.Task(p.read.Limit(), true), Fast: true}, true
		}
		if p.asked = nil; keys.No.Matches(k) || keys.Back.Matches(k) {
			return nil, true
		}
	}
	if does, taken := p.cardKey(k); taken {
		return does, true
	}
	switch {
	case p.answers() == nil && p.tab.Key(k):
	case keys.Enlarge.Matches(k):
		p.large = (p.large + 1) % 3
	case keys.Back.Matches(k) && p.large != 0:
		p.large = 0
	case keys.Pause.Matches(k) && p.reached(j):
		return page.Order{Do: pauseOrder(j)}, true
	case keys.Stop.Matches(k) && p.reached(j):
		return page.Order{Do: session.OrderStop}, true
	case keys.Pause.Matches(k) && running:
		return page.Pause{}, true
	case keys.Stop.Matches(k) && running:
		return page.Stop{}, true
	case keys.Resume.Matches(k) && p.noResume() == "":
		if u := p.cut(); u.Differs != "" && p.read.MayWrite() == "" {
			p.asked = u
			return nil, true
		}
		return p.begin(p.cut().Task(p.read.Limit(), false)), true
	case keys.Redo.Matches(k) && p.noRedo() == "":
		return p.begin(session.RedoTask(j.TaskSpec, j.Snapshot)), true
	default:
		return nil, false
	}
	return nil, true
}

// reached reports whether a task is that of another program which takes orders.
func (p *Page) reached(j *page.Task) bool {
	return j != nil && !j.Done() && j.Follows != nil && j.Follows.Reach != nil
}

// pauseOrder pauses another program's task, or lets it go on.
func pauseOrder(j *page.Task) session.Order {
	if j.Follows.Reach.Held {
		return session.OrderGoOn
	}
	return session.OrderPause
}

// Hints is page.Page's.
func (p *Page) Hints() []widget.Action {
	keys := p.read.Keys()
	switch {
	case p.asked != nil:
		return []widget.Action{keys.Yes.As("run what the file names"), keys.No.As("leave it")}
	case p.tab.Search.On():
		return p.tab.Search.Hints(p.tab.Keys)
	case p.answers() != nil:
		return p.cardHints()
	}
	why := "nothing runs"
	pause := keys.Pause
	if j := p.shown(); p.reached(j) {
		if why = ""; j.Follows.Reach.Held {
			pause = pause.As("go on")
		}
	} else if j != nil && !j.Done() && j.Follows != nil {
		why = fmt.Sprintf("jtune %d runs it", j.Follows.PID)
	} else if j != nil && !j.Done() {
		why = ""
		if j.State == session.Pausing || j.State == session.Paused {
			pause = pause.As("go on")
		} else {
			pause = pause.As("pause after this mode")
		}
	}
	stop := keys.Stop
	if why == "" {
		stop = stop.As("stop and restore")
	}
	out := []widget.Action{pause.Unless(why), stop.Unless(why)}
	resume, redo := keys.Resume.Unless(p.noResume()), keys.Redo.Unless(p.noRedo())
	for _, again := range []widget.Action{redo, resume} {
		if again.Why == "" {
			out = append([]widget.Action{again}, out...)
		}
	}
	out = append(append(out, page.SpeedHints(p.read)...), keys.Enlarge, keys.Up.With(keys.Down, "walk the modes"),
		keys.Filter.As("search"))
	for _, again := range []widget.Action{redo, resume} {
		if again.Why != "" {
			out = append(out, again)
		}
	}
	return append(out, keys.PageUp, keys.PageDown, keys.HalfUp, keys.HalfDown, keys.Home, keys.End)
}

// begin starts a task that sets modes, where that may be now.
func (p *Page) begin(t *session.Task) page.Intent {
	if why := p.read.MayWrite(); why != "" {
		return page.Say("not now: " + why)
	}
	return page.Start{Task: t, Fast: true}
}

// noResume returns the reason why no campaign can go on, or "".
func (p *Page) noResume() string {
	switch {
	case p.read.Busy():
		return "another task runs"
	case p.cut() == nil:
		return "none was cut off"
	}
	return ""
}

// noRedo returns the reason why no failed modes can be measured once more, or "".
func (p *Page) noRedo() string {
	switch j := p.shown(); {
	case j == nil || len(session.Failed(j.Rows)) == 0:
		return "none failed"
	case j.Follows != nil:
		return "another jtune measured them"
	case p.read.Busy():
		return "another task runs"
	}
	return ""
}

// Copied is the mode of the chosen row.
func (p *Page) Copied() string {
	if p.answers() != nil {
		return p.read.ModeText(p.answer().Mode)
	}
	if j := p.shown(); j != nil && p.tab.Cursor < len(j.Rows) {
		return j.SpaceOr(p.read.Space()).Format(j.Rows[len(j.Rows)-1-p.tab.Cursor].Mode)
	}
	return ""
}

// Render draws the page.
func (p *Page) Render(w, h int) string {
	if u := p.asked; u != nil {
		return widget.Fit(p.question(u, w), w, h)
	}
	j := p.shown()
	if j == nil {
		keys := p.read.Keys()
		text := "Nothing is measured now. Press " + keys.Tune.Label() + ": it asks for a workload, a limit and the " +
			"coverage, measures a few power modes here, and answers with the best one. The board is restored as " +
			"it was found."
		if u := p.cut(); u != nil {
			text = fmt.Sprintf(" Cut off earlier: %s. %s goes on with it, %s begins another search.", u,
				keys.Resume.Label(), keys.Tune.Label())
		}
		text = "\n" + widget.Wrap(text, w)
		return widget.Fit(text, w, h)
	}
	head := p.head(j, w)
	if p.answers() != nil {
		rest := h - strings.Count(head, "\n") - 1
		return widget.Under(head, p.read.Panel("the answer", "", p.card).Render(w, rest))
	}
	head = widget.Under(head, p.searchLines(j, w, h/5))
	rest := h - strings.Count(head, "\n") - 1
	p.tab.Rows = len(j.Rows)
	p.tab.Cols[0].Width = max(2, len(fmt.Sprint(len(j.Rows))))
	p.tab.Cols[sizeColumn].Off = !j.Sized()
	p.tab.Cell = func(row, col int) string { return p.cell(j, row, col) }
	list := p.read.Panel("measured, newest first", p.tab.Search.Note(), p.tab.Render)
	front := p.read.Panel("front so far", "● measured ◉ best ─ expected",
		func(w, h int) string { return p.front(j, w, h) })
	switch {
	case rest < 3:
		return widget.Fit(head, w, h)
	case p.large == 1 || p.large == 0 && w < 78:
		return widget.Under(head, list.Render(w, rest))
	case p.large == 2:
		return widget.Under(head, front.Render(w, rest))
	}
	left := 54
	if w > 130 {
		left = 62
	}
	left += p.tab.Cols[0].Width - 2
	return widget.Under(head, widget.Beside(list.Render(left, rest), front.Render(w-left, rest)))
}

// question asks whether what the file of a folder names may run.
func (p *Page) question(u *session.Interrupted, w int) string {
	keys := p.read.Keys()
	return fmt.Sprintf("\n%s\n%s\n\n%s",
		widget.StyleAsk.Render(" Run what only a file names?"),
		widget.Wrap(fmt.Sprintf(" %s runs it with your rights, %s leaves it. The file is %s/campaign.toml, and your "+
			"configuration says otherwise:", keys.Yes.Label(), keys.No.Label(), u.Dir), w),
		widget.Wrap(" "+u.Differs, w))
}

// head shows in two lines the progress of the campaign.
func (p *Page) head(j *page.Task, w int) string {
	if j.Follows != nil {
		return p.followedHead(j, w)
	}
	pr := j.Progress
	count := fmt.Sprintf("mode %d", len(j.Rows)+1)
	if j.Done() {
		count = text.Count(len(j.Rows), "mode")
	}
	switch {
	case j.Planned == 0 || j.Done():
	case j.Kind == session.Tuning:
		count += fmt.Sprintf(" of at most %d", j.Planned)
	case len(j.Rows) < j.Planned:
		count += fmt.Sprintf(" of about %d", j.Planned)
	default:
		count += fmt.Sprintf(", planned about %d", j.Planned)
	}
	elapsed := widget.ClockText(j.Elapsed(p.read.BoardNow()))
	if j.Done() {
		elapsed = ""
	} else if pr.ETAHi > 0 {
		elapsed += fmt.Sprintf(" elapsed, %.0f–%.0f min left", pr.ETALo.Minutes(), pr.ETAHi.Minutes())
	} else {
		elapsed += " elapsed"
	}
	goal := ""
	if j.Kind != session.Verifying {
		goal = ": " + j.Limit.String()
		for _, l := range j.More {
			goal += ", " + l.Bounds()
		}
	}
	first := widget.Ends(fmt.Sprintf(" %s %s%s", j.Kind, j.Workload.Name, goal), count, w)
	if j.Done() && j.Err != nil {
		why := widget.Wrap(" ended: "+j.Err.Error(), w)
		return widget.Under(widget.StyleBold.Render(first), widget.StyleBad.Render(why))
	}
	return widget.Under(widget.StyleBold.Render(first), widget.Ends(" "+p.state(j), elapsed, w))
}

func (p *Page) state(j *page.Task) string {
	keys := p.read.Keys()
	pr, stopped := j.Progress, "stopped by "+cmp.Or(j.By, "you")+"; the board is back as it was found"
	switch {
	case j.Done() && j.Stopped:
		if p.cut() != nil {
			return stopped + "; " + keys.Resume.Label() + " goes on"
		}
		return stopped
	case j.Done():
		return widget.StyleGood.Render("done") + outcome(j) + "; the board is back as it was found"
	case j.State == session.Stopping:
		return widget.StyleWarn.Render("stopping") + ": restoring the board"
	case j.State == session.Paused:
		return widget.StyleWarn.Render("paused") + by(j) + ": nothing is measured; " + keys.Pause.Label() + " goes on"
	case j.State == session.Pausing:
		return widget.StyleWarn.Render("pausing after this mode") + "; " + keys.Pause.Label() + " goes on"
	}
	text := widget.StyleBold.Render(pr.Phase.String())
	if pr.Phase == profiles.Measuring && pr.Of > 0 {
		text += fmt.Sprintf(" %d of %d minibatches, %s ms", pr.Minibatch, pr.Of, widget.MS(pr.TimeMS))
	}
	if pr.PowerW.OK {
		text += ", " + page.Unit(pr.PowerW, 1, "W")
	}
	if pr.Step.Mode.Cores > 0 {
		text = p.read.ModeText(pr.Step.Mode) + page.BatchText(pr.Step.Batch) + "  " + text
	}
	return text
}

// by names who of another program gave the last order; "" for nobody.
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
	return fmt.Sprintf(": %s, %.0f min", j.Tuned.Ended, j.Tuned.Took.Minutes())
}

// sizeColumn shows the batch size, where a campaign has several.
const sizeColumn = 2

// cell returns the table newest first.
func (p *Page) cell(j *page.Task, row, col int) string {
	n := len(j.Rows) - 1 - row
	r := j.Rows[n]
	ok := r.Status.Usable()
	figures := page.FiguresOf(tegra.Measured{})
	if ok {
		figures = page.FiguresOf(r.Measured)
	}
	if col < 6 {
		return [...]string{fmt.Sprint(n + 1), j.SpaceOr(p.read.Space()).Format(r.Mode), fmt.Sprint(r.Batch),
			figures.MS, figures.W, figures.J}[col]
	}
	text := string(r.Status)
	if n < len(j.Probes) && ok {
		text = string(j.Probes[n].Why)
		if s := j.Standing(r.Setting, cmp.Or(j.Probes[n].Limit, j.Limit)); s.State == optimize.Over {
			text = s.State.String()
		}
	}
	if r.Why != "" && !ok {
		text += ": " + r.Why
	}
	return text
}

// front draws what was measured and the front of it.
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
	if j.Limit.PowerW > 0 {
		span = append(span, j.Limit.PowerW)
	}
	plot := chart.Plot{X: axis.NewScale(slices.Concat(xs, s.TimeMS), true), Y: axis.NewScale(span, false),
		XName: "ms", YName: "W"}
	l := j.Limit
	if j.Sized() { // by sample, while a time limit is one on the minibatch
		plot.XName, l.TimeMS = "ms/sample", 0
	}
	plot.Limits(l.TimeMS, l.PowerW)
	fx, fy := s.TimeMS, s.PowerW
	if len(fx) == 0 { // too few modes to expect anything: the measured ones alone
		for _, i := range optimize.Front(points, optimize.Power) {
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
	return widget.Under(widget.Cut(bandsText(j, w), w), plot.Render(w, h-1, widget.Paint))
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

// Numbers is page.Page's.
func (p *Page) Numbers() string {
	return "Each row is a measured mode: ms/mb, W, J: time, module power and energy of a minibatch. state: ok, or " +
		"why it was chosen, or over: the mean of its readings is over the limit; a mode without values says why. " +
		"front so far: the Pareto front that a model of the modes measured so far expects of all others, with its " +
		"95 % bands; ◉ is the best mode that keeps the limit so far; ±: half their width along the front, which " +
		"shrinks as modes come in. following: another jtune measures, this one only shows it. best so far: against " +
		"MAXN, as it was measured or, as a range, predicted. why this one: the expected gain over the best so far " +
		"and the chance to keep the limit, as the search itself counts them. The card at the end compares the " +
		"answer with the mode that the board was in; a range is a prediction."
}

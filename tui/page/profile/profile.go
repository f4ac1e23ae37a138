// Package profile is the page of campaigns: their list, one of them with what it measured, two
// side by side.
//
//	list ──enter──► one ──esc──► list        list ──d, d──► two ──esc──► list
package profile

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/remote"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// view is what of the campaigns shows.
type view int

const (
	viewList view = iota
	viewOne       // of this process while it runs, of another, or one of the list
	viewTwo       // compared
)

// Page lists the campaigns of the board and follows one of them: what is measured now, what was,
// and the front that shows so far.
type Page struct {
	read  page.Reader
	view  view
	tab   widget.Table
	large int        // 1: table, 2: front, 3: the modes to come
	seen  *page.Task // what ran last, and showed by itself
	left  *page.Task // the search whose closing card was left
	at    int        // the answer that is chosen on the card

	list    widget.Table
	deleted bool         // the list is of those that can be restored
	chosen  string       // folder of the campaign under the cursor
	open    *page.Task   // of the list, as it shows; nil: what runs, or ran last
	entry   string       // its folder
	marked  string       // folder of the campaign to compare with; "" for none
	two     *comparison  // that shows
	pair    widget.Table // of its modes
}

var _ page.Page = (*Page)(nil)

// New follows the campaigns that are read.
func New(read page.Reader) *Page {
	p := &Page{read: read}
	keys := read.Keys().ListKeys()
	p.tab = widget.Table{Keys: keys, Empty: "nothing measured yet", Cols: []widget.Column{
		{Title: "n", Width: 2, Right: true, Drop: 1},
		{Title: "mode", Width: 20, Whole: true},
		{Title: "bs", Width: 3, Right: true, Off: true},
		{Title: "ms/mb", Width: 7, Right: true},
		{Title: "W", Width: 5, Right: true},
		{Title: "J", Width: 5, Right: true, Drop: 3},
		{Title: "state", Width: 10, Drop: 2},
	}}
	p.list, p.pair = newList(keys), newPair(keys)
	return p
}

// Name is page.Page's.
func (p *Page) Name() page.Name { return page.Profile }

// running is the campaign that runs: its own while one does, else that of another process, else
// its own last one; nil when there was none.
func (p *Page) running() *page.Task {
	own, other := p.read.Task(), p.read.Followed()
	if own != nil && (own.Kind == task.Training || own.Kind == task.Pairing ||
		own.Kind == task.Verifying && own.Done()) {
		own = p.read.Searched()
	}
	if other != nil && (own == nil || own.Done() && !other.Done()) {
		return other
	}
	return own
}

// shown is the campaign that the page shows; nil while it shows the list.
func (p *Page) shown() *page.Task {
	if now := p.running(); now != nil && now != p.seen { // what begins shows by itself
		p.seen, p.view, p.open = now, viewOne, nil
	}
	switch {
	case p.view != viewOne:
		return nil
	case p.open != nil:
		return p.open
	}
	return p.running()
}

// Typing reports whether a search is typed.
func (p *Page) Typing() bool { return p.table().Search.Typing() }

// table is the one that the list keys walk.
func (p *Page) table() *widget.Table {
	switch p.view {
	case viewOne:
		return &p.tab
	case viewTwo:
		return &p.pair
	}
	return &p.list
}

// Update is page.Page's: the rest is in the state.
func (p *Page) Update(msg tea.Msg) page.Intent {
	if m, ok := msg.(tea.PasteMsg); ok {
		p.table().Paste(m)
	}
	return nil
}

// Key is page.Page's.
func (p *Page) Key(k tea.KeyPressMsg) (page.Intent, bool) {
	keys, j := p.read.Keys(), p.shown()
	if does, taken := p.cardKey(k); taken {
		return does, true
	}
	if p.answers() == nil && p.table().Key(k) {
		if p.view == viewList {
			p.choose()
		}
		return nil, true
	}
	if does, taken := p.runKey(k); taken {
		return does, true
	}
	switch {
	case j != nil && keys.Enlarge.Matches(k):
		p.large = (p.large + 1) % 4
	case keys.Back.Matches(k) && p.large != 0:
		p.large = 0
	case keys.Back.Matches(k) && p.view != viewList:
		p.view, p.open, p.two = viewList, nil, nil
	case keys.New.Matches(k):
		if why := p.read.MayMeasure(); why != "" {
			return page.Say("new campaign: not now, " + why), true
		}
		return page.NewCampaign{}, true
	case keys.Resume.Matches(k) && p.noResume() == "":
		u := p.again()
		return p.start(u, u.Task(p.read.Limit(), true)), true
	case keys.Redo.Matches(k) && p.noRedo() == "":
		if j != nil && p.open == nil {
			return p.start(nil, task.Redo(j.Spec, j.Snapshot)), true
		}
		u := p.again()
		return p.start(u, u.Redo(true)), true
	case p.view == viewList:
		return p.listKey(k)
	default:
		return nil, false
	}
	return nil, true
}

// runKey takes the keys of what runs, here or in another program that takes orders.
func (p *Page) runKey(k tea.KeyPressMsg) (page.Intent, bool) {
	keys, now := p.read.Keys(), p.running()
	pause, stop := keys.Pause.Matches(k), keys.Stop.Matches(k)
	if p.open != nil || now == nil || now.Done() || !pause && !stop {
		return nil, false
	}
	switch {
	case now.Follows == nil && pause:
		return page.Pause{}, true
	case now.Follows == nil:
		return page.Stop{}, true
	case !p.reached(now), pause && now.Follows.Reach.Whole != "":
		return nil, false // the key's hint says why
	case pause:
		return page.Order{Do: pauseOrder(now)}, true
	}
	return page.Order{Do: remote.OrderStop}, true
}

// start begins a task that sets modes, where that may be now; what goes on with a file that runs
// another thing than the user's own workload is shown that and asked first.
func (p *Page) start(u *task.Interrupted, task *task.Task) page.Intent {
	if why := p.read.MayWrite(); why != "" {
		return page.Say("not now: " + why)
	}
	begin := page.Start{Task: task}
	if u == nil || u.Differs == "" {
		return begin
	}
	return page.Ask{Do: "run what only the file names", Not: "leave it", Then: begin, Why: fmt.Sprintf("It runs with "+
		"your rights. The file is %s/campaign.toml, and your configuration says otherwise: %s", u.Dir, u.Differs)}
}

// reached reports whether a task is that of another program which takes orders.
func (p *Page) reached(j *page.Task) bool {
	return j != nil && !j.Done() && j.Follows != nil && j.Follows.Reach != nil
}

// pauseOrder pauses another program's task, or lets it go on.
func pauseOrder(j *page.Task) remote.Order {
	if j.Follows.Reach.Held {
		return remote.OrderGoOn
	}
	return remote.OrderPause
}

// Hints is page.Page's.
func (p *Page) Hints() []widget.Action {
	p.shown()
	keys := p.read.Keys()
	switch {
	case p.table().Search.On():
		return p.table().Search.Hints(p.table().Keys)
	case p.answers() != nil:
		return p.cardHints()
	case p.view == viewTwo:
		return append([]widget.Action{keys.Back.As("the list")}, p.walkHints()...)
	case p.view == viewList:
		return append(p.listHints(), p.walkHints()...)
	}
	return p.runHints()
}

func (p *Page) walkHints() []widget.Action {
	keys := p.read.Keys()
	return []widget.Action{keys.Up, keys.Down, keys.Filter, keys.PageUp, keys.PageDown, keys.HalfUp, keys.HalfDown,
		keys.Home, keys.End}
}

// runHints are the keys of one campaign.
func (p *Page) runHints() []widget.Action {
	keys, why, pause := p.read.Keys(), "nothing runs", p.read.Keys().Pause
	j := p.shown()
	if p.reached(j) {
		if why = ""; j.Follows.Reach.Held {
			pause = pause.As("go on")
		}
		pause = pause.Unless(j.Follows.Reach.Whole)
	} else if j != nil && !j.Done() && j.Follows != nil {
		why = fmt.Sprintf("jtune %d runs it and takes no orders", j.Follows.PID)
	} else if j != nil && !j.Done() {
		why = ""
		if j.State == task.Pausing || j.State == task.Paused {
			pause = pause.As("go on")
		} else {
			pause = pause.As("pause after this mode")
		}
	}
	pause = pause.Unless(cmp.Or(why, pause.Why))
	stop := keys.Stop
	if why == "" {
		stop = stop.As("stop and restore")
	}
	list, first := keys.Back.As("the list"), []widget.Action{}
	if p.large != 0 {
		list = keys.Back.As("all panels")
	}
	resume, redo := keys.Resume.Unless(p.noResume()), keys.Redo.Unless(p.noRedo())
	for _, again := range []widget.Action{resume, redo} {
		if again.Why == "" {
			first = append(first, again)
		}
	}
	out := append(first, pause, stop.Unless(why))
	if why == "" && pause.Why != "" {
		out = append(first, stop, pause)
	}
	if j == nil || j.Done() {
		out = append(append(first, list, keys.New.Unless(p.read.MayMeasure())), pause, stop.Unless(why))
	}
	out = append(out, page.SpeedHints(p.read)...)
	if j != nil && !j.Done() {
		out = append(out, list)
	}
	out = append(out, keys.Enlarge)
	for _, again := range []widget.Action{resume, redo} {
		if again.Why != "" {
			out = append(out, again)
		}
	}
	return append(out, p.walkHints()...)
}

// Copied is the mode of the chosen row; on the list the name of the campaign.
func (p *Page) Copied() string {
	switch j := p.shown(); {
	case p.answers() != nil:
		return p.read.ModeText(p.answer().Mode)
	case j != nil && p.tab.Cursor < len(j.Rows):
		return j.SpaceOr(p.read.Space()).Format(j.Rows[len(j.Rows)-1-p.tab.Cursor].Mode)
	case p.view == viewTwo && p.pair.Cursor < len(p.two.Common):
		return p.read.ModeText(p.two.Common[p.pair.Cursor].Mode)
	case p.view == viewList:
		if l, ok := p.under(); ok {
			return l.Name
		}
	}
	return ""
}

// Render draws the page.
func (p *Page) Render(w, h int) string {
	j := p.shown()
	switch {
	case p.view == viewTwo:
		return p.compared(w, h)
	case j == nil:
		return p.campaigns(w, h)
	}
	head := p.head(j, w)
	if p.answers() != nil {
		rest := h - strings.Count(head, "\n") - 1
		return widget.Under(head, p.read.Panel("the answer", "", p.card).Render(w, rest))
	}
	head = widget.Under(head, p.searchLines(j, w, searchRows(w, h)))
	rest := h - strings.Count(head, "\n") - 1
	p.tab.Rows = len(j.Rows)
	p.tab.Cols[0].Width = max(2, len(fmt.Sprint(len(j.Rows))))
	p.tab.Cols[sizeColumn].Off = !j.Sized()
	p.tab.Cols[sizeColumn+1].Title, _ = page.Heads(j.Workload)
	p.tab.Cell = func(row, col int) string { return p.cell(j, row, col) }
	list := p.read.Panel("measured, newest first", p.tab.Search.Note(), p.tab.Render)
	front := p.read.Panel("front so far", "● measured ◉ best ─ expected",
		func(w, h int) string { return p.front(j, w, h) })
	coming := p.read.Panel("to come, in order", "↑ raises a clock", func(w, h int) string { return p.coming(j, w, h) })
	switch {
	case rest < 3:
		return widget.Fit(head, w, h)
	case p.large == 3:
		return widget.Under(head, coming.Render(w, rest))
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
	side := list.Render(left, rest)
	if n := len(j.Coming()); n > 0 && h >= comingH {
		low := min(rest/3, n+2)
		side = widget.Under(list.Render(left, rest-low), coming.Render(left, low))
	}
	return widget.Under(head, widget.Beside(side, front.Render(w-left, rest)))
}

// comingH is the height from which on the modes to come have room beside what was measured.
const comingH = 30

// coming lists the modes that come next, those that raise a clock marked.
func (p *Page) coming(j *page.Task, w, h int) string {
	list := j.Coming()
	if len(list) == 0 {
		return widget.Fit(widget.Wrap("not known before: each is chosen from the results so far", w), w, h)
	}
	after := tegra.Val[tegra.Mode]{V: j.Progress.Step.Mode, OK: j.Progress.Step.Mode.Cores > 0}
	up := campaigns.Raised(list, after)
	var lines []string
	for i, at := range list[:min(len(list), h)] {
		mark := "  "
		if up[i] {
			mark = "↑ "
		}
		lines = append(lines, mark+p.read.ModeText(at.Mode)+page.BatchText(at.Batch))
	}
	if more := len(list) - h; more > 0 {
		lines[h-1] = fmt.Sprintf("  and %d more", more+1)
	}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
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

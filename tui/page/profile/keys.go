package profile

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/session/remote"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// Update implements page.Page.
func (p *Page) Update(msg tea.Msg) page.Intent {
	switch m := msg.(type) {
	case tea.PasteMsg:
		p.table().Paste(m)
	case raceFrameDue:
		return m.frame(p)
	case page.Recalled:
		return p.recall(m.Workload)
	case soakRead:
		if p.entry == m.dir {
			return m.shownBy(p.open)
		}
	case reported:
		return m.written()
	}
	return nil
}

// Key implements page.Page.
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
	case keys.Verify.Matches(k):
		return p.measure(j)
	case keys.Soak.Matches(k):
		return askSoak(p), true
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

// measure measures the mode of the chosen row of a campaign again, with its workload; elsewhere the key opens the
// dialog.
func (p *Page) measure(j *page.Task) (page.Intent, bool) {
	if j == nil || p.answers() != nil || p.tab.Cursor >= len(j.Rows) {
		return nil, false
	}
	return page.Measure(p.read, j.Workload.Name, j.Rows[len(j.Rows)-1-p.tab.Cursor].Setting), true
}

// runKey handles the keys of a running task, in this program or in another one that takes orders.
func (p *Page) runKey(k tea.KeyPressMsg) (page.Intent, bool) {
	keys, now := p.read.Keys(), p.running()
	pause, stop := keys.Pause.Matches(k), keys.Stop.Matches(k)
	if p.open != nil || now == nil || now.Done() || !pause && !stop {
		return nil, false
	}
	switch {
	case now.Follows == nil && pause && now.Whole:
		return nil, false // the hint of the key says why
	case now.Follows == nil && pause:
		return page.Pause{}, true
	case now.Follows == nil:
		return page.Stop{}, true
	case !p.reached(now), pause && now.Follows.Reach.Whole != "":
		return nil, false // the hint of the key says why
	case pause:
		return page.Order{Do: pauseOrder(now)}, true
	}
	return page.Order{Do: remote.OrderStop}, true
}

// Hints implements page.Page.
func (p *Page) Hints() []widget.Action {
	p.shown()
	keys := p.read.Keys()
	switch {
	case p.table().Search.On():
		return p.table().Search.Hints(p.table().Keys)
	case p.answers() != nil:
		return p.cardActs().Hints()
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

// runHints returns the keys of one campaign.
func (p *Page) runHints() []widget.Action {
	keys, why, pause := p.read.Keys(), "nothing runs", p.read.Keys().Pause
	j := p.shown()
	if p.reached(j) {
		if why = ""; j.Follows.Reach.Held {
			pause = pause.As("continue")
		}
		pause = pause.Unless(j.Follows.Reach.Whole)
	} else if j != nil && !j.Done() && j.Follows != nil {
		why = fmt.Sprintf("jtune %d runs it and takes no orders", j.Follows.PID)
	} else if j != nil && !j.Done() {
		why = ""
		if j.State == task.Pausing || j.State == task.Paused {
			pause = pause.As("continue")
		} else {
			pause = pause.As("pause after this mode")
		}
	}
	if j != nil && j.Whole && why == "" {
		pause = keys.Pause.Unless("a soak is one load: " + keys.Stop.Label() + " ends it, " + keys.Resume.Label() +
			" continues it")
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
	if j != nil && j.Kind == task.Soaking && j.Done() {
		out = append(append(first, list, keys.Soak.As("soak again").Unless(p.read.MayRun())), pause, stop.Unless(why))
	}
	out = append(out, page.SpeedHints(p.read)...)
	if j != nil && !j.Done() {
		out = append(out, list)
	}
	if j != nil && j.Done() && len(j.Rows) > 0 {
		out = append(out, keys.Verify.As("measure").Doing("measure this mode once more").Unless(p.read.MayMeasure()))
	}
	out = append(out, keys.Enlarge)
	for _, again := range []widget.Action{resume, redo} {
		if again.Why != "" {
			out = append(out, again)
		}
	}
	return append(out, p.walkHints()...)
}

// Subject implements page.Subjected: it is the workload of the shown campaign, or of the one under the cursor.
func (p *Page) Subject() string {
	if j := p.shown(); j != nil {
		return j.Workload.Name
	}
	l, _ := p.under()
	return l.Header.Workload.Name
}

// Copied returns the mode of the chosen row; on the list, the campaign's name.
func (p *Page) Copied() string {
	switch j := p.shown(); {
	case p.answers() != nil:
		return p.read.ModeText(p.answer().Mode)
	case j != nil && j.Proof != nil:
		return j.Proof.Sentence()
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

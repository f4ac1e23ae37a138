package profile

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/profiles"
	"jtune/tui/page"
	"jtune/tui/session/control"
	"jtune/tui/session/task"
)

// Update implements page.Page.
func (p *Page) Update(msg tea.Msg) page.Intent {
	switch m := msg.(type) {
	case tea.PasteMsg:
		p.table().Paste(m)
	case page.Recalled:
		return p.recall(m.Workload)
	}
	return nil
}

// Acts implements page.Page.
func (p *Page) Acts() page.Acts {
	acts := p.acts()
	if p.answers() != nil {
		return acts
	}
	keys, table := p.read.Keys(), p.table()
	walks := func(k tea.KeyPressMsg) bool {
		taken := table.Key(k)
		if taken && p.view == viewList {
			p.choose()
		}
		return taken
	}
	return slices.Concat(page.Acts{page.In(walks, table.Search.Hints(table.Keys))}, acts, page.Listed(keys.Up,
		keys.Down, keys.Filter, keys.PageUp, keys.PageDown, keys.HalfUp, keys.HalfDown, keys.Home, keys.End))
}

// acts returns what the keys do on the shown view.
func (p *Page) acts() page.Acts {
	keys, j, list := p.read.Keys(), p.shown(), func() { p.view, p.open, p.two = viewList, nil, nil }
	quiet := page.Acts{
		page.Quiet(keys.Open, j != nil && j == p.left, func() { p.left = nil }),
		page.Quiet(keys.Enlarge, j != nil, func() { p.large = (p.large + 1) % 4 }),
		page.Quiet(keys.Soak, true, func() page.Intent { return askSoak(p) }),
		page.Quiet(keys.New, true, func() page.Intent { return page.NewCampaign{} }),
	}
	if why := p.read.MayMeasure(); why != "" {
		quiet = quiet[:3]
	}
	if pause, stop := p.endActs(); stop.Why == "" {
		quiet = append(quiet, pause.Unnamed(), stop.Unnamed())
	}
	switch {
	case p.answers() != nil:
		return append(p.cardActs(), quiet...)
	case p.view == viewList:
		return append(p.listActs(), quiet...)
	case p.view == viewTwo:
		return append(page.Acts{page.On(keys.Back.As("the list"), list)}, quiet...)
	case p.large != 0:
		return p.runActs(page.On(keys.Back.As("all panels"), func() { p.large = 0 }), quiet)
	}
	return p.runActs(page.On(keys.Back.As("the list"), list), quiet)
}

// againActs returns what resumes the target campaign and measures its failed modes again: what is possible now, and
// what is not.
func (p *Page) againActs() (now, later page.Acts) {
	keys, j := p.read.Keys(), p.shown()
	for _, a := range []page.Act{
		page.On(keys.Resume.Unless(p.noResume()), func() page.Intent {
			u := p.again()
			return p.start(u, u.Task(p.read.Limit(), true))
		}),
		page.On(keys.Redo.Unless(p.noRedo()), func() page.Intent {
			if j != nil && p.open == nil {
				return p.start(nil, task.Redo(j.Spec, j.Snapshot))
			}
			u := p.again()
			return p.start(u, u.Redo(true))
		}),
	} {
		if a.Why == "" {
			now = append(now, a)
		} else {
			later = append(later, a)
		}
	}
	return now, later
}

func (p *Page) newAct() page.Act {
	return page.On(p.read.Keys().New.Unless(p.read.MayMeasure()), func() page.Intent { return page.NewCampaign{} })
}

func (p *Page) soakAct() page.Act {
	return page.On(p.read.Keys().Soak.Unless(p.read.MayRun()), func() page.Intent { return askSoak(p) })
}

// endActs returns what pauses and stops the running task, in this program or in another one that takes orders.
func (p *Page) endActs() (pause, stop page.Act) {
	keys, j, why := p.read.Keys(), p.running(), ""
	pauses, stops := keys.Pause, keys.Stop.As("stop and restore")
	does := func(own page.Intent, order control.Order) func() page.Intent {
		if j != nil && j.Follows != nil {
			own = page.Order{Do: order}
		}
		return func() page.Intent { return own }
	}
	order := control.OrderPause
	switch {
	case p.open != nil || j == nil || j.Done():
		why = "nothing runs"
	case p.reached(j):
		if j.Follows.Reach.Held {
			pauses, order = pauses.As("continue"), control.OrderGoOn
		}
		pauses = pauses.Unless(j.Follows.Reach.Whole)
	case j.Follows != nil:
		why = fmt.Sprintf("jtune %d runs it and cannot be reached", j.Follows.PID)
	case j.State == task.Pausing || j.State == task.Paused:
		pauses = pauses.As("continue")
	default:
		pauses = pauses.As("pause after this mode")
	}
	switch {
	case why != "":
		pauses, stops = pauses.Unless(why), keys.Stop.Unless(why)
	case j.Whole, j.Progress.Phase == profiles.Soaking: // of an answer
		pauses = keys.Pause.Unless("a soak is one load: " + keys.Stop.Label() + " ends it, " + keys.Resume.Label() +
			" continues it")
	}
	return page.On(pauses, does(page.Pause{}, order)), page.On(stops, does(page.Stop{}, control.OrderStop))
}

// runActs returns what the keys do with one campaign; list leaves it, and the rest works too.
func (p *Page) runActs(list page.Act, rest page.Acts) page.Acts {
	keys, j := p.read.Keys(), p.shown()
	pause, stop := p.endActs()
	first, later := p.againActs()
	ends := page.Acts{pause, stop}
	if j != nil && j.Kind == task.Soaking && j.Done() {
		first = append(first, list, p.soakAct().As("soak again"))
	} else if j == nil || j.Done() {
		first = append(first, list, p.newAct())
	} else if stop.Why == "" && pause.Why != "" {
		slices.Reverse(ends)
	}
	out := append(first, ends...)
	out = append(out, page.Speeds(p.read)...)
	if j != nil && !j.Done() {
		out = append(out, list)
	}
	if j != nil && len(j.Rows) > 0 {
		measure := page.On(keys.Verify.Doing("measure this mode once more").Unless(p.read.MayMeasure()),
			func() page.Intent {
				return page.Measure(p.read, j.Workload.Name, j.Rows[len(j.Rows)-1-p.tab.Cursor].Setting)
			})
		if !j.Done() {
			measure = measure.Unnamed()
		}
		if p.tab.Cursor < len(j.Rows) {
			out = append(out, measure)
		}
	}
	return slices.Concat(append(out, page.Shown(keys.Enlarge)), later, rest)
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

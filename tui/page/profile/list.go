package profile

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/tui/page"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/soak"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// star marks the campaign to compare with.
const star = "*"

// settle keeps the cursor on its campaign; at first it is on the interrupted one, else on the newest that is no
// verification: the answer that one measured again is what the user comes back for.
func (p *Page) settle() {
	list := p.entries()
	p.list.Rows = len(list)
	if p.chosen == "" && !p.deleted {
		p.chosen = first(list, p.read.Interrupted())
	}
	for i, l := range list {
		if l.Dir == p.chosen {
			p.list.Cursor = i
			return
		}
	}
	p.list.Move(0)
	p.choose()
}

// first returns the folder of the campaign that the cursor is on at first; "" if the list has none. cut is the
// interrupted one, or nil.
func first(list []*task.Listed, cut *task.Interrupted) string {
	if cut != nil {
		return cut.Dir
	}
	for _, l := range list {
		if l.Header.Plan.Kind != campaigns.VerifyKind {
			return l.Dir
		}
	}
	return ""
}

// choose records the campaign under the cursor.
func (p *Page) choose() {
	if list := p.entries(); p.list.Cursor < len(list) {
		p.chosen = list[p.list.Cursor].Dir
	}
}

// under returns the campaign under the cursor.
func (p *Page) under() (task.Listed, bool) {
	p.settle()
	if list := p.entries(); p.list.Cursor < len(list) {
		return *list[p.list.Cursor], true
	}
	return task.Nothing, false
}

// target returns the campaign that keys act on: the open one, or the one under the cursor.
func (p *Page) target() (task.Listed, bool) {
	if p.open != nil {
		return p.find(p.entry)
	}
	return p.under()
}

// again returns how to resume the target campaign; nil if it cannot be resumed. On the page of the last task it is the
// campaign interrupted last.
func (p *Page) again() *task.Interrupted {
	if p.view == viewOne && p.open == nil {
		return p.read.Interrupted()
	}
	l, _ := p.target()
	return l.Again
}

// noResume returns why no campaign can be resumed, or "".
func (p *Page) noResume() string {
	switch l, ok := p.target(); {
	case p.read.Busy():
		return "another task runs"
	case p.view == viewOne && p.open == nil && p.read.Interrupted() == nil, p.view == viewTwo:
		return "none was cut off"
	case p.view == viewOne && p.open == nil:
		return p.read.MayMeasure()
	case !ok:
		return "none here"
	default:
		return cmp.Or(l.NoResume, p.read.MayMeasure())
	}
}

// noRedo returns why no failed modes can be measured again, or "".
func (p *Page) noRedo() string {
	j := p.shown()
	switch l, ok := p.target(); {
	case p.read.Busy():
		return "another task runs"
	case p.view == viewTwo || j != nil && p.open == nil && len(task.Failed(j.Rows)) == 0:
		return "none failed"
	case j != nil && p.open == nil && j.Follows != nil:
		return "another jtune measured them"
	case j != nil && p.open == nil:
		return p.read.MayMeasure()
	case !ok:
		return "none here"
	default:
		return cmp.Or(l.NoRedo, p.read.MayMeasure())
	}
}

// show opens a campaign of the list.
func (p *Page) show(l task.Listed) page.Intent {
	p.view, p.tab.Cursor, p.large = viewOne, 0, 0
	if now := p.running(); now != nil && !now.Done() && l.State == campaigns.CampaignRunning &&
		(l.PID == os.Getpid() || now.Follows != nil && now.Follows.Dir == l.Dir) {
		return nil
	}
	h := l.Header
	j := &page.Task{Spec: task.Spec{Workload: h.Workload}}
	j.Rows, j.State = l.Rows(), task.Done
	p.reopen(j, l)
	p.at = 0
	p.open, p.entry = j, l.Dir
	if soak.Is(*h) {
		j.Kind = task.Soaking
		return readSoak(l.Dir, j)
	}
	return nil
}

// openedHead says in two lines which campaign is open, and its state.
func (p *Page) openedHead(w int) string {
	l, ok := p.find(p.entry)
	if !ok {
		return widget.Under(" "+widget.StyleBold.Render("gone"), " this campaign was deleted or has another name")
	}
	first := widget.Cut(" "+l.Name+": "+l.What()+" with "+l.Header.Workload.Name, w)
	state := widget.StyleBold.Render(string(l.State))
	switch {
	case p.deleted:
		state = widget.StyleBold.Render("deleted")
	case l.State == campaigns.CampaignRunning:
		state += fmt.Sprintf(": jtune %d measures it", l.PID)
	case l.State == campaigns.CampaignInterrupted && l.NoResume == "":
		state += ": " + p.read.Keys().Resume.Label() + " continues it"
	case l.State == campaigns.CampaignInterrupted:
		state += ": " + l.NoResume
	}
	return widget.Under(widget.StyleBold.Render(first), widget.Ends(" "+state,
		text.Count(l.Readings, "reading")+", began "+l.Header.Created.Format("2006-01-02 15:04"), w))
}

// remove asks whether to delete a campaign.
func (p *Page) remove(l task.Listed) page.Intent {
	if l.State == campaigns.CampaignRunning {
		return page.Say("delete: not while it runs")
	}
	return p.shelved(l).Delete(fmt.Sprintf("%s: its %s are forgotten by the model", l.Name,
		text.Count(l.Usable, "measured mode")))
}

// rename asks for the new name of a campaign.
func (p *Page) rename(l task.Listed) page.Intent {
	if l.State == campaigns.CampaignRunning {
		return page.Say("rename: not while it runs")
	}
	return p.shelved(l).Rename("its folder in the data directory gets this name")
}

func (p *Page) restore(l task.Listed) page.Intent {
	p.deleted = len(p.read.Deleted()) > 1
	if !p.deleted {
		p.chosen = "" // the list includes it again
	}
	return p.shelved(l).Restore()
}

func (p *Page) shelved(l task.Listed) page.Shelved {
	return page.Shelved{Shelf: p.read.Session().CampaignShelf(), Read: p.read, What: "campaign", Name: l.Name}
}

// listActs returns what the keys do with the campaign under the cursor, or with the deleted one.
func (p *Page) listActs() page.Acts {
	keys := p.read.Keys()
	l, some := p.under()
	shelf := p.shelved(l)
	open := page.On(keys.Open, func() page.Intent { return p.show(l) })
	compare := page.On(keys.Compare, func() { p.compare(l) })
	unmark := page.Quiet(keys.Back, p.marked != "", func() { p.marked = "" })
	if p.deleted {
		return page.Acts{unmark, page.On(keys.Restore.As("restore"), func() page.Intent { return p.restore(l) }), open,
			page.On(keys.Back.As("the list"), func() { p.deleted = false }),
			page.Quiet(keys.Compare, true, func() { p.compare(l) }),
			page.Quiet(keys.Rename, true, shelf.RestoreFirst), page.Quiet(keys.Delete, true, shelf.RestoreFirst)}
	}
	none := ""
	if len(p.read.Deleted()) == 0 {
		none = "none is deleted"
	}
	now, later := p.againActs()
	out := page.Acts{unmark, p.newAct()}
	if p.marked != "" {
		out = append(out, compare.As("compare with "+star))
	}
	if some {
		out = append(append(out, now...), open)
		if p.marked == "" {
			out = append(out, compare)
		}
		out = append(out, page.On(keys.Delete, func() page.Intent { return p.remove(l) }),
			page.On(keys.Rename, func() page.Intent { return p.rename(l) }),
			p.soakAct(),
			page.Quiet(keys.Right, true, func() page.Intent { return p.fold(l, true) }),
			page.Quiet(keys.Left, true, func() page.Intent { return p.fold(l, false) }))
	}
	out = append(append(out, page.On(keys.Restore.Unless(none), func() { p.deleted, p.marked = true, "" })), later...)
	if _, stop := p.endActs(); stop.Why == "" {
		out = append(out, page.Shown(keys.Pause), page.Shown(keys.Stop))
	}
	return out
}

// Rows below the list with details of the campaign under the cursor.
const (
	moreRows = 3
	moreH    = 14 // from this height on
)

// campaigns draws the list.
func (p *Page) campaigns(w, h int) string {
	keys := p.read.Keys()
	if len(p.entries()) == 0 {
		p.deleted = false
	}
	list := p.entries()
	if len(list) == 0 {
		say := "No campaign yet. Press " + keys.Tune.Label() + ": it asks for a workload and a limit, " +
			"measures a few power modes here, and answers with the best one. Press " + keys.New.Label() +
			" to measure modes of your choice: some that are chosen one at a time, random ones, a grid, or all that " +
			"pass a filter such as cores>=8. The board is restored."
		return widget.Fit("\n"+widget.Wrap(say, w), w, h)
	}
	p.settle()
	p.list.Cols = p.columns().At(func(i int) *task.Listed { return list[i] })
	title, note := "campaigns of this board, newest first", p.list.Search.Note()
	switch {
	case p.marked != "":
		title = star + " is marked: " + keys.Compare.Label() + " on another one compares the two"
	case p.deleted:
		title = "deleted, newest first: " + keys.Restore.Label() + " restores"
	}
	panel := p.read.Panel(title, note, p.list.Render)
	if h < moreH {
		return panel.Render(w, h)
	}
	l := list[p.list.Cursor]
	return widget.Under(panel.Render(w, h-moreRows), widget.Fit(p.more(*l, w), w, moreRows))
}

// columns are the columns of the list, with its mark and the counts of the running campaign and of parts.
func (p *Page) columns() report.Table[*task.Listed] {
	columns := task.Columns(p.read.ModeText)
	for i, c := range columns {
		switch c.Key {
		case "modes":
			columns[i].Text = p.modes
		case "":
			columns[i].Text = func(l *task.Listed) string {
				if l.Dir == p.marked {
					return star + " " + c.Text(l)
				}
				return c.Text(l)
			}
		}
	}
	return columns
}

// modes counts the modes of a campaign, those of a search with all its parts.
func (p *Page) modes(l *task.Listed) string {
	n := l.Readings
	if now := p.read.Task(); l.PID == os.Getpid() && now != nil && !now.Done() {
		n = len(now.Rows) // more recent than the list
	}
	if all := l.Header.Plan.Readings(); l.State != campaigns.CampaignFinished && all > 0 {
		return fmt.Sprintf("%d/%d", n, all)
	}
	var further []campaigns.Campaign
	for _, part := range parts(p.read.Campaigns(), l.Dir) {
		further = append(further, part.Campaign)
	}
	return fmt.Sprint(l.ModesWith(further))
}

// more describes what the list has no room for.
func (p *Page) more(l task.Listed, w int) string {
	lines := []string{
		fmt.Sprintf(" %s: %s with %s", l.Name, l.What(), l.Header.Workload.Name),
		fmt.Sprintf(" began %s; %s, %s usable", l.Header.Created.Format("2006-01-02 15:04"),
			text.Count(l.Readings, "reading"), text.Count(l.Usable, "mode")),
	}
	if l.Failed > 0 {
		lines[1] += fmt.Sprintf(", %s failed", text.Count(l.Failed, "mode"))
	}
	keys := p.read.Keys()
	switch {
	case p.marked != "":
		lines = append(lines, fmt.Sprintf(" %s compares it with the one marked %s", keys.Compare.Label(), star))
	case l.State == campaigns.CampaignInterrupted && l.NoResume == "" && p.read.Busy():
		lines = append(lines, " cut off: "+keys.Resume.Label()+" continues it when nothing else runs")
	case l.State == campaigns.CampaignInterrupted && l.NoResume == "":
		lines = append(lines, " cut off: "+keys.Resume.Label()+" continues it")
	case l.State == campaigns.CampaignInterrupted:
		lines = append(lines, " cut off: "+l.NoResume)
	}
	for i, line := range lines {
		lines[i] = widget.Cut(line, w)
	}
	lines[0] = widget.StyleBold.Render(lines[0])
	return strings.Join(lines, "\n")
}

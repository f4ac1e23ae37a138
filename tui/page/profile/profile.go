// Package profile is the page of campaigns: their list, one of them with what it measured, two
// side by side.
//
//	list ──enter──► one ──esc──► list        list ──d, d──► two ──esc──► list
package profile

import (
	"fmt"

	"jtune/tui/page"
	"jtune/tui/session/fit"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// view is a view of the page.
type view int

const (
	viewList view = iota
	viewOne       // this process's running campaign, another process's, or one of the list
	viewTwo       // comparison
)

// Page lists the board's campaigns and follows one of them: what is being measured, what was measured, and the front so
// far.
type Page struct {
	read  page.Reader
	view  view
	tab   widget.Table
	large int        // 1: table, 2: front, 3: upcoming modes
	seen  *page.Task // the last task that was shown automatically
	left  *page.Task // the search whose closing card was closed
	at    int        // index of the answer chosen on the card
	race  *race      // on the card; nil: none

	list     widget.Table
	deleted  bool            // the list shows deleted campaigns
	unfolded map[string]bool // folders of searches whose parts are shown
	chosen   string          // folder of the campaign under the cursor
	open     *page.Task      // opened from the list; nil: the running or last task
	kept     keptCard        // for the card of open
	entry    string          // folder of open
	marked   string          // folder of the campaign to compare with; "": none
	two      *comparison     // the shown comparison
	pair     widget.Table    // modes of the comparison
}

var (
	_ page.Page      = (*Page)(nil)
	_ page.Subjected = (*Page)(nil)
)

// New returns the page.
func New(read page.Reader) *Page {
	p := &Page{read: read}
	keys := read.Keys().ListKeys()
	p.tab = widget.Table{Keys: keys, Empty: "nothing measured yet"}
	p.list = widget.Table{Keys: keys}
	p.pair = widget.Table{Keys: keys, Empty: "no mode was measured by both"}
	return p
}

// Name implements page.Page.
func (p *Page) Name() page.Name { return page.Profile }

// running returns this process's running or failed campaign, otherwise another process's, otherwise this process's last
// one; nil if none.
func (p *Page) running() *page.Task {
	own, other := p.read.Task(), p.read.Followed()
	if own != nil && (own.Kind == task.Training || own.Kind == task.Pairing ||
		own.Kind == task.Verifying && own.Done()) {
		own = p.read.Searched()
	}
	if other != nil && (own == nil || own.Done() && own.Err == nil && !other.Done()) {
		return other
	}
	return own
}

// shown returns the shown campaign; nil on the list.
func (p *Page) shown() *page.Task {
	if now := p.running(); now != nil && now != p.seen { // show a new task automatically
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

// table returns the table that the list keys control.
func (p *Page) table() *widget.Table {
	switch p.view {
	case viewOne:
		return &p.tab
	case viewTwo:
		return &p.pair
	}
	return &p.list
}

// start starts a task that sets modes, if that is possible now. It first shows and asks if a resumed campaign's file
// would run something else than the user's configured workload.
func (p *Page) start(u *task.Interrupted, task *task.Task) page.Intent {
	if why := p.read.MayMeasure(); why != "" {
		return page.Say("not now: " + why)
	}
	begin := page.Start{Task: task, Again: true, Speed: p.read.Pace()}
	if u == nil || u.Differs == "" {
		return begin
	}
	return page.Ask{Do: "run what only the file names", Not: "leave it", Then: begin, Why: fmt.Sprintf("It runs with "+
		"your rights. The file is %s/campaign.toml, and your configuration says otherwise: %s", u.Dir, u.Differs)}
}

// reached reports whether a task belongs to another program that takes orders.
func (p *Page) reached(j *page.Task) bool {
	return j != nil && !j.Done() && j.Follows != nil && j.Follows.Reach != nil
}

// comparison is two campaigns side by side.
type comparison struct {
	fit.CampaignComparison
	says []string
}

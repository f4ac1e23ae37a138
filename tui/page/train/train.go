// Package train is the page for running a workload, in the present mode or in its best one.
package train

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/report"
	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// Page lists the workloads, runs one, and shows its minibatches.
type Page struct {
	read     page.Reader
	tab      widget.Table
	list     []workload.Workload // its rows: those that can run here come first
	large    trainPart           // the part that fills the page
	above    int                 // how many texts of advice the last drawing showed above the panels
	log      widget.LogPane
	tail     *tail                        // of the run's log; nil before a run
	told     int                          // number of epochs whose end is in the log
	job      *ownJob                      // nil: closed
	lastLine string                       // last command typed there
	set      map[string]workload.Workload // workloads as changed for runs, by name
	rows     widget.Table                 // measurements of a pair
	left     *page.Task                   // the pair whose answer was closed
}

// trainPart is a part of a run that can fill the page.
type trainPart int

const (
	trainAll trainPart = iota
	trainTimes
	trainLog
	numTrainParts
)

// LogRead carries new lines of a run's log, cleaned for display.
type LogRead struct {
	Lines []string
	From  *tail // to continue reading; nil: none
}

var (
	_ page.Page      = (*Page)(nil)
	_ page.Subjected = (*Page)(nil)
)

// New returns the page.
func New(read page.Reader) *Page {
	p := &Page{read: read, log: newLog(read), set: map[string]workload.Workload{}}
	columns := append(workloads.Columns(),
		report.Column[workload.Workload]{Title: "runs here", Width: 10, Text: p.runs})
	row := func(i int) workload.Workload { return p.asSet(p.list[i]) }
	p.tab = widget.Table{Keys: read.Keys().ListKeys(), Empty: "no workload known", Cols: columns.At(row),
		Parting: "not ready here"}
	p.rows = widget.Table{Keys: read.Keys().ListKeys(), Empty: "nothing measured yet"}
	return p
}

// Name implements page.Page.
func (p *Page) Name() page.Name { return page.Train }

// readLog reads the new lines of the log in a command.
func (p *Page) readLog() page.Intent {
	t := p.tail
	if t == nil {
		return nil
	}
	p.tail = nil // until the command returns it: one reader at a time
	if t.path == "" {
		t.path = p.read.Task().Log
	}
	return page.Run(func(context.Context) tea.Msg {
		lines := t.next()
		for i, line := range lines {
			lines[i] = printable(line)
		}
		return LogRead{lines, t}
	})
}

// tellEpochs adds a log line for each finished epoch.
func (p *Page) tellEpochs(j *page.Task) {
	if j.Character == nil {
		return
	}
	list := j.Character.Epochs
	for len(list)-1 > p.told {
		e := list[p.told]
		p.told++
		p.log.Add(fmt.Sprintf("jtune: epoch %d: %d minibatches in %s, %s ms each, stall %s", e.Epoch+1, e.Minibatches,
			widget.ClockText(e.Span), widget.MS(e.TimeMS), page.Percent(e.StallShare())))
	}
}

func newLog(read page.Reader) widget.LogPane {
	return widget.LogPane{Pager: widget.Pager{Keys: read.Keys().ListKeys()}}
}

func (p *Page) chosen() (workload.Workload, bool) {
	p.arrange()
	if p.tab.Cursor >= len(p.list) {
		return workload.Workload{}, false
	}
	return p.asSet(p.list[p.tab.Cursor]), true
}

// arrange lists the workloads as they are known now. The cursor stays on its workload, unless the one to preselect is
// new.
func (p *Page) arrange() {
	known, on := p.read.Workloads(), ""
	if p.tab.Cursor < len(p.list) {
		on = p.list[p.tab.Cursor].Name
	}
	if at := p.read.Work().First(); at < len(known) && rowOf(p.list, known[at].Name) < 0 {
		on = known[at].Name
	}
	p.list, p.tab.Parted = workloads.ReadyFirst(known, p.missing)
	p.tab.Rows, p.tab.Cursor = len(p.list), max(0, rowOf(p.list, on))
}

// rowOf returns the row of a workload; -1 if it has none.
func rowOf(list []workload.Workload, name string) int {
	return slices.IndexFunc(list, func(w workload.Workload) bool { return w.Name == name })
}

// missing returns what a workload is known to lack here, "" if nothing is.
func (p *Page) missing(w workload.Workload) string {
	what, _ := p.read.Work().Lacks(w)
	return cmp.Or(p.read.Session().Blocked(p.asSet(w)), what)
}

// asSet returns a workload with the settings chosen on this page.
func (p *Page) asSet(w workload.Workload) workload.Workload {
	if changed, ok := p.set[w.Name]; ok {
		changed.Elsewhere, changed.Attached = w.Elsewhere, w.Attached
		return changed
	}
	return w
}

// Typing reports whether all keys go to a dialog or a search.
func (p *Page) Typing() bool {
	_, tab := p.shows()
	return p.log.Typing() || tab != nil && tab.Search.Typing()
}

// listed reports whether the list of workloads is in view and has the keys; it is not while a job runs.
func (p *Page) listed() bool {
	j := p.shown()
	return p.pair() == nil && (j == nil || j.Done() && p.large == trainAll)
}

func (p *Page) running() bool { return p.read.Busy() && p.read.Task().Kind == task.Training }

// start runs the chosen workload until it is stopped.
func (p *Page) start(in measure.JobMode) page.Intent {
	w, ok := p.chosen()
	if !ok {
		return nil
	}
	if j := p.shown(); j != nil && j.Workload.Name == w.Name && unreadable(j) {
		p.job = p.jobOf(j)
		return nil
	}
	if p.read.Busy() {
		return page.Sayf("not now: busy %s", p.read.Task().Kind)
	}
	if why := p.read.Session().Refusal(w); why != "" {
		return page.Say(page.Words(why))
	}
	p.log, p.tail, p.told = newLog(p.read), &tail{}, 0
	begins := fmt.Sprintf("jtune: %s begins, %d samples a %s", w.Name, w.Batch, w.Noun())
	if w.Elsewhere != nil {
		begins = fmt.Sprintf("jtune: reading %v, which runs %s", w.Elsewhere, w.Name)
	} else if !w.Infers() {
		begins += fmt.Sprintf(", %d workers", w.Workers)
	}
	p.log.Add(begins)
	r := measure.RunRequest{Workload: w, Minibatches: endless, Mode: in, Log: p.read.Session().TrainLog(),
		Listen: w.Own && len(w.Command) > 0}
	return page.Start{Task: task.Run(r)}
}

// endless is practically unlimited: a run continues until stopped.
const endless = 1 << 30

// shown returns the shown run; nil if there was none.
func (p *Page) shown() *page.Task {
	if j := p.read.Task(); j != nil && j.Kind == task.Training {
		return j
	}
	return nil
}

// pair returns the shown search for a pair: while it runs, and after its end until it is closed; nil if none.
func (p *Page) pair() *page.Task {
	j := p.read.Task()
	if j == nil || j.Kind != task.Pairing || j.Done() && p.left == j {
		return nil
	}
	return j
}

// unset returns why no settings of a run can be changed here, or "".
func (p *Page) unset() string {
	if p.read.Board().Replay != "" {
		return "a replay holds one batch size"
	}
	return ""
}

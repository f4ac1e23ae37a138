// Package train is the page on which a workload runs in the mode that the board
// is in.
package train

import (
	"cmp"
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/tail"
	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// Page chooses a workload, runs it in the mode the board is in, and
// shows how its minibatches go.
type Page struct {
	read  page.Reader
	tab   widget.Table
	large trainPart // what fills the page
	above int       // how many texts of advice stand above all panels, as drawn last
	log   widget.LogPane
	tail  *tail.File                   // of the run's log; nil before
	told  int                          // epochs whose end the log tells
	edit  *settings                    // nil: closed
	set   map[string]workload.Workload // as changed for runs, by name
	rows  widget.Table                 // of a pair: what was measured
	left  *page.Task                   // the pair whose answer was left for the list
}

// trainPart is what may fill the page while a run is shown.
type trainPart int

const (
	trainAll trainPart = iota
	trainTimes
	trainLog
	numTrainParts
)

// LogRead brings what a run's job has said, fit to be shown.
type LogRead struct {
	Lines []string
	From  *tail.File // read further; nil: not
}

var _ page.Page = (*Page)(nil)

// New runs the workloads that are read.
func New(read page.Reader) *Page {
	p := &Page{read: read, log: newLog(read), set: map[string]workload.Workload{}}
	p.tab = widget.Table{Keys: read.Keys().ListKeys(), Empty: "no workload known", Cols: []widget.Column{
		{Title: "workload", Width: 18, Whole: true}, // as long as the longest built-in name
		{Title: "model", Width: 16, Drop: 1},
		{Title: "dataset", Width: 14, Drop: 3},
		{Title: "task", Width: 16, Drop: 6},
		{Title: "samples", Width: 8, Right: true, Drop: 5},
		{Title: "batch", Width: 5, Right: true, Drop: 2},
		{Title: "workers", Width: 7, Right: true, Drop: 4},
		{Title: "runs here", Width: 10},
	}}
	p.rows = newRows(read.Keys().ListKeys())
	return p
}

// Name is page.Page's.
func (p *Page) Name() page.Name { return page.Train }

// Update is page.Page's.
func (p *Page) Update(msg tea.Msg) page.Intent {
	switch msg := msg.(type) {
	case page.WorkloadsListed:
		p.tab.Cursor = p.read.Work().First()
	case page.Sampled:
		if p.running() {
			p.tellEpochs(p.read.Task())
			if p.read.Look().Shown == page.Train {
				return p.readLog()
			}
		}
	case page.TaskChanged:
		if msg.Task.Kind == task.Training {
			p.tellEpochs(msg.Task)
		}
	case page.TaskDone:
		if msg.Task.Kind == task.Training {
			p.tellEpochs(msg.Task)
			if err := msg.Task.Err; err != nil {
				p.log.Add("jtune: " + page.Words(err.Error()))
			}
			return p.readLog()
		}
	case LogRead:
		p.log.Add(msg.Lines...)
		if p.tail == nil {
			p.tail = msg.From
		}
		if msg.From != nil && msg.From.More {
			return p.readLog()
		}
	case tea.PasteMsg:
		if p.edit != nil {
			p.edit.Paste(msg)
			return nil
		}
		p.log.Paste(msg)
		p.tab.Paste(msg)
		p.rows.Paste(msg)
	}
	return nil
}

// readLog reads what the job has said since, off the screen's goroutine.
func (p *Page) readLog() page.Intent {
	t := p.tail
	if t == nil {
		return nil
	}
	p.tail = nil // until it is back: one reader at a time
	if t.Path == "" {
		t.Path = p.read.Task().Log
	}
	return page.Run(func(context.Context) tea.Msg {
		lines := t.Next()
		for i, line := range lines {
			lines[i] = printable(line)
		}
		return LogRead{lines, t}
	})
}

// tellEpochs writes each finished epoch into the log.
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

func newLog(read page.Reader) (l widget.LogPane) {
	l.Keys = read.Keys().ListKeys()
	return l
}

func (p *Page) chosen() (workload.Workload, bool) {
	if p.tab.Cursor >= len(p.read.Workloads()) {
		return workload.Workload{}, false
	}
	return p.asSet(p.read.Workloads()[p.tab.Cursor]), true
}

// asSet is a workload with the settings chosen here.
func (p *Page) asSet(w workload.Workload) workload.Workload {
	if changed, ok := p.set[w.Name]; ok {
		changed.Elsewhere, changed.Attached = w.Elsewhere, w.Attached
		return changed
	}
	return w
}

// Typing reports whether all keys go to the dialog or a search.
func (p *Page) Typing() bool {
	return p.edit != nil || p.log.Typing() || p.tab.Search.Typing() || p.pair() != nil && p.rows.Search.Typing()
}

func (p *Page) editKey(k tea.KeyPressMsg) (does page.Intent) {
	closed, taken := p.edit.Key(k)
	if taken {
		p.set[p.edit.workload.Name], does = p.edit.changed(), p.edit.joining()
	}
	if closed {
		p.edit = nil
	}
	return does
}

func (p *Page) openSettings() page.Intent {
	w, ok := p.chosen()
	if !ok {
		return nil
	}
	if why := p.unset(); why != "" {
		return page.Sayf("settings of %s: not here, %s", w.Name, why)
	}
	p.edit = newSettings(p.read.Keys(), w)
	return nil
}

// Key is page.Page's.
func (p *Page) Key(k tea.KeyPressMsg) (page.Intent, bool) {
	keys := p.read.Keys()
	if p.edit != nil {
		return p.editKey(k), true
	}
	if p.large == trainLog && p.log.Key(k) {
		return nil, true
	}
	if p.pair() != nil {
		return p.pairKey(k)
	}
	switch {
	case p.tab.Search.On() && p.tab.Key(k):
	case keys.Edit.Matches(k):
		return p.openSettings(), true
	case keys.Output.Matches(k) && p.shown() != nil:
		if p.large != trainLog {
			p.large = trainLog
		} else {
			p.large = trainAll
		}
	case p.tab.Key(k):
	case keys.Start.Matches(k):
		return p.start(), true
	case keys.Enlarge.Matches(k) && p.shown() != nil:
		p.large = (p.large + 1) % numTrainParts
	case keys.Back.Matches(k) && p.large != trainAll:
		p.large = trainAll
	case keys.Stop.Matches(k):
		if p.running() {
			return page.Stop{}, true
		}
	default:
		return nil, false
	}
	return nil, true
}

func (p *Page) running() bool { return p.read.Busy() && p.read.Task().Kind == task.Training }

// start runs the chosen workload in the present mode until it is stopped.
func (p *Page) start() page.Intent {
	w, ok := p.chosen()
	if !ok {
		return nil
	}
	if p.read.Busy() {
		return page.Sayf("not now: busy %s", p.read.Task().Kind)
	}
	if why := p.read.Session().Refusal(w); why != "" {
		return page.Sayf("%s", why)
	}
	p.log, p.tail, p.told = newLog(p.read), &tail.File{}, 0
	begins := fmt.Sprintf("jtune: %s begins, %d samples a %s", w.Name, w.Batch, w.Noun())
	if w.Elsewhere != nil {
		begins = fmt.Sprintf("jtune: reading %v, which runs %s", w.Elsewhere, w.Name)
	} else if !w.Infers() {
		begins += fmt.Sprintf(", %d workers", w.Workers)
	}
	p.log.Add(begins)
	r := measure.RunRequest{Workload: w, Minibatches: endless, Log: p.read.Session().TrainLog()}
	return page.Start{Task: task.Run(r)}
}

// endless is more minibatches than anyone waits for: a run goes on until it
// is stopped.
const endless = 1 << 30

// Hints is page.Page's.
func (p *Page) Hints() []widget.Action {
	keys := p.read.Keys()
	if p.edit != nil {
		return p.edit.Hints()
	}
	if p.pair() != nil {
		return p.pairHints()
	}
	busy := ""
	if p.read.Busy() {
		busy = "busy " + p.read.Task().Kind.String()
	}
	output := "nothing ran"
	if p.shown() != nil {
		output = ""
	}
	if p.large == trainLog {
		return append(p.log.Hints(), keys.Back.As("all"))
	}
	if p.tab.Search.On() {
		return p.tab.Search.Hints(p.tab.Keys)
	}
	if p.running() {
		return append([]widget.Action{keys.Stop, keys.Output, keys.Enlarge}, page.SpeedHints(p.read)...)
	}
	if w, ok := p.chosen(); ok {
		busy = cmp.Or(busy, p.read.Session().Blocked(w))
	}
	out := []widget.Action{
		keys.Up.With(keys.Down, "choose"),
		keys.Start.Unless(busy),
		keys.Edit.Unless(p.unset()),
		keys.Output.Unless(output),
		keys.Stop.Unless("nothing runs"),
		keys.Filter.As("search"),
	}
	return append(out, page.SpeedHints(p.read)...)
}

// shown is the run that the page shows; nil when there was none.
func (p *Page) shown() *page.Task {
	if j := p.read.Task(); j != nil && j.Kind == task.Training {
		return j
	}
	return nil
}

// Copied is the name of the chosen workload.
func (p *Page) Copied() string {
	w, _ := p.chosen()
	return w.Name
}

// Render draws the page.
func (p *Page) Render(w, h int) string {
	if p.edit != nil {
		return widget.Over(p.render(w, h), p.edit.Render(w, h), w, h)
	}
	return p.render(w, h)
}

func (p *Page) render(w, h int) string {
	if j := p.pair(); j != nil {
		return p.pairPage(j, w, h)
	}
	p.tab.Rows, p.tab.Cell = len(p.read.Workloads()), p.cell
	j := p.shown()
	list := p.read.Panel("Workloads", p.tab.Search.Note(), p.tab.Render)
	switch {
	case j == nil && h >= 14:
		return widget.Under(list.Render(w, h-4), widget.Fit(p.advice(w), w, 4))
	case j == nil:
		return list.Render(w, h)
	case p.large == trainTimes:
		return p.times(j).Render(w, h)
	case p.large == trainLog:
		return p.read.Panel("Log of "+j.Workload.Name, p.log.Note(), p.log.Render).Render(w, h)
	case j.Done() && h >= 20: // what may be started next stays in sight
		top := min(len(p.read.Workloads())+3, h/4+1)
		return widget.Under(list.Render(w, top), p.run(j, w, h-top))
	}
	return p.run(j, w, h)
}

func (p *Page) advice(w int) string {
	keys := p.read.Keys()
	return "\n" + widget.Wrap(keys.Start.Label()+" runs the workload in the mode the board is in now and changes "+
		"nothing; "+keys.Tune.Label()+" finds its best mode.", w)
}

func (p *Page) cell(row, col int) string {
	w := p.asSet(p.read.Workloads()[row])
	switch col {
	case 0:
		return w.Name
	case 1:
		return w.Model
	case 2:
		return w.Dataset
	case 3:
		return w.Task
	case 4:
		return widget.Positive(float64(w.Samples), 0)
	case 5:
		return widget.Positive(float64(w.Batch), 0)
	case 6:
		return fmt.Sprint(w.Workers)
	}
	return p.read.Session().RunsAs(w)
}

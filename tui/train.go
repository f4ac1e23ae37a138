package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/profiles"
	"jtune/tui/session"
)

// trainPage chooses a workload, runs it in the mode the board is in, and
// shows how its minibatches go.
type trainPage struct {
	sh    *shared
	tab   table
	large trainPart // what fills the page
	log   logPane
	tail  *tail                        // of the run's log; nil before
	told  int                          // epochs whose end the log tells
	edit  *runSettings                 // nil: closed
	set   map[string]profiles.Workload // as changed for runs, by name
}

// trainPart is what may fill the page while a run is shown.
type trainPart int

const (
	trainAll trainPart = iota
	trainTimes
	trainLog
	numTrainParts
)

// logMsg brings what a run's job has said.
type logMsg struct {
	lines []string
	from  *tail
}

func newTrainPage(sh *shared) *trainPage {
	p := &trainPage{sh: sh, set: map[string]profiles.Workload{}}
	p.tab = table{empty: "no workload known", cols: []column{
		{title: "workload", width: 11}, {title: "model", width: 16}, {title: "dataset", width: 14, drop: 2}, {title: "task", width: 16, drop: 5},
		{title: "samples", width: 8, right: true, drop: 4}, {title: "batch", width: 5, right: true, drop: 1}, {title: "workers", width: 7, right: true, drop: 3},
		{title: "runs here", width: 10}}}
	return p
}

func (p *trainPage) title() string { return "Train" }

func (p *trainPage) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case workloadsMsg:
		for i, w := range p.sh.workloads {
			if w.Name == p.sh.workload {
				p.tab.cursor = i
			}
		}
	case sampleMsg:
		if p.running() {
			p.tellEpochs(p.sh.job)
			if p.sh.page == pageTrain {
				return p.readLog()
			}
		}
	case jobNewsMsg:
		if msg.job.kind == jobRun {
			p.tellEpochs(msg.job)
		}
	case jobDoneMsg:
		if msg.job.kind == jobRun {
			p.tellEpochs(msg.job)
			if err := msg.job.err; err != nil {
				p.log.add("jtune: " + err.Error())
			}
			return p.readLog()
		}
	case logMsg:
		p.log.add(msg.lines...)
		if p.tail == nil {
			p.tail = msg.from
		}
		if msg.from.more {
			return p.readLog()
		}
	case tea.PasteMsg:
		if p.log.typing {
			p.log.typed += pasted(msg.Content, mostFilter-len(p.log.typed))
		}
	}
	return nil
}

// readLog reads what the job has said since, off the screen's goroutine.
func (p *trainPage) readLog() tea.Cmd {
	t := p.tail
	if t == nil {
		return nil
	}
	p.tail = nil // until it is back: one reader at a time
	return func() tea.Msg { return logMsg{t.next(), t} }
}

// tellEpochs writes each finished epoch into the log.
func (p *trainPage) tellEpochs(j *job) {
	if j.like == nil {
		return
	}
	list := j.like.Epochs
	for len(list)-1 > p.told {
		e := list[p.told]
		p.told++
		p.log.add(fmt.Sprintf("jtune: epoch %d: %d minibatches in %s, %s ms each, stall %s", e.Epoch+1, e.Minibatches, clockText(e.Span), ms(e.TimeMS), percent(e.StallShare())))
	}
}

// blocked gives the reason why a workload cannot run on this board, or "".
func (p *trainPage) blocked(w profiles.Workload) string {
	if !p.sh.board.Virtual && len(w.Command) == 0 && (w.Torch.Net == "" || w.Torch.Data == "") {
		return "no command"
	}
	return ""
}

func (p *trainPage) chosen() (profiles.Workload, bool) {
	if p.tab.cursor >= len(p.sh.workloads) {
		return profiles.Workload{}, false
	}
	return p.asSet(p.sh.workloads[p.tab.cursor]), true
}

// asSet is a workload with the settings chosen here.
func (p *trainPage) asSet(w profiles.Workload) profiles.Workload {
	if changed, ok := p.set[w.Name]; ok {
		return changed
	}
	return w
}

// typing tells whether all keys go to the dialog.
func (p *trainPage) typing() bool { return p.edit != nil || p.log.typing }

func (p *trainPage) editKey(k tea.KeyPressMsg) {
	closed, taken := p.edit.key(k)
	if taken {
		p.set[p.edit.workload.Name] = p.edit.changed()
	}
	if closed {
		p.edit = nil
	}
}

func (p *trainPage) openSettings() {
	w, ok := p.chosen()
	if !ok {
		return
	}
	if why := p.sh.fixed(w); why != "" {
		p.sh.say("settings of %s: not here, %s", w.Name, why)
		return
	}
	p.edit = newRunSettings(w)
}

func (p *trainPage) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	if p.edit != nil {
		p.editKey(k)
		return nil, true
	}
	if p.large == trainLog && p.log.key(k) {
		return nil, true
	}
	switch {
	case key.Matches(k, keys.Edit):
		p.openSettings()
	case key.Matches(k, keys.Output) && p.shown() != nil:
		if p.large != trainLog {
			p.large = trainLog
		} else {
			p.large = trainAll
		}
	case p.tab.key(k):
	case key.Matches(k, keys.Start):
		return p.start(), true
	case key.Matches(k, keys.Enlarge) && p.shown() != nil:
		p.large = (p.large + 1) % numTrainParts
	case key.Matches(k, keys.Back) && p.large != trainAll:
		p.large = trainAll
	case key.Matches(k, keys.Stop):
		if p.running() {
			p.sh.job.stop()
		}
	default:
		return nil, false
	}
	return nil, true
}

func (p *trainPage) running() bool { return p.sh.busy() && p.sh.job.kind == jobRun }

// start runs the chosen workload in the present mode until it is stopped.
func (p *trainPage) start() tea.Cmd {
	w, ok := p.chosen()
	if !ok {
		return nil
	}
	if p.sh.busy() {
		p.sh.say("not now: %s", "busy "+p.sh.job.kind.String())
		return nil
	}
	if why := p.blocked(w); why != "" {
		p.sh.say("%s cannot run on this board: give data = \"FOLDER\" under [torch], or command under [workload.%s], in the configuration file", w.Name, w.Name)
		return nil
	}
	p.sh.workload = w.Name
	h, log := p.sh.host, filepath.Join(p.sh.DataDir(), "train.log")
	err := profiles.MakeDir(filepath.Dir(log))
	if gone := os.Remove(log); err != nil || gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		log = "" // another user's: the run goes without
	}
	p.log, p.tail, p.told = logPane{}, &tail{path: log}, 0
	p.log.add(fmt.Sprintf("jtune: %s begins, %d samples a minibatch, %d workers", w.Name, w.Batch, w.Workers))
	return p.sh.launch(&job{kind: jobRun, workload: w}, false, func(ctx context.Context, j *job) jobDoneMsg {
		res, err := h.Run(ctx, session.RunRequest{Workload: w, Minibatches: endless, Log: log}, j.observe)
		if ctx.Err() != nil {
			err = nil
		}
		return jobDoneMsg{err: err, ran: &res}
	})
}

// endless is more minibatches than anyone waits for: a run goes on until it
// is stopped.
const endless = 1 << 30

func (p *trainPage) hints() []hint {
	if p.edit != nil {
		return p.edit.hints()
	}
	busy := ""
	if p.sh.busy() {
		busy = "busy " + p.sh.job.kind.String()
	}
	output := "nothing ran"
	if p.shown() != nil {
		output = ""
	}
	if p.large == trainLog {
		return append(p.log.hints(), hint{Binding: named(keys.Back, "all")})
	}
	if p.running() {
		return append([]hint{{Binding: keys.Stop}, {Binding: keys.Output}, {Binding: keys.Enlarge}}, speedHints(p.sh)...)
	}
	why := ""
	if w, ok := p.chosen(); ok {
		why = p.sh.fixed(w)
		busy = cmp.Or(busy, p.blocked(w))
	}
	out := append(valid(both(keys.Up, keys.Down, "choose")), unless(keys.Start, busy))
	return append(append(out, unless(keys.Edit, why), unless(keys.Output, output), unless(keys.Stop, "nothing runs")), speedHints(p.sh)...)
}

// shown is the run that the page tells of; nil when there was none.
func (p *trainPage) shown() *job {
	if j := p.sh.job; j != nil && j.kind == jobRun {
		return j
	}
	return nil
}

func (p *trainPage) copied() string {
	w, _ := p.chosen()
	return w.Name
}

// Render draws the page.
func (p *trainPage) Render(w, h int) string {
	if p.edit != nil {
		return over(p.render(w, h), p.edit.Render(w, h), w, h)
	}
	return p.render(w, h)
}

func (p *trainPage) render(w, h int) string {
	p.tab.rows, p.tab.cell = len(p.sh.workloads), p.cell
	j := p.shown()
	list := panel{"Workloads", "", p.tab.Render, p.sh.narrow}
	switch {
	case j == nil && h >= 14:
		return under(list.Render(w, h-4), fit(p.advice(w), w, 4))
	case j == nil:
		return list.Render(w, h)
	case p.large == trainTimes:
		return panel{"ms per minibatch", "", func(w, h int) string { return minibatchChart(j.times, w, h) }, p.sh.narrow}.Render(w, h)
	case p.large == trainLog:
		return panel{"Log of " + j.workload.Name, p.log.note(), p.log.Render, p.sh.narrow}.Render(w, h)
	case j.done && h >= 20: // what may be started next stays in sight
		top := min(len(p.sh.workloads)+3, h/4+1)
		return under(list.Render(w, top), p.run(j, w, h-top))
	}
	return p.run(j, w, h)
}

func (p *trainPage) advice(w int) string {
	return "\n" + wrap(keys.Start.Help().Key+" runs the workload in the mode the board is in now and changes nothing; "+keys.Tune.Help().Key+" finds its best mode.", w)
}

func (p *trainPage) cell(row, col int) string {
	w := p.asSet(p.sh.workloads[row])
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
		return positive(float64(w.Samples), 0)
	case 5:
		return positive(float64(w.Batch), 0)
	case 6:
		return fmt.Sprint(w.Workers)
	}
	if why := p.blocked(w); why != "" {
		return why
	}
	if p.sh.board.Replay != "" {
		return "replayed"
	}
	if p.sh.board.Virtual {
		return "simulated"
	}
	return "yes"
}

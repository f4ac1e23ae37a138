package tui

import (
	"context"
	"fmt"

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
	large bool                         // the minibatch times fill the page
	edit  *runSettings                 // nil: closed
	set   map[string]profiles.Workload // as changed for runs, by name
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
	if _, ok := msg.(workloadsMsg); ok {
		for i, w := range p.sh.workloads {
			if w.Name == p.sh.workload {
				p.tab.cursor = i
			}
		}
	}
	return nil
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
func (p *trainPage) typing() bool { return p.edit != nil }

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
	switch {
	case key.Matches(k, keys.Edit):
		p.openSettings()
	case key.Matches(k, keys.Up):
		p.tab.move(-1)
	case key.Matches(k, keys.Down):
		p.tab.move(1)
	case key.Matches(k, keys.Start):
		return p.start(), true
	case key.Matches(k, keys.Enlarge):
		p.large = !p.large
	case key.Matches(k, keys.Back) && p.large:
		p.large = false
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
	h := p.sh.host
	return p.sh.launch(&job{kind: jobRun, workload: w}, false, func(ctx context.Context, j *job) jobDoneMsg {
		res, err := h.Run(ctx, session.RunRequest{Workload: w, Minibatches: endless}, j.observe)
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
	out := append(valid(named(keys.Down, "choose")), unless(keys.Start, busy))
	stop := "nothing runs"
	if p.running() {
		stop = ""
	}
	why := ""
	if w, ok := p.chosen(); ok {
		why = p.sh.fixed(w)
	}
	return append(append(out, unless(keys.Stop, stop), unless(keys.Edit, why)), speedHints(p.sh)...)
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
	j := p.sh.job
	shown := j != nil && j.kind == jobRun
	list := panel{"Workloads", "", p.tab.Render, p.sh.narrow}
	if shown && p.large {
		return panel{"ms per minibatch", "", func(w, h int) string { return minibatchChart(j.times, w, h) }, p.sh.narrow}.Render(w, h)
	}
	if !shown || h < 12 {
		top := h
		if h >= 14 {
			top = h - 4
		}
		text := list.Render(w, top)
		if top < h {
			text = under(text, fit(p.advice(w), w, h-top))
		}
		if shown && h < 12 {
			return fit(p.summary(j, w), w, h)
		}
		return text
	}
	top := min(len(p.sh.workloads)+3, h/2-1)
	return under(list.Render(w, top), p.run(j, w, h-top))
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

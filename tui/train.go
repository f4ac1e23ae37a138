package tui

import (
	"context"
	"fmt"
	"math"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/profiles"
	"jtune/tegra"
	"jtune/tui/chart"
	"jtune/tui/session"
)

// trainPage chooses a workload, runs it in the mode the board is in, and
// shows how its minibatches go.
type trainPage struct {
	sh    *shared
	tab   table
	large bool // the minibatch times fill the page
}

func newTrainPage(sh *shared) *trainPage {
	p := &trainPage{sh: sh}
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
	return p.sh.workloads[p.tab.cursor], true
}

func (p *trainPage) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch {
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
	busy := ""
	if p.sh.busy() {
		busy = "busy " + p.sh.job.kind.String()
	}
	out := append(valid(named(keys.Down, "choose")), unless(keys.Start, busy))
	stop := "nothing runs"
	if p.running() {
		stop = ""
	}
	return append(append(out, unless(keys.Stop, stop)), speedHints(p.sh)...)
}

func (p *trainPage) copied() string {
	w, _ := p.chosen()
	return w.Name
}

// Render draws the page.
func (p *trainPage) Render(w, h int) string {
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
	return "\n" + wrap("enter runs the workload in the mode the board is in now and changes nothing; t finds its best mode.", w)
}

func (p *trainPage) cell(row, col int) string {
	w := p.sh.workloads[row]
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

// run draws a run: its numbers beside the minibatch times.
func (p *trainPage) run(j *job, w, h int) string {
	state := "running"
	if j.done {
		state = "ended"
	}
	title := fmt.Sprintf("%s %s", j.workload.Name, state)
	numbers := panel{title, "", func(w, _ int) string { return p.summary(j, w) }, p.sh.narrow}
	if w < 70 {
		return numbers.Render(w, h)
	}
	times := panel{"ms per minibatch", "", func(w, h int) string { return minibatchChart(j.times, w, h) }, false}
	left := 42
	return beside(numbers.Render(left, h), times.Render(w-left, h))
}

// summary is a run in numbers: while it runs the newest minibatch, at its end
// the medians.
func (p *trainPage) summary(j *job, w int) string {
	pr := j.progress
	count := fmt.Sprintf("minibatch  %d", pr.Minibatch)
	lines := []string{fmt.Sprintf("last       %s ms/minibatch", ms(pr.TimeMS)), count}
	t := median(j.times)
	if n := j.workload.MinibatchesPerEpoch(); n > 0 {
		lines[1] = fmt.Sprintf("epoch %d    minibatch %d of %d", 1+pr.Minibatch/n, pr.Minibatch%n, n)
		if t > 0 {
			lines = append(lines, fmt.Sprintf("an epoch   %.1f min, %.1f left", t*float64(n)/60000, t*float64(n-pr.Minibatch%n)/60000))
		}
	}
	watts := p.sh.sample.Reading.TotalW
	if j.ran != nil {
		watts = j.ran.PowerW
	}
	lines = append(lines, "power      "+unit(watts, 1, "W"))
	if t > 0 && watts.OK {
		lines = append(lines, "energy     "+joules(t*watts.V/1000)+" per minibatch")
	}
	lines = append(lines, "", p.parts(j, w))
	if j.err != nil {
		lines = append(lines, styleBad.Render(wrap(j.err.Error(), w)))
	} else if n := len(j.notes); n > 0 {
		lines = append(lines, styleDim.Render(wrap(j.notes[n-1], w)))
	}
	return strings.Join(lines, "\n")
}

// parts shows where the time of a minibatch goes.
func (p *trainPage) parts(j *job, w int) string {
	switch {
	case j.ran != nil && j.ran.TimeMS > 0:
		r := j.ran
		return fmt.Sprintf("median of %d: %s ms\n", r.Minibatches, ms(r.TimeMS)) + stallBar(r.StallMS, r.ComputeMS, r.OverheadMS, min(w, 40))
	case j.last != nil:
		return "newest minibatch\n" + stallBar(j.last.StallMS, j.last.ComputeMS, j.last.OverheadMS, min(w, 40))
	}
	return styleDim.Render("stall, compute and overhead come with the first minibatch")
}

// stallBar shares a minibatch out among waiting for data, computing and the
// rest, each with its own glyph and letter; no bar where a part is not known.
func stallBar(stall, compute, overhead tegra.Val[float64], w int) string {
	if !stall.OK || !compute.OK || !overhead.OK {
		return styleDim.Render("stall – compute – other –")
	}
	return chart.Stack([]chart.Part{{Value: stall.V, Glyph: '░'}, {Value: compute.V, Glyph: '█'}, {Value: overhead.V, Glyph: '▒'}}, w) +
		fmt.Sprintf("\n░ stall %.3g █ compute %.3g ▒ other %.3g", stall.V, compute.V, overhead.V)
}

// minibatchChart draws minibatch times, oldest left.
func minibatchChart(times []float64, w, h int) string {
	if len(times) == 0 {
		return "no minibatch yet"
	}
	var xs []float64
	most := 0.0
	for i, t := range times {
		xs = append(xs, float64(i-len(times)+1))
		if !math.IsInf(t, 0) {
			most = max(most, t)
		}
	}
	plot := chart.Plot{X: chart.Scale{Lo: min(float64(1-len(times)), -10), Hi: 0}, Y: chart.FromZero(most * 1.05), XName: "minibatches ago", YName: "ms"}
	plot.Line(xs, times, chart.InkSeries)
	return plot.Render(w, h, paint)
}

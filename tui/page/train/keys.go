package train

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// Update implements page.Page.
func (p *Page) Update(msg tea.Msg) page.Intent {
	switch msg := msg.(type) {
	case page.WorkloadsListed:
		return p.jobListed()
	case page.JobsFound:
		return p.jobsFound(msg)
	case page.Sampled:
		shown := p.read.Look().Shown == page.Train
		if p.running() {
			p.tellEpochs(p.read.Task())
			if shown {
				return p.readLog()
			}
		}
		if shown && !p.read.Busy() {
			return p.read.Work().Check(p.read.Board())
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
			if p.job != nil {
				return p.job.ended()
			}
			return p.readLog()
		}
	case LogRead:
		p.log.Add(msg.Lines...)
		if p.tail == nil {
			p.tail = msg.From
		}
		if msg.From != nil && msg.From.more {
			return p.readLog()
		}
	case tea.PasteMsg:
		if p.job != nil {
			return nil
		}
		p.log.Paste(msg)
		p.tab.Paste(msg)
		p.rows.Paste(msg)
	}
	return nil
}

// jobsFound opens what waited for the jobs that can run: the dialog for a search, or the question for a command.
func (p *Page) jobsFound(m page.JobsFound) page.Intent {
	ready, tune := p.read.Work().Found(m)
	switch {
	case !tune:
		return nil
	case ready:
		return page.AskTune{}
	}
	return page.All{page.Open(page.Train), p.openJob()}
}

func (p *Page) openSettings() page.Intent {
	w, ok := p.chosen()
	if !ok {
		return nil
	}
	if why := p.unset(); why != "" {
		return page.Sayf("settings of %s: not here, %s", w.Name, why)
	}
	return p.settings(w)
}

// Acts implements page.Page.
func (p *Page) Acts() page.Acts {
	if p.job != nil {
		return p.job.acts()
	}
	keys := p.read.Keys()
	out, tab := p.shows()
	switch {
	case tab != nil:
		out = append(page.Acts{page.Rows(tab)}, out...)
	case p.large == trainLog:
		ofRow := []string{keys.Start.ID, keys.StartBest.ID, keys.Edit.ID, keys.OwnJob.ID} // which is off screen
		rest := slices.DeleteFunc(out, func(a page.Act) bool { return slices.Contains(ofRow, a.ID) })
		out = append(page.Acts{page.In(p.log.Key, append(p.log.Hints(), keys.Back.As("all")))}, rest...)
	}
	return append(out, page.Speeds(p.read)...)
}

// shows returns what the keys do with what is shown, and the table that has the keys; nil if none has.
func (p *Page) shows() (page.Acts, *widget.Table) {
	switch j := p.pair(); {
	case j != nil:
		return p.pairActs(j), &p.rows
	case p.listed():
		return p.acts(), &p.tab
	}
	return p.acts(), nil
}

// acts returns what the keys do with the running job, or with the chosen workload.
func (p *Page) acts() page.Acts {
	keys, j := p.read.Keys(), p.shown()
	start := func() page.Intent { return p.start(measure.JobMode{}) }
	best := func() page.Intent { return p.start(measure.JobMode{Name: measure.JobBest}) }
	output := page.On(keys.Output, func() {
		if p.large != trainLog {
			p.large = trainLog
		} else {
			p.large = trainAll
		}
	})
	enlarge := func() { p.large = (p.large + 1) % numTrainParts }
	quiet := page.Acts{
		page.Quiet(keys.Enlarge, j != nil, enlarge),
		page.Quiet(keys.Back, p.large != trainAll, func() { p.large = trainAll }),
		page.Quiet(keys.Start, true, start),
		page.Quiet(keys.StartBest, true, best),
		page.Quiet(keys.OwnJob, true, p.openJob),
		page.Quiet(keys.Edit, true, p.openSettings),
	}
	if p.running() {
		stop := page.On(keys.Stop, func() page.Intent { return page.Stop{} })
		out := page.Acts{stop, output, page.Shown(keys.Enlarge)}
		if unreadable(j) {
			out = slices.Insert(out, 0, page.On(keys.Start.As("its lines"), start))
		}
		return append(out, quiet...)
	}
	busy := ""
	if p.read.Busy() {
		busy = "busy " + p.read.Task().Kind.String()
	}
	if j == nil {
		output.Why = "nothing ran"
	}
	if w, ok := p.chosen(); ok {
		busy = cmp.Or(busy, p.read.Session().Blocked(w))
	}
	return append(page.Acts{
		page.Shown(keys.Up.With(keys.Down, "choose")),
		page.On(keys.Start.Unless(busy), start),
		page.On(keys.StartBest.Unless(busy), best),
		page.On(keys.OwnJob.Unless(cmp.Or(p.noJob(), busy)), p.openJob),
		page.On(keys.Edit.Unless(p.unset()), p.openSettings),
		output,
		page.Shown(keys.Stop.Unless("nothing runs")),
		page.Shown(keys.Filter.As("search")),
	}, quiet...)
}

// Subject implements page.Subjected: it is the chosen workload, while its list or run is shown.
func (p *Page) Subject() string {
	if _, tab := p.shows(); tab == &p.rows {
		return ""
	}
	w, _ := p.chosen()
	return w.Name
}

// Copied returns the name of the chosen workload.
func (p *Page) Copied() string {
	w, _ := p.chosen()
	return w.Name
}

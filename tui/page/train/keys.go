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
		p.tab.Cursor = p.read.Work().First()
		return p.jobListed()
	case page.JobsFound:
		if p.read.Work().Found(msg) {
			return page.AskTune{}
		}
		if why := p.openJob(); why != nil {
			return why
		}
		return page.Open(page.Train)
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
		if msg.From != nil && msg.From.More {
			return p.readLog()
		}
	case tea.PasteMsg:
		switch {
		case p.edit != nil:
			p.edit.Paste(msg)
			return nil
		case p.job != nil:
			p.job.paste(msg)
			return nil
		}
		p.log.Paste(msg)
		if p.listed() {
			p.tab.Paste(msg)
		}
		p.rows.Paste(msg)
	}
	return nil
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

// Key implements page.Page.
func (p *Page) Key(k tea.KeyPressMsg) (page.Intent, bool) {
	keys := p.read.Keys()
	if p.edit != nil {
		return p.editKey(k), true
	}
	if p.job != nil {
		return p.jobKey(k)
	}
	if p.large == trainLog {
		if p.log.Key(k) {
			return nil, true
		}
		if keys.Start.Matches(k) || keys.StartBest.Matches(k) || keys.Edit.Matches(k) ||
			keys.OwnJob.Matches(k) { // the row is off screen
			return nil, false
		}
	}
	if p.pair() != nil {
		return p.pairKey(k)
	}
	switch {
	case p.listed() && p.tab.Search.On() && p.tab.Key(k):
	case keys.OwnJob.Matches(k):
		return p.openJob(), true
	case keys.Edit.Matches(k):
		return p.openSettings(), true
	case keys.Output.Matches(k) && p.shown() != nil:
		if p.large != trainLog {
			p.large = trainLog
		} else {
			p.large = trainAll
		}
	case p.listed() && p.tab.Key(k):
	case keys.Start.Matches(k):
		return p.start(measure.JobMode{}), true
	case keys.StartBest.Matches(k):
		return p.start(measure.JobMode{Name: measure.JobBest}), true
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

// Hints implements page.Page.
func (p *Page) Hints() []widget.Action {
	keys := p.read.Keys()
	if p.edit != nil {
		return p.edit.Hints()
	}
	if p.job != nil {
		return p.job.hints()
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
	if p.listed() && p.tab.Search.On() {
		return p.tab.Search.Hints(p.tab.Keys)
	}
	if p.running() {
		out := []widget.Action{keys.Stop, keys.Output, keys.Enlarge}
		if unreadable(p.shown()) {
			out = slices.Insert(out, 0, keys.Start.As("its lines"))
		}
		return append(out, page.SpeedHints(p.read)...)
	}
	if w, ok := p.chosen(); ok {
		busy = cmp.Or(busy, p.read.Session().Blocked(w))
	}
	out := []widget.Action{
		keys.Up.With(keys.Down, "choose"),
		keys.Start.Unless(busy),
		keys.StartBest.Unless(busy),
		keys.OwnJob.Unless(cmp.Or(p.noJob(), busy)),
		keys.Edit.Unless(p.unset()),
		keys.Output.Unless(output),
		keys.Stop.Unless("nothing runs"),
		keys.Filter.As("search"),
	}
	return append(out, page.SpeedHints(p.read)...)
}

// Subject implements page.Subjected: it is the chosen workload, while its list or run is shown.
func (p *Page) Subject() string {
	if p.pair() != nil {
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

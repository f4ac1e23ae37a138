package models

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/session/models"
	"jtune/tui/widget"
)

// Update implements page.Page.
func (p *Page) Update(msg tea.Msg) page.Intent {
	switch msg := msg.(type) {
	case page.ModelsListed:
		p.fill(msg)
		return page.All{page.Fail{What: "models", Err: msg.Err}, p.loadFitted(), p.look()}
	case tea.PasteMsg:
		p.tab.Paste(msg)
	case Assessed:
		p.studies[idOf(msg.Of)] = &msg.Assessment
	case plotMsg:
		p.plots[msg.plotKey] = &msg.figure
	case comparisonMsg:
		p.versus = msg.c
	case refitMsg:
		p.fitting = ""
		p.stopFit()
		switch {
		case errors.Is(msg.err, context.Canceled):
			return page.Sayf("fit stopped: %s is not kept", msg.name)
		case msg.err != nil:
			return page.Fail{What: "fit", Err: msg.err}
		default:
			p.fitted, p.deleted = msg.name, false
			return page.All{page.Sayf("fitted: %s", msg.name), page.ListModels{}}
		}
	}
	return nil
}

// loadFitted loads the model that was just fitted, with the cursor on it.
func (p *Page) loadFitted() page.Intent {
	at := slices.IndexFunc(p.list, func(info models.Info) bool { return p.fitted != "" && info.Name == p.fitted })
	if at < 0 {
		return nil
	}
	p.fitted, p.tab.Cursor = "", at
	return p.load()
}

// Key implements page.Page.
func (p *Page) Key(k tea.KeyPressMsg) (page.Intent, bool) {
	keys := p.read.Keys()
	if p.fit != nil {
		return p.dialogKey(k), true
	}
	switch {
	case p.tab.Key(k):
	case keys.Enlarge.Matches(k):
		p.large = (p.large + 1) % 3
	case keys.Back.Matches(k) && p.large > 0:
		p.large = 0
	case keys.Load.Matches(k):
		return p.load(), true
	case keys.Recall.Matches(k):
		return page.Recall{Workload: p.Subject()}, true
	case keys.Refit.Matches(k):
		return p.refit(), true
	case keys.NextPlot.Matches(k):
		p.view = (p.view + 1) % numModelPlots
	case keys.Mark.Matches(k):
		return page.All{p.mark(), p.look()}, true
	default:
		does, taken := p.manageKey(k)
		if !taken {
			return nil, false
		}
		return page.All{does, p.look()}, true
	}
	return p.look(), true
}

func (p *Page) dialogKey(k tea.KeyPressMsg) page.Intent {
	closed, fit := p.fit.Key(k)
	d := p.fit
	if closed {
		p.fit = nil
	}
	if !fit {
		return nil
	}
	halt, stop := context.WithCancel(context.Background())
	p.fitting, p.stopFit = d.name(), stop
	work := d.fit(halt, p.read.Session())
	return page.Compute(func(ctx context.Context) tea.Msg {
		defer context.AfterFunc(ctx, stop)()
		return work()
	})
}

// refit opens the fit dialog for the chosen model, or stops the running fit.
func (p *Page) refit() page.Intent {
	info, ok := p.chosen()
	switch {
	case p.fitting != "":
		p.stopFit()
		return page.Sayf("stopping the fit of %s …", p.fitting)
	case !ok || info.Model == nil:
	case p.deleted:
		return p.shelved(info).RestoreFirst()
	default:
		p.fit = newFitDialog(p.read.Keys(), info, p.list)
	}
	return nil
}

// mark marks the chosen model for comparison with others, or removes the mark.
func (p *Page) mark() page.Intent {
	info, ok := p.chosen()
	switch {
	case !ok || info.Model == nil:
	case p.deleted:
		return p.shelved(info).RestoreFirst()
	case p.marked == idOf(info):
		p.marked = modelID{}
	default:
		p.marked, p.view = idOf(info), plotCompare
		return page.Sayf("marked %s: move to another model to compare", info.Name)
	}
	return nil
}

// look starts to compute what the shown plot needs, once.
func (p *Page) look() page.Intent {
	info, ok := p.chosen()
	if !ok || info.Model == nil {
		return nil
	}
	var out page.All
	id := idOf(info)
	if _, known := p.studies[id]; !known {
		p.studies[id] = nil
		out = append(out, assess(info))
	}
	if key := (plotKey{id, p.view}); worksOut[p.view] != nil {
		if _, known := p.plots[key]; !known {
			p.plots[key] = nil
			out = append(out, workOut(p.read.Session(), p.view, info))
		}
	}
	if p.view == plotCompare {
		other, ok := p.markedInfo()
		if ok && p.marked != id && !p.versus.of(other, info) && p.ours(info) && p.ours(other) {
			out = append(out, compareModels(other, info, p.read.Space(), p.read.Limit()))
		}
	}
	return out
}

func (p *Page) load() page.Intent {
	info, ok := p.chosen()
	if !ok {
		return nil
	}
	switch {
	case p.deleted:
		return p.shelved(info).RestoreFirst()
	case info.Model == nil:
		return page.Fail{What: "model " + info.Name, Err: info.Err}
	}
	if why := models.Foreign(info.Model, p.read.Space()); why != "" {
		return page.Say("not loaded: " + why)
	}
	return page.Load{Model: info}
}

// Hints implements page.Page.
func (p *Page) Hints() []widget.Action {
	keys := p.read.Keys()
	switch {
	case p.fit != nil:
		return p.fit.Hints()
	case p.tab.Search.On():
		return p.tab.Search.Hints(p.tab.Keys)
	case p.deleted:
		return p.deletedHints()
	}
	why := ""
	if len(p.list) == 0 {
		why = "no model"
	}
	fit := keys.Refit.Unless(why)
	if p.fitting != "" {
		fit = keys.Refit.As("stop the fit")
	}
	mark := why
	if len(p.list) == 1 {
		mark = "no other model"
	}
	return []widget.Action{
		keys.Up.With(keys.Down, "choose"),
		keys.Load.Unless(why),
		keys.NextPlot.Unless(why),
		fit,
		keys.Mark.Unless(mark),
		keys.Recall.Unless(why),
		keys.Enlarge,
		keys.Delete.Unless(why),
		keys.Rename.Unless(why),
		keys.Restore.Unless(p.noneAside()),
		keys.Filter.As("search"),
	}
}

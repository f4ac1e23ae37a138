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
	}
	return nil
}

// refitted takes the result of fitting by another method.
func (p *Page) refitted(name string, err error) page.Intent {
	p.fitting = ""
	p.stopFit()
	switch {
	case errors.Is(err, context.Canceled):
		return page.Sayf("fit stopped: %s is not kept", name)
	case err != nil:
		return page.Fail{What: "fit", Err: err}
	}
	p.fitted, p.deleted = name, false
	return page.All{page.Sayf("fitted: %s", name), page.ListModels{}}
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

// Acts implements page.Page. After each key the shown plot may need something.
func (p *Page) Acts() page.Acts {
	return append(page.Acts{page.Rows(&p.tab)}, p.acts()...).After(p.look)
}

// refit opens the fit dialog for the chosen model, or stops the running fit.
func (p *Page) refit() page.Intent {
	info, ok := p.chosen()
	switch {
	case p.fitting != "":
		p.stopFit()
		return page.Sayf("stopping the fit of %s …", p.fitting)
	case !ok || info.Model == nil:
	default:
		return p.askToFit(info)
	}
	return nil
}

// mark marks the chosen model for comparison with others, or removes the mark.
func (p *Page) mark() page.Intent {
	info, ok := p.chosen()
	switch {
	case !ok || info.Model == nil:
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
	if key := (plotKey{id, p.view}); drawings[p.view].works != nil {
		if _, known := p.plots[key]; !known {
			p.plots[key] = nil
			out = append(out, p.workOut(key, info.Model))
		}
	}
	if p.view == plotCompare {
		other, ok := p.markedInfo()
		if ok && p.marked != id && !p.versus.of(other, info) && p.ours(info) && p.ours(other) {
			out = append(out, p.compareModels(other, info))
		}
	}
	return out
}

func (p *Page) load() page.Intent {
	info, ok := p.chosen()
	if !ok {
		return nil
	}
	if info.Model == nil {
		return page.Fail{What: "model " + info.Name, Err: info.Err}
	}
	if why := models.Foreign(info.Model, p.read.Space()); why != "" {
		return page.Say("not loaded: " + why)
	}
	return page.Load{Model: info}
}

// acts returns what the keys do with the chosen model, or with the chosen deleted one.
func (p *Page) acts() page.Acts {
	keys := p.read.Keys()
	info, _ := p.chosen()
	shelf, choose := p.shelved(info), page.Shown(keys.Up.With(keys.Down, "choose"))
	search := page.Shown(keys.Filter.As("search"))
	plot := func() { p.view = (p.view + 1) % numModelPlots }
	enlarge := page.On(keys.Enlarge, func() { p.large = (p.large + 1) % 3 })
	back := page.Quiet(keys.Back, p.large > 0, func() { p.large = 0 })
	recall := func() page.Intent { return page.Recall{Workload: p.Subject()} }
	if p.deleted {
		out := page.Acts{back, page.On(keys.Restore.As("restore"), shelf.Restore),
			page.On(keys.Back.As("the list"), func() { p.turn(false) }), choose, page.On(keys.NextPlot, plot), enlarge,
			search, page.Quiet(keys.Recall, true, recall)}
		for _, a := range []widget.Action{keys.Load, keys.Refit, keys.Mark, keys.Rename, keys.Delete} {
			out = append(out, page.Quiet(a, true, shelf.RestoreFirst))
		}
		return out
	}
	none, other, aside := "", "", ""
	switch len(p.list) {
	case 0:
		none, other = "no model", "no model"
	case 1:
		other = "no other model"
	}
	if len(p.aside) == 0 {
		aside = "none is deleted"
	}
	fit := keys.Refit.Unless(none)
	if p.fitting != "" {
		fit = keys.Refit.As("stop the fit")
	}
	return page.Acts{back, choose,
		page.On(keys.Load.Unless(none), p.load),
		page.On(keys.NextPlot.Unless(none), plot),
		page.On(fit, p.refit),
		page.On(keys.Mark.Unless(other), p.mark),
		page.On(keys.Recall.Unless(none), recall),
		enlarge,
		page.On(keys.Delete.Unless(none), func() page.Intent { return p.remove(info) }),
		page.On(keys.Rename.Unless(none), func() page.Intent {
			return shelf.Rename("searches and commands find it by this name")
		}),
		page.On(keys.Restore.Unless(aside), func() { p.turn(true) }),
		search,
	}
}

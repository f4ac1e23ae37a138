// Package models is the page of fitted models: how far each can be trusted, and how two of them differ.
package models

import (
	"context"

	"jtune/internal/figure"
	"jtune/optimize/outlook"
	"jtune/tui/page"
	"jtune/tui/session/models"
	"jtune/tui/widget"
)

// Page lists the models and how far they can be trusted.
type Page struct {
	read    page.Reader
	list    []models.Info
	aside   []models.Info // deleted, can be restored
	deleted bool          // aside is shown instead of list
	tab     widget.Table
	fitting string // the model being fitted; "": none
	fitted  string // the model to load once it is listed; "": none
	stopFit context.CancelFunc
	large   int // 1: the plot fills the page; 2: the description does
	view    modelPlot
	marked  modelID                         // zero: none
	studies map[modelID]*outlook.Assessment // nil value: being computed
	plots   map[plotKey]*figure.Figure      // nil value: being computed
	versus  *comparison
	listed  bool // the folder was read
}

var (
	_ page.Page      = (*Page)(nil)
	_ page.Subjected = (*Page)(nil)
)

// New creates the page; page.ModelsListed delivers the models.
func New(read page.Reader) *Page {
	p := &Page{read: read, studies: map[modelID]*outlook.Assessment{}, plots: map[plotKey]*figure.Figure{}}
	empty := "no model yet: " + read.Keys().Tune.Label() + " tunes a workload and keeps its model here"
	entry := func(i int) models.Info { return p.entries()[i] }
	p.tab = widget.Table{Keys: read.Keys().ListKeys(), Empty: empty, Cols: models.Columns(read.Now).At(entry)}
	p.tab.Cols[0].Text = func(i int) string {
		if idOf(entry(i)) == p.marked && entry(i).Model != nil {
			return "+" + entry(i).Name
		}
		return entry(i).Name
	}
	return p
}

// Name implements page.Page.
func (p *Page) Name() page.Name { return page.Models }

// Typing reports whether all keys go to the dialog or a search.
func (p *Page) Typing() bool { return p.tab.Search.Typing() }

// ours reports whether a model belongs to this board.
func (p *Page) ours(info models.Info) bool {
	return models.Foreign(info.Model, p.read.Space()) == ""
}

func (p *Page) markedInfo() (models.Info, bool) {
	for _, info := range p.list {
		if info.Model != nil && idOf(info) == p.marked {
			return info, true
		}
	}
	return models.Info{}, false
}

func (p *Page) chosen() (models.Info, bool) {
	list := p.entries()
	if p.tab.Cursor >= len(list) {
		return models.Info{}, false
	}
	return list[p.tab.Cursor], true
}

// Subject implements page.Subjected: it is the workload of the chosen model.
func (p *Page) Subject() string {
	info, ok := p.chosen()
	if !ok {
		return ""
	}
	return info.Workload()
}

// Copied returns the path of the chosen model.
func (p *Page) Copied() string {
	info, _ := p.chosen()
	return info.Path
}

// entries returns the models that the table lists.
func (p *Page) entries() []models.Info {
	if p.deleted {
		return p.aside
	}
	return p.list
}

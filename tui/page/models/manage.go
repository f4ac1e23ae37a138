package models

import (
	"fmt"

	"jtune/tui/page"
	"jtune/tui/session/models"
)

// fill stores a new list and keeps the cursor on its model.
func (p *Page) fill(msg page.ModelsListed) {
	was, _ := p.chosen()
	p.list, p.aside, p.listed = msg.List, msg.Deleted, true
	p.turn(p.deleted)
	for i, info := range p.entries() {
		if info.Name == was.Name {
			p.tab.Cursor = i
		}
	}
}

// turn shows the models, or the deleted ones if there are any.
func (p *Page) turn(deleted bool) {
	p.deleted = deleted && len(p.aside) > 0
	p.tab.Rows = len(p.entries())
	p.tab.Move(0)
}

// remove asks whether to delete a model.
func (p *Page) remove(info models.Info) page.Intent {
	why := info.Name + ": its file is moved aside"
	if m := info.Model; m != nil && m.Provenance.Pool != "" {
		why = fmt.Sprintf("%s: its %s stay in their campaigns, and the next measurement fits them again",
			info.Name, m.Learned())
	}
	return p.shelved(info).Delete(why)
}

func (p *Page) shelved(info models.Info) page.Shelved {
	return page.Shelved{Shelf: p.read.Session().ModelShelf(), Read: p.read, What: "model", Name: info.Name}
}

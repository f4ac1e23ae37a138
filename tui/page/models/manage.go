package models

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/session/models"
	"jtune/tui/widget"
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

// manageKey handles the keys that rename, delete and restore.
func (p *Page) manageKey(k tea.KeyPressMsg) (does page.Intent, taken bool) {
	keys := p.read.Keys()
	info, ok := p.chosen()
	rename, remove, restore := keys.Rename.Matches(k), keys.Delete.Matches(k), keys.Restore.Matches(k)
	switch {
	case p.deleted && p.large == 0 && keys.Back.Matches(k):
		p.turn(false)
	case restore && !p.deleted && p.noneAside() == "":
		p.turn(true)
	case restore && p.deleted:
		return p.shelved(info).Restore(), true
	case p.deleted && (rename || remove):
		return p.shelved(info).RestoreFirst(), true
	case ok && rename:
		return p.shelved(info).Rename("searches and commands find it by this name"), true
	case ok && remove:
		return p.remove(info), true
	default:
		return nil, false
	}
	return nil, true
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
	return page.Shelved{Shelf: p.read.Session().ModelShelf(), What: "model", Name: info.Name,
		Restoring: p.read.Keys().Restore.Label()}
}

// noneAside returns why there is no deleted model to show, or "".
func (p *Page) noneAside() string {
	if len(p.aside) == 0 {
		return "none is deleted"
	}
	return ""
}

// deletedHints returns the keys of the list of deleted models.
func (p *Page) deletedHints() []widget.Action {
	keys := p.read.Keys()
	return []widget.Action{keys.Restore.As("restore"), keys.Back.As("the list"), keys.Up.With(keys.Down, "choose"),
		keys.NextPlot, keys.Enlarge, keys.Filter.As("search")}
}

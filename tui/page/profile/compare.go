package profile

import (
	"fmt"
	"strings"

	"jtune/tui/session/campaigns"
	"jtune/tui/session/fit"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// compare marks a campaign, or compares it with the marked one.
func (p *Page) compare(l task.Listed) {
	other, ok := p.find(p.marked)
	switch {
	case !ok:
		p.marked = l.Dir
		return
	case other.Dir == l.Dir:
		p.marked = ""
		return
	}
	c := fit.CompareCampaigns(other.Campaign, l.Campaign)
	p.two, p.view, p.marked, p.pair.Cursor = &comparison{c, c.Conclusion()}, viewTwo, "", 0
}

// compared draws the comparison.
func (p *Page) compared(w, h int) string {
	c := p.two
	head := []string{}
	for i, one := range []campaigns.Campaign{c.One, c.Other} {
		line := fmt.Sprintf(" %s %s: %s, %d usable", [...]string{"first", "then "}[i], one.Name, one.What(),
			c.Usable[i])
		head = append(head, widget.StyleBold.Render(widget.Cut(line, w)))
	}
	says := strings.Split(widget.Wrap(strings.Join(c.says, " "), w-1), "\n")
	for i := range says {
		says[i] = " " + says[i]
	}
	top := append(head, says[:min(len(says), max(1, h/2-2))]...)
	p.pair.Rows = len(c.Common)
	p.pair.Cols = c.Columns(p.read.ModeText).At(func(i int) fit.Compared { return c.Common[i] })
	panel := p.read.Panel("modes that both measured", p.pair.Search.Note(), p.pair.Render)
	return widget.Fit(widget.Under(strings.Join(top, "\n"), panel.Render(w, max(1, h-len(top)))), w, h)
}

// find returns the campaign of a folder.
func (p *Page) find(dir string) (task.Listed, bool) {
	for _, l := range p.entries() {
		if l.Dir == dir {
			return *l, true
		}
	}
	return task.Nothing, false
}

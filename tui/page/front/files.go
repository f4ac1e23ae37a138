package front

import (
	"strings"

	"jtune/internal/figure"
	"jtune/optimize/serving"
	"jtune/tui/export"
	"jtune/tui/page"
	"jtune/tui/session/plots"
)

// Copied returns the mode under the cursor.
func (c *cloudView) Copied() string { return c.read.ModeText(c.read.Outlook().Known[c.cursor].Mode) }

// figure returns the map or the curves around the mode under the cursor.
func (c *cloudView) figure() figure.Figure {
	v := c.read.Outlook()
	f := c.picture.figure(v, v.Known[c.cursor].Mode, c.read.Limit())
	if c.picture.drawn == drawMap {
		c.path(&f)
	}
	return f
}

// Files exports the drawn front, and its members as a table.
func (c *cloudView) Files() ([]page.File, error) {
	if c.picture.drawn != drawCloud {
		return page.FigureFiles(c.figure())
	}
	if s := c.read.Served(); s != nil {
		return c.servedFiles(s)
	}
	v := c.read.Outlook()
	points := export.Points{Known: v.Known, Standings: v.Standings(c.read.Limit()), Virtual: v.Model.Provenance.Virtual}
	members := export.NewCloud(points, c.front())
	f := plots.CloudOf(v, c.trade())
	x, y := c.scales()
	f.X.Part, f.Panels[0].Axis.Part = &x, &y
	xs, ys := c.columns()
	mark := func(at int, name string) {
		f.Panels[0].Marks = append(f.Panels[0].Marks, figure.Mark{Point: figure.At(xs[at], ys[at]), Name: name})
	}
	for _, m := range c.marks() {
		mark(m.At, m.Name)
	}
	mark(c.cursor, c.Copied())
	list, doc, err := members.Tables()
	return []page.File{
		{Ending: "svg", Text: export.FigureSVG(f)},
		{Ending: "csv", Text: list},
		{Ending: "json", Text: doc},
	}, err
}

// servedFiles exports the drawn front under the load, and its members as a table.
func (c *cloudView) servedFiles(s *serving.LoadView) ([]page.File, error) {
	energy := c.trade().Up.Word == "energy"
	list := s.Front(energy)
	var table strings.Builder
	err := export.Served(s).CSV(&table, list)
	return []page.File{{Ending: "svg", Text: export.FigureSVG(plots.Figure(s, list, energy))},
		{Ending: "csv", Text: table.String()}}, err
}

package front

import (
	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// view is one of the views of Front: a model's cloud, the mixes of a pair, an energy study. Each keeps its own state
// and knows whether it is shown.
type view interface {
	Acts() page.Acts // what the keys do now
	Copied() string
	Files() ([]page.File, error)
	// Render draws the view in exactly w×h cells.
	Render(w, h int) string
}

// shared is the state that the views share.
type shared struct {
	read  page.Reader
	asTab bool // plots are drawn as tables
}

// job returns the workload of the page; its name is "" if there is none.
func (s *shared) job() workload.Workload { return page.Job(s.read) }

// frontByGlyph reports whether the front needs its own glyph: without colours, or with blocks for dots, its line looks
// like the cloud.
func (s *shared) frontByGlyph() bool {
	look := s.read.Look()
	return look.Colourless || look.Glyphs >= widget.GlyphsBlocks
}

// turnTable switches between the plot and the table.
func (s *shared) turnTable() { s.asTab = !s.asTab }

// strides is the number of long steps along a whole front.
const strides = 20

package front

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// view is one of the things that Front shows: the cloud of a model, the mixes of a pair, an energy study. Each keeps
// its own state and knows itself whether it shows.
type view interface {
	// Key takes a key that means something here; false gives it back.
	Key(k tea.KeyPressMsg) (does page.Intent, taken bool)
	Hints() []widget.Action
	Copied() string
	Files() ([]page.File, error)
	// Render draws the view in exactly w×h cells.
	Render(w, h int) string
}

// shared is what the views have in common.
type shared struct {
	read  page.Reader
	asTab bool // plots are drawn as their table twins
}

// job is the workload that the page speaks of; none has no name.
func (s *shared) job() workload.Workload { return page.Job(s.read) }

// frontByGlyph reports whether the front needs a glyph of its own: without
// colours, or with blocks for dots, its line cannot be told from the cloud.
func (s *shared) frontByGlyph() bool {
	look := s.read.Look()
	return look.Colourless || look.Glyphs >= widget.GlyphsBlocks
}

// turnTable shows the table in place of the plot, or the plot again.
func (s *shared) turnTable() { s.asTab = !s.asTab }

// strides is in how many long steps one walks a whole front.
const strides = 20

// flow sets words that belong together side by side, in lines of w columns.
func flow(words []string, w int) string {
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, " ", "\u00a0")
	}
	return widget.Wrap(strings.Join(words, "  "), w)
}

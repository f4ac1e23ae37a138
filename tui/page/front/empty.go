package front

import (
	tea "charm.land/bubbletea/v2"

	"jtune/internal/text"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// empty is shown instead of the cloud while no model is loaded. It explains how to get one.
type empty struct {
	*shared
	study *studyView // can be opened without a model
	kept  int        // number of models in the data directory
}

var _ view = (*empty)(nil)

// Key handles the key that opens an energy study.
func (e *empty) Key(k tea.KeyPressMsg) (page.Intent, bool) {
	if _, any := e.study.newest(); any && e.read.Keys().Picture.Matches(k) {
		return e.study.open(), true
	}
	return nil, false
}

// Hints returns the keys that are not available yet, and the energy study if there is one.
func (e *empty) Hints() []widget.Action {
	out := []widget.Action{e.read.Keys().Apply.Unless("no model")}
	if _, any := e.study.newest(); any {
		out = append(out, e.read.Keys().Picture.As("energy study"))
	}
	return out
}

// Copied returns nothing.
func (e *empty) Copied() string { return "" }

// Files returns none.
func (e *empty) Files() ([]page.File, error) { return nil, nil }

// Render explains how to get a model.
func (e *empty) Render(w, h int) string {
	none := "No model is loaded. Press " + e.read.Keys().Tune.Label() + " to tune a workload: this page then " +
		"shows every power mode's predicted time and power, the Pareto front of the best, and the mode to apply."
	if e.kept > 0 {
		none += " 4 lists the kept ones: " + text.Count(e.kept, "model") + "."
	}
	if l, any := e.study.newest(); any {
		none += " " + e.read.Keys().Picture.Label() + " shows the energy study of " + l.Header.Workload.Name + "."
	}
	return widget.Fit("\n"+widget.Wrap(none, w), w, h)
}

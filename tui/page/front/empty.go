package front

import (
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

// Acts returns the keys that are not available yet, and the energy study if there is one.
func (e *empty) Acts() page.Acts {
	keys := e.read.Keys()
	out := page.Acts{page.Shown(keys.Apply.Unless("no model"))}
	if _, any := e.study.newest(); any {
		out = append(out, page.On(keys.Picture.As("energy study"), e.study.open))
	}
	return out
}

// Copied returns nothing.
func (e *empty) Copied() string { return "" }

// Files returns none.
func (e *empty) Files() ([]page.File, error) { return nil, nil }

// Render explains how to get a model.
func (e *empty) Render(w, h int) string {
	if e.read.Loading() {
		return widget.Fit("\nThe model is being read.", w, h)
	}
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

package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/tegra"
)

// A model that knows several minibatch sizes is shown for one of them at a time.

// sizeViews are the views of one model that were left for another size, by size:
// they keep what was measured since the model was fitted.
type sizeViews struct {
	of    *learn.Model
	by    map[int]*mapView
	asked int // size that was asked for and is not shown yet; 0: none
}

// sizedMsg brings the view of another size.
type sizedMsg struct{ view *mapView }

// toSize asks for the next minibatch size of the model, or the one before.
func (sh *shared) toSize(by int) tea.Cmd {
	v := sh.view
	if whole := v.model.Whole(); sh.left.of != whole {
		sh.left = sizeViews{of: whole, by: map[int]*mapView{}}
	}
	all, from := v.sizes(), v.size()
	if sh.left.asked != 0 {
		from = sh.left.asked
	}
	next := all[(slices.Index(all, from)+by+len(all))%len(all)]
	sh.left.asked = next
	if known := sh.left.by[next]; known != nil {
		return func() tea.Msg { return sizedMsg{known} }
	}
	return sh.computed(func() tea.Msg { return sizedMsg{v.sized(next)} })
}

// show takes the view of a size in, unless another was asked for since.
func (sh *shared) show(v *mapView) bool {
	if v.model.Whole() != sh.left.of || sh.view.model.Whole() != sh.left.of || v.size() != sh.left.asked {
		return false
	}
	sh.left.by[sh.view.size()] = sh.view
	if known := sh.left.by[v.size()]; known != nil { // it may have learnt meanwhile
		v = known
	}
	sh.view, sh.left.asked = v, 0
	return true
}

// learn puts a measurement into the view of its minibatch size.
func (sh *shared) learn(m tegra.Measured) {
	if v := sh.view; v.size() == m.Batch {
		sh.view = v.with(m)
	} else if other := sh.left.by[m.Batch]; other != nil && sh.left.of == v.model.Whole() {
		sh.left.by[m.Batch] = other.with(m)
	}
}

// batchText names a minibatch size, with a blank before it; "" where it is no
// input.
func batchText(batch int) string {
	if batch == 0 {
		return ""
	}
	return fmt.Sprintf(" batch %d", batch)
}

package optimize

import "jtune/tegra"

// Design chooses which modes to measure when the whole map is wanted
// (recipe §5).
type Design struct{}

// NewDesign plans n modes of a space. costMS guesses a minibatch's time before
// anything is known; 0 means 100 ms.
func NewDesign(space *tegra.Space, n int, seed uint64, costMS float64) *Design { panic("not yet") }

// Next gives the mode to measure after these; false when the design is done.
// A mode that was proposed and is not among done has failed: it is not
// proposed again.
func (d *Design) Next(done []tegra.Measured) (tegra.Mode, bool) { panic("not yet") }

// Len is the number of modes planned.
func (d *Design) Len() int { panic("not yet") }

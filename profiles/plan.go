package profiles

import "jtune/tegra"

// Step is a mode to measure next.
type Step struct {
	Mode  tegra.Mode
	Raise bool // CPU or GPU clock rises from the mode before (method note d.2)
	Why   string
}

// Plan says which mode comes next, given all rows so far. A plan that chooses
// looks at their numbers; a fixed one only at which modes are done.
type Plan interface {
	Next(done []Row) (Step, bool)
	// Len is how many modes the plan has in all, when that is known.
	Len() (n int, known bool)
}

// ListPlan measures these modes in the order of method note d.2.
func ListPlan(modes []tegra.Mode) Plan { panic("not yet") }

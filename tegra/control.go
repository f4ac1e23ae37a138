package tegra

// State is the content of every file that setting a mode touches.
type State struct {
	Files []StateFile `json:"files"`
}

// StateFile is one knob file and what it held.
type StateFile struct {
	Path  string `json:"path"`
	Value string `json:"value"` // without the final newline
}

// Write is one step of setting a mode.
type Write struct {
	Knob  string // "core 3", "CPU 0-3 max", "EMC rate", …
	Path  string
	Value string
	Loose bool // a step in between: what it reads back does not count
}

// Control knows the files that a mode touches and the safe order to write
// them. It reads; only the guard writes.
type Control struct{ s *Sysfs }

// Snapshot reads every file that setting a mode may touch. Files that do not
// exist now (a policy whose cores are offline) are left out.
func (c *Control) Snapshot() (State, error) { panic("not yet") }

// Plan lists the writes that set a mode, in the safe order, from state now.
func (c *Control) Plan(now State, r Request) ([]Write, error) { panic("not yet") }

// PlanState lists the writes that put back the state want, in the safe order.
func (c *Control) PlanState(now, want State) ([]Write, error) { panic("not yet") }

// ModeOf says which mode the limits of a state express; absent when none does.
func (c *Control) ModeOf(st State) Val[Mode] { panic("not yet") }

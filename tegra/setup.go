package tegra

import "strings"

// Setup is the state of a board at one moment.
type Setup struct {
	Mode   Val[Mode]    `json:"mode"` // absent: no mode matches
	Locked Val[bool]    `json:"locked"`
	IdleW  Val[float64] `json:"idle_w,omitzero"` // idle power of the module in watts; absent: unknown
	Pinned string       `json:"-"`               // Reading.Pinned, in words; "" for none
}

// Setup returns the board's state at this reading, without its idle power, which one reading cannot show.
func (r *Reading) Setup() Setup {
	return Setup{Mode: r.Mode, Locked: r.Locked, Pinned: strings.Join(r.Pinned, ", ")}
}

// Clocks says whether the clocks are locked or free, and which governor keeps free ones where they are; "–" where that
// is unknown.
func (s Setup) Clocks() string {
	switch {
	case !s.Locked.OK:
		return "–"
	case s.Locked.V:
		return "locked"
	case s.Pinned != "":
		return "held by governor " + s.Pinned
	}
	return "free"
}

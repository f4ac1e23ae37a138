package tegra

// Setup is the state of a board at one moment.
type Setup struct {
	Mode   Val[Mode]    `json:"mode"` // absent: no mode matches
	Locked Val[bool]    `json:"locked"`
	IdleW  Val[float64] `json:"idle_w,omitzero"` // idle power of the module in watts; absent: unknown
}

// Setup returns the board's state at this reading, without its idle power, which one reading cannot show.
func (r *Reading) Setup() Setup { return Setup{Mode: r.Mode, Locked: r.Locked} }

package tegra

// Setup is how a board is set at one moment.
type Setup struct {
	Mode   Val[Mode] // absent: no mode means it
	Locked Val[bool]
	IdleW  Val[float64] // module power while nothing works on it; absent: not known
}

// Setup is how the board was set when it was read; its idle power is not known from one reading.
func (r *Reading) Setup() Setup { return Setup{Mode: r.Mode, Locked: r.Locked} }

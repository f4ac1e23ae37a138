package nn

// Predict returns one value per row of x, in the unit of the training targets. Values are at least a tenth of the
// smallest training target, since the linear output can be zero or negative. It is safe for concurrent use.
func (n *Net) Predict(x [][inputs]float64) []float64 {
	out := make([]float64, len(x))
	var s pass
	for i := range x {
		row := n.standardiseRow(&x[i])
		s.forward(n.w, &row, nil)
		out[i] = n.Config.decode(n.target.Backward(float64(s.out)))
		if !(out[i] > n.floor) { // also NaN, from extreme inputs
			out[i] = n.floor
		}
	}
	return out
}

// Clamps reports whether a value of Predict is unreliable: it replaces an output at or below zero, or lies below
// believedShare of the smallest training target.
func (n *Net) Clamps(v float64) bool { return v < n.floor*believedShare/floorShare }

// Layers returns the widths of inputs, hidden layers and output.
func (n *Net) Layers() []int { return n.Config.Layers.sizes() }

func (n *Net) standardiseRow(x *[inputs]float64) (row [inputs]float32) {
	for k, s := range n.in {
		row[k] = float32(s.Forward(x[k]))
	}
	return row
}

func (n *Net) standardise(x [][inputs]float64) [][inputs]float32 {
	out := make([][inputs]float32, len(x))
	for i := range x {
		out[i] = n.standardiseRow(&x[i])
	}
	return out
}

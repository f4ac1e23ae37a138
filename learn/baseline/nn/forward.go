package nn

import (
	"math"
	"math/rand/v2"
)

// The kernels. After ReLU and dropout about 72 % of the first and 83 % of the second of the paper's layers are zero, so
// a layer's output is stored as the list of its non-zero units. The forward pass skips the weight rows of zero units,
// as does the backward pass (backward.go), whose gradient is zero there.
//
// Lists are padded with value 0 at unit 0 to a multiple of four, the number of weight rows processed in one pass over
// the output (vector.go).

// active is one layer's output for one row: the non-zero units, ascending, and their values after ReLU and dropout.
type active struct {
	n    int
	unit [maxWidth + 4]uint8
	val  [maxWidth + 4]float32
}

// pad pads the list to a multiple of four and returns its length.
func (a *active) pad() int {
	for k := a.n; k < a.n+3; k++ {
		a.unit[k], a.val[k] = 0, 0
	}
	return (a.n + 3) &^ 3
}

// pass holds the results of one row's forward pass for the backward pass.
type pass struct {
	x      [inputs]float32   // standardised
	layers [maxHidden]active // the hidden layers
	out    float32           // standardised prediction
}

// forward runs one row through p; it never drops units of the last hidden layer. drop is nil for prediction, without
// dropout or scaling.
func (s *pass) forward(p *params, x *[inputs]float32, drop *dropout) {
	s.x = *x
	var units [maxWidth]float32
	z := units[:len(p.b[0])]
	firstLayer(z, p, x)
	last := p.hidden() - 1
	for i := range last {
		s.layers[i].relu(z, drop)
		z = units[:len(p.b[i+1])]
		s.layers[i].forward(z, p.w[i+1], p.b[i+1])
	}
	top := &s.layers[last]
	top.relu(z, nil)

	w, out := p.w[last+1], p.b[last+1][0]
	for k := range top.n {
		out += w[top.unit[k]] * top.val[k]
	}
	s.out = out
}

// rows returns the weight rows of four units of a layer that feeds n units.
func rows(w []float32, u *[4]uint8, n int) (r0, r1, r2, r3 []float32) {
	row := func(unit uint8) []float32 { return w[int(unit)*n : (int(unit)+1)*n] }
	return row(u[0]), row(u[1]), row(u[2]), row(u[3])
}

// forward sets z to the next layer's inputs.
func (a *active) forward(z, w, b []float32) {
	copy(z, b)
	for k, n := 0, a.pad(); k < n; k += 4 {
		r0, r1, r2, r3 := rows(w, (*[4]uint8)(a.unit[k:]), len(z))
		addRows(z, r0, r1, r2, r3, (*[4]float32)(a.val[k:]))
	}
}

func firstLayer(z []float32, p *params, x *[inputs]float32) {
	copy(z, p.b[0])
	r0, r1, r2, r3 := rows(p.w[0], &[4]uint8{0, 1, 2, 3}, len(z))
	addRows(z, r0, r1, r2, r3, x)
}

// relu lists the positive entries of z that drop keeps. It avoids branches on the values: which units are active is
// unpredictable, and a mispredicted branch costs more than the work.
func (a *active) relu(z []float32, drop *dropout) {
	n := 0
	if drop == nil {
		for j, v := range z {
			a.unit[n&(maxWidth-1)], a.val[n&(maxWidth-1)] = uint8(j), v
			n += positive(v)
		}
		a.n = n
		return
	}
	for j, v := range z {
		if j%4 == 0 {
			drop.draw()
		}
		a.unit[n&(maxWidth-1)], a.val[n&(maxWidth-1)] = uint8(j), v*drop.scale
		n += positive(v) & drop.keep()
	}
	a.n = n
}

// positive returns 1 for v > 0, else 0 (also for NaN with the sign bit set; other NaN count as positive and so reach
// the loss, which reports them).
func positive(v float32) int {
	b := int32(math.Float32bits(v))
	return int(uint32(^b&-b) >> 31)
}

// dropout draws which units are kept: inverted dropout scales kept values during training, so prediction needs no
// change.
type dropout struct {
	source *rand.PCG
	below  int32 // a 16-bit draw below it (of 65536) drops the unit
	scale  float32
	bits   uint64
}

// newDropout returns nil for a rate of zero or below.
func newDropout(rate float64, source *rand.PCG) *dropout {
	if rate <= 0 {
		return nil
	}
	below := int32(math.Round(rate * 65536))
	return &dropout{source: source, below: below, scale: float32(65536 / float64(65536-below))}
}

// draw draws the bits for four units.
func (d *dropout) draw() { d.bits = d.source.Uint64() }

// keep returns 1 if the next unit is kept, else 0.
func (d *dropout) keep() int {
	v := int32(d.bits & 0xffff)
	d.bits >>= 16
	return int(uint32(d.below-1-v) >> 31)
}

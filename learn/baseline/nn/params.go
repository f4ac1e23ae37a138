package nn

import (
	"math"
	"math/rand/v2"
)

// params are the weights and biases of one network, or anything of that shape
// (gradients, Adam's moments). Weights lie [in][out]: the row of an input that
// is zero is never touched. all is the one slab behind the views, in the order
// of the fields; the last layer is its tail.
type params struct {
	all    []float32
	w1, b1 []float32
	w2, b2 []float32
	w3, b3 []float32
	w4, b4 []float32
}

// lastLayer is where the last layer begins in params.all.
const lastLayer = NumParams - width3 - 1

func newParams() *params {
	p := &params{all: make([]float32, NumParams)}
	rest := p.all
	take := func(n int) []float32 {
		view := rest[:n:n]
		rest = rest[n:]
		return view
	}
	p.w1, p.b1 = take(inputs*width1), take(width1)
	p.w2, p.b2 = take(width1*width2), take(width2)
	p.w3, p.b3 = take(width2*width3), take(width3)
	p.w4, p.b4 = take(width3), take(1)
	return p
}

func (p *params) clone() *params {
	q := newParams()
	copy(q.all, p.all)
	return q
}

// drawAll draws every weight anew; biases become zero.
func (p *params) drawAll(r *rand.Rand) {
	clear(p.all)
	glorot(r, p.w1, inputs, width1)
	glorot(r, p.w2, width1, width2)
	glorot(r, p.w3, width2, width3)
	glorot(r, p.w4, width3, 1)
}

// drawLast replaces the last layer by a fresh one.
func (p *params) drawLast(r *rand.Rand) {
	clear(p.all[lastLayer:])
	glorot(r, p.w4, width3, 1)
}

// glorot draws from the uniform distribution ±sqrt(6/(in+out)), the default of
// Keras' dense layers (Glorot and Bengio 2010).
func glorot(r *rand.Rand, w []float32, in, out int) {
	limit := math.Sqrt(6 / float64(in+out))
	for i := range w {
		w[i] = float32((2*r.Float64() - 1) * limit)
	}
}

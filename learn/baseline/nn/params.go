package nn

import (
	"math"
	"math/rand/v2"
)

// params are the weights and biases of one network, or anything of that shape
// (gradients, Adam's moments). Weights lie [in][out]: the row of an input that
// is zero is never touched. all is the one slab behind the views: each layer's
// weights and then its biases; the last layer is its tail.
type params struct {
	all  []float32
	w, b [][]float32 // by layer
}

func newParams(l Layers) *params {
	p := &params{all: make([]float32, l.Weights())}
	rest := p.all
	take := func(n int) []float32 {
		view := rest[:n:n]
		rest = rest[n:]
		return view
	}
	sizes := l.sizes()
	for i, out := range sizes[1:] {
		p.w, p.b = append(p.w, take(sizes[i]*out)), append(p.b, take(out))
	}
	return p
}

// hidden is the number of layers before the last.
func (p *params) hidden() int { return len(p.w) - 1 }

// lastLayer is where the last layer begins in p.all.
func (p *params) lastLayer() int { return len(p.all) - len(p.w[p.hidden()]) - 1 }

// drawAll draws every weight again; biases become zero.
func (p *params) drawAll(r *rand.Rand) {
	clear(p.all)
	for i := range p.w {
		p.draw(r, i)
	}
}

// drawLast replaces the last layer by a fresh one.
func (p *params) drawLast(r *rand.Rand) {
	clear(p.all[p.lastLayer():])
	p.draw(r, p.hidden())
}

// draw draws a layer's weights from the uniform distribution ±sqrt(6/(in+out)),
// the default of Keras' dense layers (Glorot and Bengio 2010).
func (p *params) draw(r *rand.Rand, layer int) {
	w, out := p.w[layer], len(p.b[layer])
	limit := math.Sqrt(6 / float64(len(w)/out+out))
	for i := range w {
		w[i] = float32((2*r.Float64() - 1) * limit)
	}
}

package nn

import (
	"math"
	"math/rand/v2"
)

// params holds the weights and biases of one network, or values of the same shape (gradients, Adam's moments). Weights
// are stored [in][out], so that the rows of zero inputs are never touched. all is the memory behind the views: each
// layer's weights and then its biases, layer by layer.
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

// hidden returns the number of hidden layers.
func (p *params) hidden() int { return len(p.w) - 1 }

// lastLayer returns the index in p.all at which the last layer begins.
func (p *params) lastLayer() int { return len(p.all) - len(p.w[p.hidden()]) - 1 }

// drawAll initialises all weights; biases become zero.
func (p *params) drawAll(r *rand.Rand) {
	clear(p.all)
	for i := range p.w {
		p.draw(r, i)
	}
}

// drawLast initialises the last layer.
func (p *params) drawLast(r *rand.Rand) {
	clear(p.all[p.lastLayer():])
	p.draw(r, p.hidden())
}

// draw initialises a layer's weights from the uniform distribution ±sqrt(6/(in+out)), the default of Keras' dense
// layers (Glorot and Bengio 2010).
func (p *params) draw(r *rand.Rand, layer int) {
	w, out := p.w[layer], len(p.b[layer])
	limit := math.Sqrt(6 / float64(len(w)/out+out))
	for i := range w {
		w[i] = float32((2*r.Float64() - 1) * limit)
	}
}

package nn

import "math"

// adam is the optimiser's state (Kingma and Ba 2015), in Keras' form: the step size includes the bias corrections, and
// epsilon is added after them.
type adam struct {
	rate float64
	m, v []float32
	b1t  float64 // beta1 to the power of the number of steps
	b2t  float64
}

func newAdam(rate float64, n int) *adam {
	return &adam{rate: rate, m: make([]float32, n), v: make([]float32, n), b1t: 1, b2t: 1}
}

// tiny is the size below which a first moment becomes zero. Otherwise a weight whose gradient stays zero would decay to
// denormals, which many processors compute a hundred times slower.
const tiny = 1e-30

const signBit = 1 << 31

var tinyBits = math.Float32bits(tiny)

// step moves w against the gradient g and clears g for the next batch.
func (a *adam) step(w, g []float32) {
	a.b1t *= beta1
	a.b2t *= beta2
	rate := float32(a.rate * math.Sqrt(1-a.b2t) / (1 - a.b1t))
	adamStep(w, a.m, a.v, g, rate)
}

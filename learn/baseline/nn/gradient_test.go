package nn

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// dense is the network in plain float64, without lists or skipping. masks hold dropout's factor for each unit of a
// hidden layer: 0 or the scale; nil without dropout.
func dense(l Layers, w []float64, x [inputs]float64, masks [][]float64) float64 {
	layer := func(in []float64, out int) []float64 {
		z := make([]float64, out)
		bias := w[len(in)*out:]
		for j := range z {
			z[j] = bias[j]
			for i, v := range in {
				z[j] += v * w[i*out+j]
			}
		}
		w = bias[out:]
		return z
	}
	relu := func(z, mask []float64) []float64 {
		for j := range z {
			z[j] = max(0, z[j])
			if mask != nil {
				z[j] *= mask[j]
			}
		}
		return z
	}
	a := x[:]
	for i, width := range l.widths() {
		a = relu(layer(a, width), masks[i])
	}
	return layer(a, 1)[0]
}

// masks reads off a pass which units dropout left: a unit that is not listed
// was dropped or not positive, and contributes nothing either way.
func (a *active) mask(width int, scale float64) []float64 {
	out := make([]float64, width)
	for _, u := range a.unit[:a.n] {
		out[u] = scale
	}
	return out
}

func widen(v []float32) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = float64(v[i])
	}
	return out
}

// randomNet has biases too, which a fresh network has not.
func randomNet(l Layers, seed uint64) *params {
	r := rand.New(rand.NewPCG(seed, 0))
	p := newParams(l)
	p.drawAll(r)
	for _, b := range p.b {
		for i := range b {
			b[i] = float32(r.NormFloat64()) * 0.1
		}
	}
	return p
}

// otherLayers are as unlike the paper's as there may be: one, growing, the widest, the most.
var otherLayers = []Layers{{8}, {16, 64, 256, 24}, {256, 256}, {8, 16, 8, 16, 8, 16, 8, 16}}

func TestForwardEqualsThePlainNetwork(t *testing.T) {
	t.Parallel()
	for _, l := range append([]Layers{PaperLayers()}, otherLayers...) {
		p, r := randomNet(l, 1), rand.New(rand.NewPCG(2, 0))
		w, masks := widen(p.all), make([][]float64, maxHidden)
		var s pass
		for range 50 {
			var x [inputs]float32
			for k := range x {
				x[k] = float32(r.NormFloat64())
			}
			s.forward(p, &x, nil)
			want := dense(l, w, [inputs]float64(widen(x[:])), masks)
			if got := float64(s.out); math.Abs(got-want) > 1e-5 {
				t.Fatalf("layers %s, x %v: got %g, want %g", l, x, got, want)
			}
		}
	}
}

// The gradient of the float32 kernels against central differences of the plain float64 network. Differences are good
// to about 1e-9; float32 sums of about a hundred terms are good to about 1e-5 of the largest.
func TestGradientEqualsFiniteDifferences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		layers  Layers
		dropout float64
		frozen  bool
	}{
		{"without dropout", PaperLayers(), 0, false},
		{"with dropout 0.1", PaperLayers(), 0.1, false},
		{"with dropout 0.5", PaperLayers(), 0.5, false},
		{"with a frozen body only the last layer has one", PaperLayers(), 0.1, true},
		{"of one hidden layer", otherLayers[0], 0.5, false},
		{"of layers that grow", otherLayers[1], 0.1, false},
		{"of two wide layers", otherLayers[2], 0.1, false},
		{"of eight layers", otherLayers[3], 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, g := randomNet(c.layers, 3), newParams(c.layers)
			drop := newDropout(c.dropout, rand.NewPCG(4, 0))
			scale := 1.0
			if drop != nil {
				scale = float64(drop.scale)
			}
			x, target := [inputs]float32{0.3, -1.2, 0.7, 1.9}, float32(0.4)
			var s pass
			s.forward(p, &x, drop)
			s.backward(p, g, 2*(s.out-target), drop, c.frozen)

			w, widths := widen(p.all), c.layers.widths()
			masks := make([][]float64, len(widths))
			for i, width := range widths[:len(widths)-1] {
				masks[i] = s.layers[i].mask(width, scale)
			}
			loss := func() float64 {
				d := dense(c.layers, w, [inputs]float64(widen(x[:])), masks) - float64(target)
				return d * d
			}
			r := rand.New(rand.NewPCG(5, 0))
			draws := 150
			switch {
			case testing.Short():
				draws = 50
			case os.Getenv("JTUNE_LONG") != "":
				draws = 1500
			}
			for k := range draws {
				i := r.IntN(len(w))
				if k%5 == 0 { // the last layers are a small part of the weights
					i = len(w) - 1 - r.IntN(min(192, len(w)))
				}
				const h = 1e-6
				was := w[i]
				w[i] = was + h
				up := loss()
				w[i] = was - h
				down := loss()
				w[i] = was
				want := (up - down) / (2 * h)
				if c.frozen && i < p.lastLayer() {
					want = 0
				}
				if got := float64(g.all[i]); math.Abs(got-want) > 2e-5*(1+math.Abs(want)) {
					t.Fatalf("parameter %d: got %g, want %g", i, got, want)
				}
			}
		})
	}
}

func TestLossSlopesEqualFiniteDifferences(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{{}, {LogTarget: true}, {Loss: MAPE}, {Loss: MAPE, LogTarget: true}} {
		tr := &training{net: &Net{Config: c, target: Scaler{Mean: 3, SD: 0.7}}, y: []float64{20}, z: []float32{0.3}}
		loss := func(out float64) float64 {
			if c.Loss == MSE {
				d := out - float64(tr.z[0])
				return d * d
			}
			return math.Abs(c.decode(tr.net.target.Backward(out))-20) / 20
		}
		for _, out := range []float64{-1, 0.1, 0.29, 2, 30} {
			const h = 1e-6
			want := (loss(out+h) - loss(out-h)) / (2 * h)
			if got := float64(tr.slope(0, float32(out))); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%v log %v at %g: got %g, want %g", c.Loss, c.LogTarget, out, got, want)
			}
		}
	}
}

func TestDropoutDropsItsShareAndKeepsTheMean(t *testing.T) {
	t.Parallel()
	ones := make([]float32, maxWidth)
	for i := range ones {
		ones[i] = 1
	}
	for _, rate := range []float64{0.02, 0.1, 0.5} {
		drop := newDropout(rate, rand.NewPCG(1, 2))
		var kept, sum, rows float64
		var a active
		for range 2000 {
			a.relu(ones, drop)
			rows += maxWidth
			kept += float64(a.n)
			for _, v := range a.val[:a.n] {
				sum += float64(v)
			}
		}
		// 512,000 draws: the standard error is at most 0.0007.
		if got := 1 - kept/rows; math.Abs(got-rate) > 0.003 {
			t.Errorf("rate %g: dropped %.4f", rate, got)
		}
		if got := sum / rows; math.Abs(got-1) > 0.005 {
			t.Errorf("rate %g: mean activation became %.4f, want 1", rate, got)
		}
	}
}

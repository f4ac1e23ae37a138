// Package mlp implements a small multilayer perceptron, for comparison: PowerTrain's authors tried and rejected it
// (good with few samples, but not transferable).
//
//	inputs, targets ──► Fit ──► Net ──► At
//
// One hidden layer of rectified units, standardised inputs and target, squared error with weight decay, Adam:
// scikit-learn's MLPRegressor with its defaults (Pedregosa and others 2011), except for the standardisation and a
// minimum number of steps, since 200 passes over 50 rows learn nothing. Package nn has the paper's larger network; its
// kernels fit only that shape.
package mlp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"jtune/learn/baseline/nn"
	"jtune/learn/internal/rows"
)

// Config configures Fit. The zero value uses scikit-learn's defaults.
type Config struct {
	Hidden int // units; 0: 100
	Steps  int // fewest Adam steps; 0: 5000
	Seed   uint64
}

const (
	defaultHidden = 100
	defaultSteps  = 5000
	largestBatch  = 200
	passes        = 200 // fewest
	decay         = 1e-4
	rate          = 1e-3
	beta1, beta2  = 0.9, 0.999
	epsilon       = 1e-8
)

// Net predicts one target. It is safe for concurrent reads.
type Net struct {
	inputs, hidden int
	// w holds, per hidden unit, the weights of the inputs, the bias and the weight of the output; then the output's
	// bias.
	w    []float64
	in   []nn.Scaler
	out  nn.Scaler
	loss float64 // loss of the last pass
}

// Fit trains a network. Equal arguments give equal networks on one machine. It returns an error for no rows, rows of
// unequal length and values that are not finite, and ctx.Err() when ctx ends. 50 rows take about 0.2 s.
//
// The authors' scikit-learn runs have errors of 50.6 / 22.9 % in time / power from 10 and 25.6 / 8.3 % from 50 modes of
// MobileNet (settings not published); on the same samples this network has about 52 / 13 and 31 / 5.6 %: worse in time,
// better in power. Six times the steps change it by a point.
func Fit(ctx context.Context, x [][]float64, y []float64, c Config) (*Net, error) {
	if err := rows.Check(x, y); err != nil {
		return nil, fmt.Errorf("mlp: %w", err)
	}
	if c.Hidden < 0 || c.Steps < 0 {
		return nil, fmt.Errorf("mlp of %d units in %d steps: must be positive", c.Hidden, c.Steps)
	}
	if c.Hidden == 0 {
		c.Hidden = defaultHidden
	}
	if c.Steps == 0 {
		c.Steps = defaultSteps
	}
	n := &Net{inputs: len(x[0]), hidden: c.Hidden, out: nn.FitScaler(len(y), func(i int) float64 { return y[i] })}
	for k := range x[0] {
		n.in = append(n.in, nn.FitScaler(len(x), func(i int) float64 { return x[i][k] }))
	}
	t := training{net: n, random: rand.New(rand.NewPCG(c.Seed, 0x6d6c70)), active: make([]float64, c.Hidden)}
	t.draw()
	for i, row := range x {
		t.x, t.y = append(t.x, n.standardised(row)), append(t.y, n.out.Forward(y[i]))
	}
	return n, t.run(ctx, c.Steps)
}

// At returns the prediction at x, which has as many inputs as the training rows.
func (n *Net) At(x []float64) float64 {
	return n.out.Backward(n.forward(n.standardised(x), nil))
}

func (n *Net) standardised(x []float64) []float64 {
	out := make([]float64, n.inputs)
	for k, v := range x {
		out[k] = n.in[k].Forward(v)
	}
	return out
}

// unit returns the parameters of hidden unit j.
func (n *Net) unit(j int) []float64 {
	size := n.inputs + 2
	return n.w[j*size : (j+1)*size]
}

// forward returns the output for one standardised row; active, unless nil, receives the values of the hidden units.
func (n *Net) forward(x, active []float64) float64 {
	out := n.w[len(n.w)-1]
	for j := range n.hidden {
		u := n.unit(j)
		z := u[n.inputs]
		for k, v := range x {
			z += u[k] * v
		}
		z = max(0, z)
		if active != nil {
			active[j] = z
		}
		out += u[n.inputs+1] * z
	}
	return out
}

// training is the state of one training run.
type training struct {
	net          *Net
	random       *rand.Rand
	x            [][]float64
	y            []float64
	active       []float64
	grad, m1, m2 []float64
	steps        int
}

// draw initialises weights and biases with Glorot's uniform distribution, as scikit-learn does.
func (t *training) draw() {
	n := t.net
	n.w = make([]float64, n.hidden*(n.inputs+2)+1)
	into, outOf := math.Sqrt(6/float64(n.inputs+n.hidden)), math.Sqrt(6/float64(n.hidden+1))
	for j := range n.hidden {
		u := n.unit(j)
		for k := range n.inputs + 1 {
			u[k] = into * (2*t.random.Float64() - 1)
		}
		u[n.inputs+1] = outOf * (2*t.random.Float64() - 1)
	}
	n.w[len(n.w)-1] = outOf * (2*t.random.Float64() - 1)
	t.grad, t.m1, t.m2 = make([]float64, len(n.w)), make([]float64, len(n.w)), make([]float64, len(n.w))
}

// run passes over the rows until enough steps are done, or ctx ends.
func (t *training) run(ctx context.Context, steps int) error {
	batch := min(largestBatch, len(t.x))
	for pass := 0; pass < passes || t.steps < steps; pass++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.net.loss = 0
		order := t.random.Perm(len(t.x))
		for from := 0; from < len(order); from += batch {
			part := order[from:min(from+batch, len(order))]
			for _, i := range part {
				t.add(t.x[i], t.y[i], 1/float64(len(part)))
			}
			t.step(1 / float64(len(part)))
		}
		t.net.loss /= float64(len(order))
	}
	return nil
}

// add adds one row's share of the gradient of half the squared error to grad.
func (t *training) add(x []float64, y, share float64) {
	n := t.net
	d := n.forward(x, t.active) - y
	n.loss += d * d
	d *= share
	size := n.inputs + 2
	for j, a := range t.active {
		if a == 0 {
			continue
		}
		u, g := n.unit(j), t.grad[j*size:(j+1)*size]
		back := d * u[n.inputs+1]
		for k, v := range x {
			g[k] += back * v
		}
		g[n.inputs] += back
		g[n.inputs+1] += d * a
	}
	t.grad[len(t.grad)-1] += d
}

// step is one Adam step, with weight decay on all parameters.
func (t *training) step(share float64) {
	t.steps++
	at := rate * math.Sqrt(1-math.Pow(beta2, float64(t.steps))) / (1 - math.Pow(beta1, float64(t.steps)))
	for i, g := range t.grad {
		g += decay * share * t.net.w[i]
		t.m1[i] = beta1*t.m1[i] + (1-beta1)*g
		t.m2[i] = beta2*t.m2[i] + (1-beta2)*g*g
		t.net.w[i] -= at * t.m1[i] / (math.Sqrt(t.m2[i]) + epsilon)
		t.grad[i] = 0
	}
}

package learn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"jtune/tegra"
)

// Resource is what can decide the time of a minibatch.
type Resource int

// The resources of the time formula.
const (
	FixedTime Resource = iota // what no knob changes: disk, network, waiting
	OnCPU
	OnGPU
	OnMemory
	NumResources
)

func (r Resource) String() string {
	return [...]string{"fixed time", "CPU", "GPU", "memory"}[r]
}

// waiting is what a term of a time formula waits for.
type waiting int

const (
	waitsFixed waiting = iota
	waitsGPU
	waitsThread // one CPU thread
	waitsCores  // all CPU cores
	waitsMemory
	waitsMixed // GPU and memory
)

// shareOf is how the weight of a term is divided among the resources.
var shareOf = [...][NumResources]float64{
	waitsFixed:  {FixedTime: 1},
	waitsGPU:    {OnGPU: 1},
	waitsThread: {OnCPU: 1},
	waitsCores:  {OnCPU: 1},
	waitsMemory: {OnMemory: 1},
	waitsMixed:  {OnGPU: 0.5, OnMemory: 0.5},
}

// clearlyBound is the share from which one resource decides.
const clearlyBound = 0.5

// Bound is what decides the time of a minibatch in one mode.
type Bound struct {
	By Resource // the one of the largest share
	// Share is, per resource, by how much of a percent the time falls when
	// the resource gets one percent faster; they sum to 1.
	Share [NumResources]float64
	// OneThread is the part of Share[OnCPU] that more cores do not help.
	OneThread float64
}

// Clear reports whether one resource decides: it has at least half of the time's
// sensitivity.
func (b Bound) Clear() bool { return b.Share[b.By] >= clearlyBound }

// String is such as "GPU-bound (GPU 81 %, CPU 12 %, …)", or "balanced"
// when no resource clearly decides. Shares below one percent are left out.
func (b Bound) String() string {
	order := []Resource{FixedTime, OnCPU, OnGPU, OnMemory}
	slices.SortStableFunc(order, func(x, y Resource) int { return cmp.Compare(b.Share[y], b.Share[x]) })
	var parts []string
	for _, r := range order {
		if pct := 100 * b.Share[r]; pct >= 1 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", r, pct))
		}
	}
	head := "balanced"
	switch {
	case b.Clear() && b.By == FixedTime:
		head = "bound by time that no knob changes"
	case b.Clear():
		head = b.By.String() + "-bound"
	}
	return head + " (" + strings.Join(parts, ", ") + ")"
}

// Bound returns which resource decides the time in a mode, by the fitted mean function
//
//	ln T = (1/p) ln Σ_k exp(p (a_k + l_k))
//
// whose softmax weights are the elasticities ∂ln T/∂a_k. The term of GPU and
// memory mixed counts half for each. The Gaussian process belongs to
// no resource and is not counted, and with few measured modes the shares are mostly
// those of the prior.
func (s *Surrogate) Bound(m tegra.Mode) Bound {
	x := s.scale.settings([]tegra.Setting{{Mode: m, Batch: s.view}})[0]
	var b Bound
	for i, c := range s.time.curves {
		l, w := make([]float64, c.family.amplitudes()), make([]float64, c.family.amplitudes())
		c.family.terms(x, 0, l)
		powerMean(c.theta, l, w)
		for k, on := range c.family.waits {
			share := w[k] * s.time.weights[i]
			for r, part := range shareOf[on] {
				b.Share[r] += share * part
			}
			if on == waitsThread {
				b.OneThread += share
			}
		}
	}
	for r, share := range b.Share {
		if share > b.Share[b.By] {
			b.By = Resource(r)
		}
	}
	return b
}

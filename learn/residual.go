package learn

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"jtune/learn/internal/parallel"
	"jtune/learn/internal/simd"
	"jtune/tegra"
)

const (
	// LeastReference is the fewest modes of a reference.
	LeastReference = 100
	// mostReference limits the cost: of more modes, a random subset is used.
	mostReference = 1000
)

// Residual is the deviation from the mean functions in a reference workload measured on the same device: r(x) = k*ᵀ C⁻¹
// (y − M), its Gaussian process' part, for time and power (docs/method.md, Reference transfer). It transfers properties
// of the device, not of the workload. nil: no reference.
type Residual struct {
	space   *tegra.Space
	scale   scale
	sums    [2]kernelSum     // of time and power
	modes   int              // number it was learned from
	samples []tegra.Measured // those modes
	once    sync.Once
	time    []float64 // over the space
	power   []float64
}

// newResidual computes the residual of a reference's measured modes, at least LeastReference of them, which belong to
// space. If there are more than mostReference, it uses a random subset.
func newResidual(space *tegra.Space, reference []tegra.Measured) (*Residual, error) {
	if len(reference) < LeastReference {
		return nil, fmt.Errorf("reference has %d modes; at least %d are needed", len(reference), LeastReference)
	}
	fit, err := FitSurrogate(space, thin(reference, mostReference, 1), SurrogateOptions{Robust: 1})
	if err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	if len(fit.power.curves) == 0 {
		return nil, errors.New("its modes were measured without power")
	}
	time, power := fit.time.curves[0].gaussian(), fit.power.curves[0].gaussian()
	return &Residual{
		space:   space,
		scale:   fit.scale,
		modes:   len(fit.samples),
		samples: fit.samples,
		sums:    [2]kernelSum{{&timeFamily, fit.time.curves[0].x, time}, {&powerFamily, fit.power.curves[0].x, power}},
	}, nil
}

// thin draws at most n samples and keeps their order.
func thin(samples []tegra.Measured, n int, seed uint64) []tegra.Measured {
	if len(samples) <= n {
		return samples
	}
	keep := make([]bool, len(samples))
	for _, i := range rand.New(rand.NewPCG(seed, 0x7468696e)).Perm(len(samples))[:n] {
		keep[i] = true
	}
	out := make([]tegra.Measured, 0, n)
	for i, m := range samples {
		if keep[i] {
			out = append(out, m)
		}
	}
	return out
}

// at returns the residual of time and power at modes; nil, nil without a reference.
func (r *Residual) at(modes []tegra.Mode) (time, power []float64) {
	if r == nil {
		return nil, nil
	}
	x := r.scale.points(modes)
	return r.sums[ofTime].at(x), r.sums[ofPower].at(x)
}

// atSettings is at for the modes of settings.
func (r *Residual) atSettings(list []tegra.Setting) (time, power []float64) {
	if r == nil {
		return nil, nil
	}
	return r.at(tegra.ModesOf(list))
}

// over is at for every mode of a space, computed only once for the residual's own space.
func (r *Residual) over(space *tegra.Space) (time, power []float64) {
	if r == nil {
		return nil, nil
	}
	if space != r.space {
		return r.at(space.Modes())
	}
	r.once.Do(func() { r.time, r.power = r.at(r.space.Modes()) })
	return r.time, r.power
}

// atIndexes is at for modes given by their index in a space. It looks them up if over has computed them.
func (r *Residual) atIndexes(space *tegra.Space, index []int, modes []tegra.Mode) (time, power []float64) {
	if r == nil || space != r.space {
		return r.at(modes)
	}
	allTime, allPower := r.over(space)
	time, power = make([]float64, len(index)), make([]float64, len(index))
	for k, i := range index {
		time[k], power[k] = allTime[i], allPower[i]
	}
	return time, power
}

// kernelSum is a function Σ_j w_j k(x, x_j) of a family's kernel around centres, the form of a Gaussian process'
// posterior mean.
type kernelSum struct {
	family  *family
	x       []point // scaled
	weights []float64
}

// at returns the function's values at points.
func (s *kernelSum) at(at []point) []float64 {
	out := make([]float64, len(at))
	parallel.Ranges(len(at), func(from, to int) {
		kernels := make([]simd.Lanes, len(s.x))
		for i := from; i < to; i += simd.Wide {
			var x simd.Points
			s.family.lanes(at, i, to, &x)
			simd.Matern(kernels, s.x, &x, 1)
			sum := simd.Dot(s.weights, kernels)
			copy(out[i:to], sum[:])
		}
	})
	return out
}

// gaussian returns the weights of the Gaussian process' part of the posterior mean, sf² C⁻¹ (y − M), for one kernel
// around each sample.
func (c *curve) gaussian() []float64 {
	alpha := append([]float64(nil), c.beta...)
	backward(c.chol, len(c.x), alpha)
	for i := range alpha {
		alpha[i] *= c.sf * c.sf
	}
	return alpha
}

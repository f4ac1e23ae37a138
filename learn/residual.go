package learn

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

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
	sums    []kernelSum
	modes   int              // number it was learned from
	samples []tegra.Measured // those modes; nil for a compact reference
	carries [2]Share         // transferred share of time and power
	priors  *[2]Prior        // learned with it, of time and power; nil: none
	wary    bool             // see Wary
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
		carries: refShare,
		sums: []kernelSum{
			{octaves: timeFamily.octaves, x: fit.time.curves[0].x, time: time},
			{octaves: powerFamily.octaves, x: fit.power.curves[0].x, power: power},
		},
	}, nil
}

// Loose returns r with priors as wide as expected before their workloads were measured
// (docs/decisions/030-as-narrow-as-the-workloads-lie.md).
func (r *Residual) Loose() *Residual {
	if !r.HasPrior() {
		return r
	}
	priors := [2]Prior{r.priors[ofTime].loose(), r.priors[ofPower].loose()}
	return &Residual{space: r.space, scale: r.scale, sums: r.sums, modes: r.modes, samples: r.samples,
		carries: r.carries, priors: &priors}
}

// Wary returns r for a search that protects hardware and must not be overconfident about unusual workloads: it adds a
// third fit, with widened deviations of the board's prior.
func (r *Residual) Wary() *Residual {
	if !r.HasPrior() {
		return r
	}
	return &Residual{space: r.space, scale: r.scale, sums: r.sums, modes: r.modes, samples: r.samples,
		carries: r.carries, priors: r.priors, wary: true}
}

// HasPrior reports whether r has priors for a workload before any measurement.
func (r *Residual) HasPrior() bool { return r != nil && r.priors != nil }

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
	time, power = make([]float64, len(x)), make([]float64, len(x))
	for _, sum := range r.sums {
		sum.add(x, time, power)
	}
	return time, power
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

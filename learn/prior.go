package learn

import (
	"fmt"
	"math"
	"slices"
)

// Share is how much of a reference's residual is expected to carry over to another
// workload: a normal distribution.
type Share struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

// refShare is the share of one workload, in time and in power.
var refShare = [2]Share{{0.5, 0.4}, {0.5, 0.4}}

// Prior is what is known of a mean function's parameters before a workload is measured:
// a normal distribution with the covariance S = diag(SD²) + LevelSD² 11ᵀ, the second part over
// the amplitudes alone.
type Prior struct {
	Mean    []float64 `json:"mean"`     // ln of the amplitudes, then ln p
	SD      []float64 `json:"sd"`       // of each fitted parameter
	LevelSD float64   `json:"level_sd"` // of what the amplitudes have in common
	// Scatter is the factor by which the amplitudes' deviations were made smaller, as the workloads that it was
	// learned from lie closer together than was expected; 0: by none.
	Scatter float64 `json:"scatter,omitempty"`
}

// unlikeBy is the factor on a prior's deviations for workloads unlike those that it was learned from
// (docs/decisions/032-unseen-workloads.md).
const unlikeBy = 2

// wide is the prior for workloads unlike those that it was learned from.
func (q Prior) wide() Prior {
	q.SD = slices.Clone(q.SD)
	for i := range q.SD {
		q.SD[i] *= unlikeBy
	}
	q.LevelSD *= unlikeBy
	return q
}

// loose is the prior with the deviations that were expected.
func (q Prior) loose() Prior {
	if q.Scatter == 0 {
		return q
	}
	q.SD = slices.Clone(q.SD)
	for i := range q.SD[:min(len(q.SD), len(q.Mean)-1)] {
		q.SD[i] /= q.Scatter
	}
	q.Scatter = 0
	return q
}

// precision is S⁻¹, row-major, and ln|S|; k of the parameters are amplitudes.
func (q *Prior) precision(k int) (inv []float64, lnDet float64) {
	p := len(q.SD)
	s := make([]float64, p*p)
	for i := range p {
		s[i*p+i] = square(q.SD[i])
		for j := range k {
			if i < k {
				s[i*p+j] += square(q.LevelSD)
			}
		}
	}
	cholesky(s, p) // positive definite: check sees to SD > 0
	inv = make([]float64, p*p)
	for i := range p {
		inv[i*p+i] = 1
	}
	forward(s, p, inv, p)
	for j := range p {
		column := make([]float64, p)
		for i := range p {
			column[i] = inv[i*p+j]
		}
		backward(s, p, column)
		for i, v := range column {
			inv[i*p+j] = v
		}
	}
	return inv, 2 * lnDiagonal(s, p)
}

// checkPrior rejects a prior that is none of a family's parameters.
func (f *family) checkPrior(q *Prior) error {
	odd := func(v float64, least float64) bool { return !inside(v, least, mostPrior) }
	switch {
	case len(q.Mean) != f.amplitudes()+1 || len(q.SD) != f.params():
		return fmt.Errorf("a prior of %d means and %d deviations", len(q.Mean), len(q.SD))
	case slices.ContainsFunc(q.Mean, func(v float64) bool { return odd(v, -mostPrior) }),
		slices.ContainsFunc(q.SD, func(v float64) bool { return odd(v, leastPriorSD) }), odd(q.LevelSD, 0),
		q.Scatter != 0 && !inside(q.Scatter, leastScatter, 1):
		return fmt.Errorf("a prior out of range: means %.3g, deviations %.3g, level %g", q.Mean, q.SD, q.LevelSD)
	case f.params() == f.amplitudes() && q.Mean[f.amplitudes()] != math.Log(f.p0):
		return fmt.Errorf("a prior with p %g, which is %g here", math.Exp(q.Mean[f.amplitudes()]), f.p0)
	}
	return nil
}

const (
	mostPrior    = 20.0 // of means and deviations of ln amplitudes
	leastPriorSD = 0.01
)

// transfer is what a reference gives to the fit of one target.
type transfer struct {
	carries Share
	prior   *Prior // nil: the family's
	wary    bool   // see Residual.Wary
}

// priors are the priors of the fits with the reference: the family's, or a board's at its own width and, for a wary
// one, wide.
func (t transfer) priors() []*Prior {
	if t.prior == nil || !t.wary {
		return []*Prior{t.prior}
	}
	wide := t.prior.wide()
	return []*Prior{t.prior, &wide}
}

// Targets of a fit, as indexes.
const (
	ofTime = iota
	ofPower
)

// transfer is what r gives to the fit of a target.
func (r *Residual) transfer(target int) transfer {
	if r == nil {
		return transfer{}
	}
	out := transfer{carries: r.carries[target], wary: r.wary}
	if r.priors != nil {
		out.prior = &r.priors[target]
	}
	return out
}

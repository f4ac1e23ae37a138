package learn

import (
	"fmt"
	"slices"
)

// Share is the normal prior of the share of a reference's residual that transfers to another workload.
type Share struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

// refShare is the prior for a single reference workload, in time and in power.
var refShare = [2]Share{{0.5, 0.4}, {0.5, 0.4}}

// Prior is the prior of a mean function's parameters before a workload is measured: normal with covariance S =
// diag(SD²) + LevelSD² 11ᵀ; the second part covers only the amplitudes.
type Prior struct {
	Mean    []float64 `json:"mean"`     // ln of the amplitudes, then ln p
	SD      []float64 `json:"sd"`       // of each fitted parameter
	LevelSD float64   `json:"level_sd"` // of the amplitudes' common level
	// Scatter is the factor that narrowed the amplitudes' deviations because the learned workloads are closer together
	// than expected; 0: not narrowed.
	Scatter float64 `json:"scatter,omitempty"`
}

// unlikeBy widens a prior's deviations for workloads unlike those it was learned from.
const unlikeBy = 2

// wide returns the prior for workloads unlike those it was learned from.
func (q Prior) wide() Prior {
	q.SD = slices.Clone(q.SD)
	for i := range q.SD {
		q.SD[i] *= unlikeBy
	}
	q.LevelSD *= unlikeBy
	return q
}

// loose returns the prior with the originally expected deviations.
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

// precision returns S⁻¹, row-major, and ln|S|; the first k parameters are amplitudes.
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
	cholesky(s, p) // positive definite: check ensures SD > 0
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

// checkPrior rejects a prior that does not fit the family's parameters.
func (f *family) checkPrior(q *Prior) error {
	odd := func(v float64, least float64) bool { return !inside(v, least, mostPrior) }
	switch {
	case len(q.Mean) != f.amplitudes()+1 || len(q.SD) != f.params():
		return fmt.Errorf("a prior of %d means and %d deviations", len(q.Mean), len(q.SD))
	case slices.ContainsFunc(q.Mean, func(v float64) bool { return odd(v, -mostPrior) }),
		slices.ContainsFunc(q.SD, func(v float64) bool { return odd(v, leastPriorSD) }), odd(q.LevelSD, 0),
		q.Scatter != 0 && !inside(q.Scatter, leastScatter, 1):
		return fmt.Errorf("a prior out of range: means %.3g, deviations %.3g, level %g", q.Mean, q.SD, q.LevelSD)
	case f.params() == f.amplitudes() && q.Mean[f.amplitudes()] != f.prior.Mean[f.amplitudes()]:
		return fmt.Errorf(
			"a prior with ln p %g, which is %g here",
			q.Mean[f.amplitudes()],
			f.prior.Mean[f.amplitudes()],
		)
	}
	return nil
}

const (
	mostPrior    = 20.0 // bound of means and deviations of ln amplitudes
	leastPriorSD = 0.01
)

// transfer is a reference's contribution to the fit of one target.
type transfer struct {
	carries Share
	prior   *Prior // nil: the family's
	wary    bool   // see Residual.Wary
}

// priors returns the priors of the fits with the reference: the family's or the board's, and also the widened one if
// wary.
func (t transfer) priors() []*Prior {
	if t.prior == nil || !t.wary {
		return []*Prior{t.prior}
	}
	wide := t.prior.wide()
	return []*Prior{t.prior, &wide}
}

// Target indices of a fit.
const (
	ofTime = iota
	ofPower
)

// transfer returns r's contribution to the fit of a target.
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

// Package design chooses the modes to measure when every limit is of interest (docs/method.md, Which modes to measure):
// greedily, after every measurement, the mode that removes most uncertainty about the space relative to a power of its
// measuring cost, within a time budget (docs/decisions/015-design-keeps-a-budget-of-time.md). Hyper-parameters are
// fixed, and outliers are not handled while choosing. Cost of a step: one fit and a 300 × 300 covariance.
package design

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/tegra"
)

// Settings of the design.
const (
	mostCandidates = 300  // random modes among which to choose
	mostTargets    = 300  // random modes whose uncertainty is reduced
	costPower      = 0.7  // exponent of the predicted cost in the score's denominator
	timeShare      = 0.95 // budget per mode, in predicted mean times of all modes
	settleS        = 12.0 // seconds to apply a mode and let it settle
	minibatchesPer = 50.0 // minibatches per measured mode
	guessedCostMS  = 100.0
)

// ProfilingS returns the seconds needed to measure a mode with minibatches of timeMS.
func ProfilingS(timeMS float64) float64 { return settleS + minibatchesPer*timeMS/1000 }

// Design chooses modes one by one from those measured so far. Equal seeds and measurements give equal choices, even if
// a campaign continues in a new process.
type Design struct {
	places tegra.Places
	n      int
	seed   uint64
}

// New plans n settings among places.
func New(places tegra.Places, n int, seed uint64) *Design {
	return &Design{places: places, n: min(n, places.Len()), seed: seed}
}

// Len returns the number of settings planned.
func (d *Design) Len() int { return d.n }

// Next returns the setting to measure after these; false if the design is complete. A setting in tried but not in done
// has failed: it is not proposed again, and another replaces it as long as fewer than half of all fail.
func (d *Design) Next(done []tegra.Measured, tried ...tegra.Setting) (tegra.Setting, bool) {
	known, failed := map[int]bool{}, map[int]bool{}
	samples := make([]tegra.Measured, 0, len(done))
	for _, m := range done {
		if i, ok := d.places.Index(m.Setting); ok && stats.Positive(m.TimeMS, m.PowerW) {
			samples = append(samples, m)
			known[i] = true
		}
	}
	for _, a := range tried {
		if i, ok := d.places.Index(a); ok && !known[i] {
			failed[i] = true
		}
	}
	var open []int
	for i := range d.places.Len() {
		if !known[i] && !failed[i] {
			open = append(open, i)
		}
	}
	if len(known) >= d.n || len(open) == 0 || len(failed) >= max(3, d.n) {
		return tegra.Setting{}, false
	}
	rng := rand.New(rand.NewPCG(d.seed, uint64(len(known)+len(failed))))
	candidates := stats.Draw(rng, open, mostCandidates)
	targets := rng.Perm(d.places.Len())[:min(mostTargets, d.places.Len())]
	i := d.choose(samples, candidates, targets)
	return d.places.At(i), true
}

// choose returns the candidate with the best score, or the first, a random one, if no model can be fitted.
func (d *Design) choose(samples []tegra.Measured, candidates, targets []int) int {
	o := learn.SurrogateOptions{Batches: d.places.Batches}
	model, err := learn.FitSurrogate(d.places.Space, samples, o)
	if err != nil {
		return candidates[0]
	}
	shift := 0.0
	if len(samples) == 0 { // the prior has no absolute time
		shift = math.Log(guessedCostMS) - slices.Min(model.Posterior().LnTime)
	}
	p, aim := model.PosteriorAt(candidates), model.PosteriorAt(targets)
	time := explained(model.CovTime(targets, candidates), aim.SdTime, p.SdTime, p.NoiseTime)
	power := explained(model.CovPower(targets, candidates), aim.SdPower, p.SdPower, p.NoisePower)
	left := timeShare * float64(len(samples)+1) * meanTimeMS(aim.LnTime, shift)
	for _, m := range samples {
		left -= m.TimeMS
	}
	best, fastest, most := -1, 0, math.Inf(-1)
	for k := range candidates {
		timeMS := math.Exp(p.LnTime[k] + shift)
		if p.LnTime[k] < p.LnTime[fastest] {
			fastest = k
		}
		if score := (time[k] + power[k]) / math.Pow(ProfilingS(timeMS), costPower); timeMS <= left && score > most {
			best, most = k, score
		}
	}
	if best < 0 {
		best = fastest
	}
	return candidates[best]
}

// meanTimeMS returns the mean of the predicted times.
func meanTimeMS(lnTime []float64, shift float64) float64 {
	sum := 0.0
	for _, v := range lnTime {
		sum += math.Exp(v + shift)
	}
	return sum / float64(len(lnTime))
}

// explained returns the share of the targets' variance that measuring each candidate would remove: cov is their
// covariance.
func explained(cov *mat.Dense, sdOfTargets, sdOfCandidates []float64, noise float64) []float64 {
	total := 0.0
	for _, sd := range sdOfTargets {
		total += sd * sd
	}
	out := make([]float64, len(sdOfCandidates))
	for c, sd := range sdOfCandidates {
		sum := 0.0
		for e := range sdOfTargets {
			v := cov.At(e, c)
			sum += v * v
		}
		out[c] = sum / (sd*sd + noise*noise) / total
	}
	return out
}

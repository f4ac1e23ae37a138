package optimize

import (
	"slices"

	"jtune/tegra"
)

// The first probes of a search.
//
// Over modes: the modes to compare the answer with, each once it is trusted to keep a power limit, so that the gain
// over them is measured. Without a power limit the first of them replaces the start mode.
//
// Over batch sizes: the settings that reduce the uncertainty about all settings most, among those trusted to keep a
// power limit. After one reading the power model is uncertain, so the second probe is the setting expected to draw
// least of those nearly as informative as the best. docs/decisions/012-first-probes-over-batch-sizes.md has the gain.

// comparedShare limits the modes to compare with: the cap of probes divided by this.
const comparedShare = 4

// toCompare returns the next comparison mode that may be measured; false if there is none, or if batch sizes are
// searched, since the answer's size is unknown.
func (s *search) toCompare(may func(i int) bool) (int, bool) {
	if s.places.Batches != nil {
		return 0, false
	}
	for _, m := range s.o.Compare[:min(len(s.o.Compare), s.cap/comparedShare)] {
		if i, ok := s.places.Index(tegra.Setting{Mode: m}); ok && may(i) {
			return i, true
		}
	}
	return 0, false
}

const (
	firstSettings   = 4   // measured, including the start, before seeking the best
	firstShare      = 4   // limit: the cap of probes divided by this
	firstCandidates = 200 // random settings to choose from, and as many whose uncertainty counts
	secondTells     = 0.7 // share of the most informative one's value
)

// firstProbe returns the setting that reduces the uncertainty most; false if enough were measured or none is trusted.
func (l *loop) firstProbe(b *belief) (int, bool) {
	if l.places.Batches == nil || len(l.order) >= min(firstSettings, l.cap/firstShare) {
		return 0, false
	}
	z := l.caution()
	candidates := draw(l.rng, b.openModes(func(i int) bool { return b.trusted(l.limit, i, z) }), firstCandidates)
	if len(candidates) == 0 {
		return 0, false
	}
	if len(l.order) > 1 {
		return l.mostInformative(b, candidates), true
	}
	tells, coolest := tell(l.search, b, candidates), newArgmax()
	most := slices.Max(tells)
	for k, i := range candidates {
		if tells[k] >= secondTells*most {
			coolest.offer(i, -b.lnPower[i], 0)
		}
	}
	return coolest.index, true
}

// mostInformative returns the candidate that reduces the uncertainty about all settings most.
func (s *search) mostInformative(b *belief, candidates []int) int {
	most := newArgmax()
	for k, tells := range tell(s, b, candidates) {
		most.offer(candidates[k], tells, 0)
	}
	return most.index
}

// tell returns by how much each candidate reduces the uncertainty about all settings.
func tell(s *search, b *belief, candidates []int) []float64 {
	targets := draw(s.rng, upTo(len(b.open)), firstCandidates)
	time := explained(s.model.CovTime(targets, candidates), at(b.ownSDTime, targets), at(b.ownSDTime, candidates),
		b.noiseTime)
	power := explained(s.model.CovPower(targets, candidates), at(b.ownSDPower, targets), at(b.ownSDPower, candidates),
		b.noisePower)
	for k, v := range power {
		time[k] += v
	}
	return time
}

func at(values []float64, index []int) []float64 {
	out := make([]float64, len(index))
	for k, i := range index {
		out[k] = values[i]
	}
	return out
}

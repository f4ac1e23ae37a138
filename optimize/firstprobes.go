package optimize

import (
	"slices"

	"jtune/tegra"
)

// The first probes of a search.
//
// Over modes: those that the answer will be compared with, each as soon as it is trusted to
// keep a power limit, so that what is gained over them is measured; without such a limit
// the first of them takes the place of the start mode.
//
// Over batch sizes: the settings that reduce the uncertainty about all settings most, among
// those that are trusted to keep a power limit. From one reading little is known of power: the
// second is the setting expected to draw least, of those that say nearly as much as the best.
// docs/decisions/012-first-probes-over-batch-sizes.md says what they gain.

// comparedShare bounds the modes to compare with to the cap of probes divided by this.
const comparedShare = 4

// toCompare is the next mode to compare the answer with that may be measured; false when
// there is none, as where the batch size is searched too: the answer's is not known yet.
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
	firstSettings   = 4   // measured, the start among them, before the best is sought
	firstShare      = 4   // but no more than the cap of probes divided by this
	firstCandidates = 200 // random settings to choose from, and as many whose uncertainty counts
	secondTells     = 0.7 // of what the most informative one tells
)

// firstProbe chooses the setting that reduces the uncertainty most; false when
// enough were measured or none is trusted.
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

// mostInformative is the candidate that reduces the uncertainty about all settings most.
func (s *search) mostInformative(b *belief, candidates []int) int {
	most := newArgmax()
	for k, tells := range tell(s, b, candidates) {
		most.offer(candidates[k], tells, 0)
	}
	return most.index
}

// tell is by how much each candidate reduces the uncertainty about all settings.
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

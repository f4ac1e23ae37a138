package optimize

// The first probes of a search over batch sizes: the settings that reduce the
// uncertainty about all settings most, among those that are trusted to keep a power
// limit. docs/decisions/012-first-probes-over-batch-sizes.md says what they gain.

const (
	firstSettings   = 4   // measured, the start among them, before the best is sought
	firstShare      = 4   // but no more than the cap of probes divided by this
	firstCandidates = 200 // random settings to choose from, and as many whose uncertainty counts
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
	targets := draw(l.rng, upTo(len(b.open)), firstCandidates)
	time := explained(l.model.CovTime(targets, candidates), b.ownSDTime, b.noiseTime, targets, candidates)
	power := explained(l.model.CovPower(targets, candidates), b.ownSDPower, b.noisePower, targets, candidates)
	most := newArgmax()
	for k, i := range candidates {
		most.offer(i, time[k]+power[k], 0)
	}
	return most.index, true
}

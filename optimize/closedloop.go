package optimize

// The closed loop: fit the gp model to the measurements, measure the mode with the largest expected improvement within
// the limit, but never one that the model does not trust to keep a power limit, and stop if no mode promises enough
// (docs/method.md, Search rule). A search also ends once no remaining mode may meet the limits and the nearest mode was
// measured. docs/decisions/010-search-trust-near-the-power-limit.md has the alternatives tried and the weaknesses. Cost
// of a step: one fit and one pass over the space.

import "math"

// Settings of the closed loop.
const (
	trustZ         = 1.64 // deviations by which a trusted mode is within the limit
	trustFewZ      = 0.5  // more for each measured mode short of trustModes
	trustModes     = 6
	trustDetourZ   = 0.5   // less for every consecutive detour, over batch sizes
	trustOver      = 1.05  // factor by which a trusted mode may exceed the limit
	MaxOvershoot   = 1.1   // in power limits: what no probe should draw
	hotZ           = 2     // deviations by which a trusted mode is below MaxOvershoot
	hotShare       = 0.92  // with a board's profile: coverage of a trusted mode's band below MaxOvershoot
	unlikely       = 0.05  // below this chance of meeting the limit, seek the least excess
	narrowPower    = 1.3   // factor on the deviations in the chance to meet a power limit
	untrusted      = 1000  // ranks untrusted modes below all trusted ones
	possibleZ      = 2     // deviations of the band that decides whether a mode may meet a limit
	possibleLessZ  = 0.125 // less for every measured mode beyond trustModes
	leastPossibleZ = 1.0
	noChance       = 0.01 // if all modes are below it twice in a row, the search ends
	noChanceModes  = 5    // after at least this many modes
	knownProbes    = 4    // probes of a search with known modes, after which one quiet step ends it
	knownGain      = 0.2  // share of the gain to stop at, until then
	knownDetour    = 0.03 // expected improvement that justifies a detour after that
	knownStop      = 0.9  // share of the gain to stop at, after that
	leanProbes     = 5    // probes of a search with a board's profile, after which one quiet step ends it
	leanDetours    = 7    // probes of such a search after which small gains justify no detour, whatever its readings
	leanWeight     = 0.5  // weight of the profile in time and in power, required to end after leanProbes
	longProbes     = 15   // probes of a quick search, without repeats, from which longGain is the gain to stop at
	longGain       = 0.03
	longMore       = 0.02 // added to longGain for every further probe
	knownDoubt     = 1.3  // factor on the model's own deviations after the check of known modes
)

// gain returns the expected relative improvement below which a search stops.
func (d SearchDepth) gain() float64 {
	if d == Thorough {
		return 0.005
	}
	return 0.01
}

// belief is the model's prediction for every setting, including measurement noise.
type belief struct {
	lnTime, sdTime   []float64
	lnPower, sdPower []float64
	goal, sdGoal     []float64 // ln of the objective
	// ownSDTime and ownSDPower exclude measurement noise.
	ownSDTime, ownSDPower []float64
	noiseTime, noisePower float64
	open                  []bool    // may be measured: not measured yet, not failed
	hot                   float64   // deviations required of a trusted mode below MaxOvershoot
	ifFaster              []float64 // in ln power, see guard; nil without a power limit
	ease                  float64   // factor on the deviations required by trusted, see gainTrust
	drive                 []float64 // see drives
	logs                  logarithms
}

// logarithms caches the last few requested, since the same limits are needed for each mode.
type logarithms struct {
	of, ln [4]float64
	next   int
}

// ln returns the logarithm of a limit.
func (b *belief) ln(of float64) float64 {
	c := &b.logs
	for i, v := range c.of {
		if v == of && of != 0 {
			return c.ln[i]
		}
	}
	i := c.next
	c.of[i], c.ln[i], c.next = of, math.Log(of), (i+1)%len(c.of)
	return c.ln[i]
}

func (s *search) believe() belief {
	if s.expected == nil {
		s.expected = s.model.Posterior()
	}
	p := s.expected
	doubt := 1.0
	if s.checked {
		doubt = knownDoubt
	}
	n := len(p.LnTime)
	b := belief{
		lnTime:     p.LnTime,
		lnPower:    p.LnPower,
		ownSDTime:  make([]float64, n),
		ownSDPower: make([]float64, n),
		noiseTime:  p.NoiseTime,
		noisePower: p.NoisePower,
		sdTime:     make([]float64, n),
		sdPower:    make([]float64, n),
		goal:       make([]float64, n),
		open:       make([]bool, n),
		drive:      make([]float64, n),
		hot:        hotZ,
		ease:       1,
	}
	if s.residual.HasPrior() && len(s.known) == 0 {
		b.hot = p.WidthByReadings(hotShare)
	}
	for i := range n {
		b.ownSDTime[i], b.ownSDPower[i] = doubt*p.SdTime[i], doubt*p.SdPower[i]
		b.sdTime[i] = math.Hypot(b.ownSDTime[i], p.NoiseTime)
		b.sdPower[i] = math.Hypot(b.ownSDPower[i], p.NoisePower)
		b.open[i] = true
		if s.places.Batches != nil {
			b.goal[i] = -math.Log(float64(max(1, s.places.At(i).Batch))) // per sample
		}
	}
	for i, list := range s.readings {
		b.open[i] = len(list) == 0
	}
	for i, failed := range s.failed {
		b.open[i] = b.open[i] && !failed
	}
	b.guard(s, doubt)
	switch s.limit.objective() {
	case byPower:
		b.goal, b.sdGoal = b.lnPower, b.sdPower
	case byEnergy:
		b.sdGoal = make([]float64, n)
		for i := range n {
			b.goal[i], b.sdGoal[i] = b.goal[i]+b.lnTime[i]+b.lnPower[i], math.Hypot(b.sdTime[i], b.sdPower[i])
		}
	default:
		for i := range n {
			b.goal[i] += b.lnTime[i]
		}
		b.sdGoal = b.sdTime
		if s.limit.PowerW > 0 && s.short() {
			s.drives(&b, doubt)
		}
	}
	return b
}

// miss orders modes equally within a power limit, nearest to the limits first: by time if that is limited, else by
// power.
func (b *belief) miss(l Limit, i int) float64 {
	if l.TimeMS > 0 {
		return b.lnTime[i]
	}
	return b.lnPower[i]
}

// below reports whether mean + z·sd of mode i is below factor times the power limit.
func (b *belief) below(l Limit, i int, factor, z float64) bool {
	return l.PowerW == 0 || b.lnPower[i]+z*b.sdPower[i] <= b.ln(l.PowerW*factor)
}

// faster is below for a guarded time limit.
func (b *belief) faster(l Limit, i int, factor, z float64) bool {
	return !l.GuardTime || l.TimeMS == 0 || b.lnTime[i]+z*b.sdTime[i] <= b.ln(l.TimeMS*factor)
}

// within reports whether the median of mode i is within a power limit and a guarded time limit.
func (b *belief) within(l Limit, i int) bool { return b.below(l, i, 1, 0) && b.faster(l, i, 1, 0) }

// possible reports whether mode i may meet the limits at z of its own deviations, without reading noise, below its
// median. With a time limit, its power must be that of a mode just fast enough.
func (b *belief) possible(l Limit, i int, z float64) bool {
	lnPower := b.lnPower[i] - z*b.ownSDPower[i]
	if l.TimeMS > 0 {
		faster := max(0, b.lnTime[i]-b.ln(l.TimeMS)) / b.ownSDTime[i]
		if faster > z {
			return false
		}
		if b.ifFaster != nil {
			lnPower += faster * b.ifFaster[i] / fasterZ
		}
	}
	return l.PowerW == 0 || lnPower <= b.ln(l.PowerW)
}

// harm orders untrusted modes, least harmful first: by power, or by a guarded time.
func (b *belief) harm(l Limit, i int) float64 {
	if l.PowerW == 0 && l.GuardTime {
		return b.lnTime[i]
	}
	return b.lnPower[i]
}

// trusted reports whether mode i may be measured with caution z. Exceeding a power limit can trip a power supply;
// exceeding a time limit is harmless unless it is guarded.
func (b *belief) trusted(l Limit, i int, z float64) bool {
	return b.below(l, i, trustOver, b.ease*z) && b.coolIfFaster(l, i) &&
		b.faster(l, i, trustOver, b.ease*z) && b.faster(l, i, MaxOvershoot, b.ease*b.hot)
}

// loop is the state of a closed loop between steps.
type loop struct {
	*search
	quiet   int // consecutive steps without enough expected improvement, or without a chance
	detours int // consecutive steps that measured for information
	again   int // steps that repeated a near miss
}

// closedLoop runs the search until just before the verification.
func (s *search) closedLoop() {
	s.fits = true
	s.prepareReference()
	if !s.compared.measurePresent() {
		return
	}
	if len(s.known) > 0 && !s.checkKnown() {
		return
	}
	s.checked = len(s.known) > 0
	l := &loop{search: s}
	over := len(s.tooMuch)
	for !s.compared.started() {
		if !l.mayGoOn() {
			return
		}
		first := -1
		if len(s.tooMuch)-over >= startsOver && s.fit() == nil {
			b := s.believe()
			first = b.coolest()
		}
		if first < 0 {
			first = s.startMode()
		}
		if !s.probe(first, Start) {
			return
		}
		if len(s.tooMuch)-over > startsOver { // even the coolest mode draws too much
			s.ended = NoWay
			return
		}
	}
	l.improve()
	s.goOn = l.improve
}

// improve measures one promising mode after another until none promises enough or probes run out.
func (l *loop) improve() {
	l.quiet, l.detours = 0, 0
	for l.mayGoOn() {
		if i, ok := l.implausible(); ok {
			if !l.probe(i, Verify) {
				return
			}
			continue
		}
		b := l.believe()
		i, ok := l.toCompare(func(i int) bool { return b.open[i] && b.trusted(l.limit, i, l.caution()) })
		why := Start
		if !ok {
			i, ok = l.next(&b)
			why = Improve
			if ok && len(l.readings[i]) > 0 {
				why = Verify
			}
		}
		if !ok || !l.probe(i, why) {
			return
		}
	}
}

// prepareReference computes the residual of the reference workload, or drops an unusable one with a warning.
func (s *search) prepareReference() {
	if s.o.Reference == nil {
		return
	}
	var err error
	if s.residual, err = s.o.Reference.Residual(s.o.Space); err != nil {
		s.warn("reference %s is not used: %v", s.o.Reference.Name, err)
	}
	if s.limit.PowerW == 0 { // the narrow prior helps only within a power limit
		s.residual = s.residual.Loose()
	} else {
		s.residual = s.residual.Wary()
	}
}

// next returns the mode to measure; false if the search is over.
func (l *loop) next(b *belief) (int, bool) {
	if i, ok := l.firstProbe(b); ok {
		return i, true
	}
	best, found := l.best()
	if !found {
		return l.seekFeasible(b)
	}
	return l.seekBetter(b, l.lnGoal(best))
}

// lnGoal returns ln of the objective of a measured mode, in the units of belief.goal.
func (s *search) lnGoal(i int) float64 {
	goal, _ := s.limit.objective().value(s.mean(i))
	if s.limit.objective() == byEnergy {
		goal *= 1000 // the model's time is in milliseconds
	}
	return math.Log(goal)
}

// caution returns the number of deviations that trusted requires now.
func (l *loop) caution() float64 {
	z := trustZ + trustFewZ*float64(max(0, trustModes-l.compared.informative()))
	if l.places.Batches != nil {
		z = max(0, z-trustDetourZ*float64(l.detours))
	}
	return z
}

// optimism returns the number of deviations that possible allows now: fewer after many modes without success.
func (l *loop) optimism() float64 {
	return min(max(possibleZ-possibleLessZ*float64(l.compared.informative()-trustModes), leastPossibleZ), possibleZ)
}

// seekFeasible chooses a mode while none measured meets the limits (step 4 of the search rule). It ends the search once
// no remaining mode may meet them and the nearest trusted one, or one equally near within the noise, was measured.
func (l *loop) seekFeasible(b *belief) (int, bool) {
	z := l.caution()
	likely, lowest, nearest, measured := newArgmax(), newArgmax(), newArgmax(), newArgmax()
	hope, trustedHope, possible := 0.0, 0.0, false
	for i, open := range b.open {
		miss, over := b.miss(l.limit, i), 0.0
		if !b.within(l.limit, i) {
			over = b.harm(l.limit, i)
		}
		trusted := open && b.trusted(l.limit, i, z)
		if !open || trusted {
			nearest.offer(i, -over, -miss)
		}
		if !open {
			measured.offer(i, -over, -miss)
			continue
		}
		chance := b.chance(l.limit, i)
		hope = max(hope, chance)
		possible = possible || b.possible(l.limit, i, l.optimism())
		if !trusted {
			lowest.offer(i, -untrusted-b.harm(l.limit, i), 0)
		} else {
			lowest.offer(i, 0, -miss)
			trustedHope = max(trustedHope, chance)
			likely.offer(i, math.Log(max(chance, math.SmallestNonzeroFloat64))-b.goal[i]/2, 0)
		}
	}
	switch {
	case lowest.index < 0:
		l.ended = Exhausted
		return 0, false
	case !possible && nearest.asNear(measured), l.quietFor(hope < noChance && len(l.order) >= noChanceModes):
		if i, ok := l.lastResort(b); ok {
			return i, true
		}
		l.ended = NoWay
		return 0, false
	case likely.index < 0 || trustedHope < unlikely:
		return lowest.index, true
	}
	return likely.index, true
}

// seekBetter chooses a mode that may beat the best feasible measurement (steps 5 and 6 of the search rule).
func (l *loop) seekBetter(b *belief, best float64) (int, bool) {
	z, gain, enough := l.caution(), l.gain(), l.enough()
	desired, trusted := newArgmax(), newArgmax()
	for i, open := range b.open {
		if !open || trusted.index >= 0 && b.mostImprovement(i, best) <= trusted.value {
			continue
		}
		ei := b.improvement(l.limit, i, best)
		desired.offer(i, ei, 0)
		if (trusted.index < 0 || ei > trusted.value) && b.trusted(l.limit, i, z) {
			trusted.offer(i, ei, 0)
		}
	}
	if i, value := nearMiss(l.search, b, best); value >= max(gain, trusted.value) {
		l.again++
		return i, true
	}
	switch {
	case desired.index < 0:
		l.ended = Exhausted
		return 0, false
	case l.quietFor(desired.value < gain),
		l.quiet > 0 && (enough || l.leans()),
		enough && trusted.value < gain && desired.value < knownDetour:
		l.ended = Converged
		return 0, false
	case b.trusted(l.limit, desired.index, z):
		l.detours = 0
		return desired.index, true
	case trusted.index >= 0 && trusted.value >= gain:
		l.detours = 0
		return trusted.index, true
	}
	return l.gainTrust(b, desired.index, best)
}

// gain returns the expected relative improvement below which a step is quiet; it is lower in the first probes of a
// search with known modes.
func (l *loop) gain() float64 {
	more := l.compared.own() - l.begun - l.again - longProbes
	switch {
	case l.o.Depth == Quick && l.places.Batches == nil && more >= 0:
		return longGain + longMore*float64(more)
	case len(l.known) == 0:
		return l.o.Depth.gain()
	case l.enough():
		return knownStop * l.o.Depth.gain()
	}
	return knownGain * l.o.Depth.gain()
}

// enough reports whether a search that started from known modes, another limit's modes or a board profile has made the
// probes after which one quiet step ends it and only a gain of knownDetour justifies a detour.
func (l *loop) enough() bool {
	return (len(l.known) > 0 || l.begun > 0) && l.compared.own()-l.begun >= knownProbes || l.profiled(leanDetours)
}

// profiled reports whether a quick search with a board's profile has made that many probes.
func (l *loop) profiled(probes int) bool {
	return l.residual.HasPrior() && l.o.Depth == Quick && l.compared.own()-l.begun >= probes
}

// leans reports whether a quick search has made leanProbes probes with a board's profile that its readings confirm: its
// model is then as good as after several more probes.
func (l *loop) leans() bool {
	if !l.profiled(leanProbes) {
		return false
	}
	time, power := l.model.ReferenceWeights()
	return min(time, power) >= leanWeight
}

// openModes lists the modes that may be measured and that keep accepts.
func (b *belief) openModes(keep func(i int) bool) []int {
	var out []int
	for i, open := range b.open {
		if open && keep(i) {
			out = append(out, i)
		}
	}
	return out
}

// quietFor counts consecutive steps in which holds is true, and reports whether this is the second.
func (l *loop) quietFor(holds bool) bool {
	if !holds {
		l.quiet = 0
		return false
	}
	l.quiet++
	return l.quiet >= 2
}

// argmax keeps the first index of the largest value; a second value breaks ties.
type argmax struct {
	index       int
	value, then float64
}

func newArgmax() argmax { return argmax{index: -1} }

// asNear reports whether the values of a are at most reading noise above those of another.
func (a *argmax) asNear(other argmax) bool {
	return other.index >= 0 && a.value <= other.value+sameValue && a.then <= other.then+sameValue
}

func (a *argmax) offer(i int, value, then float64) {
	if a.index < 0 || value > a.value || value == a.value && then > a.then {
		*a = argmax{i, value, then}
	}
}

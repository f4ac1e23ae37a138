package optimize

import (
	"cmp"
	"math"
	"slices"

	"jtune/optimize/ladder"
	"jtune/tegra"
)

// The first mode of a closed loop is low, where it exceeds no power limit and every knob still matters (docs/method.md,
// Search rule, step 1). A level is a value's position in its knob's list: 0 lowest, 1 highest.
const (
	startLevelMost             = 0.35 // of any knob, under a power limit
	startMeanLeast, startMean  = 0.08, 0.3
	middleLeast, middleMost    = 0.3, 0.55 // mean level without a power limit: lower middle
	middleLevelMost            = 0.7
	startFallback, midFallback = 0.2, 0.45 // target mean level if no mode qualifies
	startsOver                 = 2         // drawn modes stopped for their power, after which the coolest is tried
)

// startMode returns the first mode: a comparison mode in the level range, or any comparison mode without a power limit.
// Otherwise it draws one: low under a power limit, lower-middle without. If no mode is in the range, or all there have
// failed, it returns the nearest.
func (s *search) startMode() int {
	most, least, mean, ideal := startLevelMost, startMeanLeast, startMean, startFallback
	if s.limit.PowerW == 0 {
		most, least, mean, ideal = middleLevelMost, middleLeast, middleMost, midFallback
	}
	var fit []int
	nearest, ladder := newArgmax(), ladder.New(s.o.Space)
	for i, at := range s.places.All() {
		if s.failed[i] {
			continue
		}
		avg, top := levels(s.places, &ladder, at)
		if top <= most && avg >= least && avg <= mean {
			fit = append(fit, i)
		}
		nearest.offer(i, -math.Abs(avg-ideal)-max(0, top-most), 0)
	}
	safe := func(i int) bool {
		return (s.limit.PowerW == 0 || s.limit.GuardTime) && !s.failed[i] || slices.Contains(fit, i)
	}
	if i, ok := s.toCompare(safe); ok {
		return i
	}
	if i, ok := s.startByPrior(fit); ok {
		return i
	}
	if fit = quick(s, fit); len(fit) > 0 {
		return fit[s.rng.IntN(len(fit))]
	}
	return max(0, nearest.index)
}

// levels returns the mean and the highest level of a setting's knobs, the batch size among them.
func levels(p tegra.Places, l *ladder.Ladder, at tegra.Setting) (mean, top float64) {
	sum, knobs := 0.0, float64(tegra.NumKnobs)
	for k, rung := range l.Rungs(at.Mode) {
		v := l.Level(tegra.Knob(k), rung)
		sum, top = sum+v, max(top, v)
	}
	if n := len(p.Batches); n > 0 {
		rung, _ := slices.BinarySearch(p.Batches, at.Batch)
		v := float64(rung) / float64(max(1, n-1))
		sum, top, knobs = sum+v, max(top, v), knobs+1
	}
	return sum / knobs, top
}

// lowest returns the setting with the lowest knobs of those that can be measured; -1 if there is none.
func lowest(s *search) int {
	least, ladder := newArgmax(), ladder.New(s.o.Space)
	for i, at := range s.places.All() {
		if !s.absent[i] {
			mean, _ := levels(s.places, &ladder, at)
			least.offer(i, -mean, 0)
		}
	}
	return least.index
}

// The first mode should be quick to measure: if a few minibatches take longer than steady power needs, the extra time
// gives no information.
const (
	quickMS    = 600 // longest minibatch of a quick mode
	quickShare = 10  // if fewer than 1/quickShare of the modes are quick, the fastest 1/quickShare count as quick
)

// quick returns the modes of a list that are quick to measure, as predicted from the reading of the current mode; all
// modes without such a reading, and over batch sizes, whose minibatches are not comparable.
func quick(s *search, list []int) []int {
	if len(list) == 0 || len(s.order) == 0 || s.places.Batches != nil || s.fit() != nil {
		return list
	}
	time := s.believe().lnTime
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(i, k int) int { return cmp.Compare(time[i], time[k]) })
	slowest := max(math.Log(quickMS), time[sorted[(len(list)-1)/quickShare]])
	return slices.DeleteFunc(slices.Clone(list), func(i int) bool { return time[i] > slowest })
}

// coolest returns the open mode with the lowest predicted power, the fastest of equals; -1 if none is open.
func (b *belief) coolest() int {
	open := b.openModes(func(int) bool { return true })
	least := math.Inf(1)
	for _, i := range open {
		least = min(least, b.lnPower[i])
	}
	fastest := newArgmax()
	for _, i := range open {
		if b.lnPower[i] <= least+sameValue {
			fastest.offer(i, -b.lnTime[i], 0)
		}
	}
	return fastest.index
}

// Settings of a first mode chosen by a board's prior.
const (
	priorOver    = 1.07 // factor by which its upper band may exceed a power limit
	priorOverGPU = 1.10 // the same when seeking a GPU clock above the lowest
	priorChoice  = 200  // random modes to choose from, and as many whose uncertainty counts
)

// startByPrior returns a first mode by the board's prior: the most informative of those that keep a power limit by two
// deviations. It avoids the lowest GPU clock if a higher one nearly keeps the limit too, since searches that start
// there learn nothing about the GPU. If no mode is expected to keep the limit, it returns the member of low with the
// lowest predicted power. False without a prior.
func (s *search) startByPrior(low []int) (int, bool) {
	if !s.residual.HasPrior() || s.places.Batches != nil || s.fit() != nil {
		return 0, false
	}
	b := s.believe()
	faster := s.model.PowerIfFaster(s.expected, possibleZ, upTo(len(b.open)))
	upper := func(i int) float64 { return b.lnPower[i] + math.Hypot(possibleZ*b.sdPower[i], faster[i]) }
	keeps := func(i int, over float64) bool {
		return s.limit.PowerW == 0 || upper(i) <= math.Log(over*s.limit.PowerW)
	}
	lowest := slices.Min(s.o.Space.Values(tegra.KnobGPU))
	raised := func(i int) bool { return s.places.At(i).Mode.Value(tegra.KnobGPU) > lowest }
	list := b.openModes(func(i int) bool { return raised(i) && keeps(i, priorOver) })
	if len(list) == 0 {
		list = b.openModes(func(i int) bool { return raised(i) && keeps(i, priorOverGPU) })
	}
	if len(list) == 0 {
		list = b.openModes(func(i int) bool { return keeps(i, priorOver) })
	}
	if len(list) == 0 {
		coolest := newArgmax()
		for _, i := range low {
			coolest.offer(i, -upper(i), 0)
		}
		return coolest.index, coolest.index >= 0
	}
	return s.mostInformative(&b, draw(s.rng, list, priorChoice)), true
}

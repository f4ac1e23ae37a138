package optimize

import (
	"math"
	"slices"

	"jtune/tegra"
	"jtune/tegra/metric"
)

// chance returns the probability that the true values of a setting keep the limits.
func (r *rule) chance(i int) float64 {
	t := r.terms(i)
	return r.chanceOf(i, t.lnTime, t.lnPower) * r.keeps(i, false)
}

func (r *rule) chanceOf(i int, lnTime, lnPower float64) float64 {
	in := 1.0
	if lnPower < math.Inf(1) {
		in = r.chancePower(i, lnPower)
	}
	if lnTime < math.Inf(1) {
		in *= r.chanceTime(i, lnTime)
	}
	return in
}

// chancePower returns the probability that a setting draws at most ln watts.
func (r *rule) chancePower(i int, ln float64) (sum float64) {
	for _, t := range r.time {
		more := rise(r.work[i], r.lnT[i]-t.Mean[i])
		for _, p := range r.power {
			sd := math.Hypot(math.Hypot(p.SD[i], r.work[i]*t.SD[i]), r.vague)
			sum += t.Weight * p.Weight * r.tails.cdf((ln-p.Mean[i]-more)/sd)
		}
	}
	return sum
}

// chanceTime returns the probability that a setting takes at most ln milliseconds.
func (r *rule) chanceTime(i int, ln float64) (sum float64) {
	for _, t := range r.time {
		sum += t.Weight * r.tails.cdf((ln-t.Mean[i])/t.SD[i])
	}
	return sum
}

// sdPower returns the standard deviation of ln power, with what it owes to the time's.
func (r *rule) sdPower(i int) float64 {
	return math.Hypot(math.Hypot(r.sP[i], r.work[i]*r.sT[i]), r.vague)
}

// heat returns the price of a reading of a setting in seconds, by its true values.
func (r *rule) heat(i int) float64 {
	sum := r.excess(i)
	for _, o := range r.further {
		if o.reads {
			sum += o.excess(i)
		}
	}
	return hotS*sum + r.late(i)
}

// roughHeat is heat by the matched distribution, without bounds by other readings.
func (r *rule) roughHeat(i int) float64 {
	sum, t := r.late(i), r.terms(i)
	for _, o := range r.further {
		if o.reads {
			sum += o.roughHeat(i)
		}
	}
	if math.IsInf(t.lnPower, 1) {
		return sum
	}
	return hotS*r.beyond(t.lnPower, r.lnP[i], r.sdPower(i)) + sum
}

// beyond returns, of a ln power with this mean and deviation, the chance of more than a supply bears under a limit and
// the expected tenths beyond.
func (r *rule) beyond(limit, mean, sd float64) float64 {
	room := limit + math.Log(MaxOvershoot)
	excess := mean - room + r.tails.below(room, room, mean, sd) // E[X − room] + E[(room − X)⁺]
	return 1 - r.tails.cdf((room-mean)/sd) + max(0, excess)/tenth
}

// excess returns the same for a setting; 0 where other readings bound its power below that.
func (r *rule) excess(i int) (sum float64) {
	limit := r.terms(i).lnPower
	room := limit + math.Log(MaxOvershoot)
	if math.IsInf(room, 1) || (room-r.lnP[i])/r.sdPower(i) > far || r.within(i).power <= room {
		return 0
	}
	for _, t := range r.time {
		more := rise(r.work[i], r.lnT[i]-t.Mean[i])
		for _, p := range r.power {
			sum += t.Weight * p.Weight * r.beyond(limit, p.Mean[i]+more, math.Hypot(p.SD[i], r.work[i]*t.SD[i]))
		}
	}
	return sum
}

// late returns the price of a reading that exceeds a time limit that users wait for.
func (r *rule) late(i int) float64 {
	limit := r.terms(i).lnTime
	if !r.limit.GuardTime || math.IsInf(limit, 1) {
		return 0
	}
	return lateS * (1 - r.chanceTime(i, limit+math.Log(MaxOvershoot)))
}

// cost returns the seconds of a reading.
func (r *rule) cost(i int) float64 {
	return steadyS + max(leastS, minibatches*math.Exp(r.lnT[i]+square(r.sT[i])/2)/1000)
}

// none reports whether the readings show that no setting keeps the limits: each was measured over them, or has no knob
// lower (for a time limit, higher) than one that is.
func (r *rule) none() bool {
	for i := range r.lnT {
		if r.absent[i] {
			continue
		}
		if !r.worked[i] { // many at a time, as it is faster
			var next []int
			for j := i; j < min(i+drawn, len(r.lnT)); j++ {
				next = append(next, j)
			}
			r.know(next)
		}
		b, t := r.within(i), r.terms(i)
		if b.leastP > t.lnPower || b.time > t.lnTime || t.MostMS == 0 || slices.ContainsFunc(r.further,
			func(o further) bool { return o.within(i).leastP > o.terms(i).lnPower+3*o.doubt }) {
			continue
		}
		if !r.failed[i] && !r.measured(i) || r.chance(i) >= 0.5 {
			return false
		}
	}
	return true
}

// limits returns the number of limits that settings have to keep.
func (r *rule) limits() int {
	n := r.limit.Limits.Len()
	if _, timed := r.limit.Limits.On(metric.Time); !timed && !math.IsInf(r.terms(0).lnTime, 1) {
		n++
	}
	return n
}

// lowest returns the setting whose reading bounds the others most: if even this one breaks the limit, all of its batch
// size do; -1 if it was measured.
func (r *rule) lowest() int {
	least := newArgmax()
	for i := range r.lnT {
		if r.absent[i] {
			continue
		}
		sum, slack, a := 0.0, 0.0, r.places.At(i)
		for k := range tegra.NumKnobs {
			sum += math.Log2(a.Mode.Value(tegra.Knob(k)))
		}
		if !r.limit.Limits.Harm() {
			if sum = -sum; -sum >= least.value {
				r.know([]int{i})
				slack = r.terms(i).lnTime - r.lnT[i]
			}
		}
		least.offer(i, -sum, slack)
	}
	if i := least.index; i < 0 || r.failed[i] || len(r.readings[i]) > 0 {
		return -1
	}
	return least.index
}

// likeliest returns the unmeasured setting that is expected to exceed the limits least, of those drawn that are safe;
// -1 if there is none.
func (r *rule) likeliest(may func(int) bool) int {
	least := newArgmax()
	for _, i := range r.some(func(i int) bool { return may(i) && !r.measured(i) }) {
		if r.heat(i) <= hotS*r.o.risk() {
			t := r.terms(i)
			least.offer(i, -max(0, r.lnT[i]-t.lnTime)-max(0, r.lnP[i]-t.lnPower), r.keeps(i, false))
		}
	}
	return least.index
}

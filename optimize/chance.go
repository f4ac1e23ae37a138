package optimize

import (
	"math"

	"jtune/tegra"
)

// chance returns the probability that the true values of a setting keep the limits.
func (r *rule) chance(i int) float64 { return r.chanceOf(i, r.lnTime, r.lnPower) }

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
			sd := math.Hypot(p.SD[i], r.work[i]*t.SD[i])
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
func (r *rule) sdPower(i int) float64 { return math.Hypot(r.sP[i], r.work[i]*r.sT[i]) }

// heat returns the price of a reading of a setting in seconds, by its true values.
func (r *rule) heat(i int) float64 {
	sum := 0.0
	if room := r.lnPower + math.Log(MaxOvershoot); room < math.Inf(1) {
		if (room-r.lnP[i])/r.sdPower(i) > far || r.within(i).power <= room {
			return r.late(i)
		}
		for _, t := range r.time {
			more := rise(r.work[i], r.lnT[i]-t.Mean[i])
			for _, p := range r.power {
				sd, mean := math.Hypot(p.SD[i], r.work[i]*t.SD[i]), p.Mean[i]+more
				excess := mean - room + r.tails.below(room, room, mean, sd) // E[X − room] + E[(room − X)⁺]
				sum += t.Weight * p.Weight * (1 - r.tails.cdf((room-mean)/sd) + max(0, excess)/tenth)
			}
		}
	}
	return hotS*sum + r.late(i)
}

// roughHeat is heat by the matched distribution, without bounds by other readings.
func (r *rule) roughHeat(i int) float64 {
	room := r.lnPower + math.Log(MaxOvershoot)
	if math.IsInf(room, 1) {
		return r.late(i)
	}
	sd := r.sdPower(i)
	excess := r.lnP[i] - room + r.tails.below(room, room, r.lnP[i], sd)
	return hotS*(1-r.tails.cdf((room-r.lnP[i])/sd)+max(0, excess)/tenth) + r.late(i)
}

// late returns the price of a reading that exceeds a time limit that users wait for.
func (r *rule) late(i int) float64 {
	if !r.limit.GuardTime || math.IsInf(r.lnTime, 1) {
		return 0
	}
	return lateS * (1 - r.chanceTime(i, r.lnTime+math.Log(MaxOvershoot)))
}

// cost returns the seconds of a reading.
func (r *rule) cost(i int) float64 {
	return steadyS + max(leastS, minibatches*math.Exp(r.lnT[i]+square(r.sT[i])/2)/1000)
}

// lowest returns the setting whose reading bounds all others: if even this one breaks the limit, all do; -1 if it was
// measured.
func (r *rule) lowest() int {
	least := newArgmax()
	for i := range r.lnT {
		if r.absent[i] {
			continue
		}
		sum, a := 0.0, r.places.At(i)
		for k := range tegra.NumKnobs {
			sum += math.Log2(a.Mode.Value(tegra.Knob(k)))
		}
		if !r.limit.Limits.Harm() {
			sum = -sum
		}
		least.offer(i, -sum, 0)
	}
	if i := least.index; i < 0 || r.failed[i] || len(r.readings[i]) > 0 {
		return -1
	}
	return least.index
}

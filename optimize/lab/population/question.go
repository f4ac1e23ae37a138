package population

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// workload is the truth of one workload on a board, by index of the space.
type workload struct {
	*board
	family string
	number int
	seed   uint64
	truth  []tegra.Measured
}

// newWorkload draws workload number of a half of a population.
func newWorkload(b *board, f family, number int, development bool, seed uint64) *workload {
	h := fnv.New64a()
	fmt.Fprint(h, f.name, b.name, number, development)
	return &workload{b, f.name, number, seed, f.truth(b, dice{rand.New(rand.NewPCG(seed, h.Sum64()))})}
}

// at returns the truth of a setting.
func (w *workload) at(a tegra.Setting) tegra.Measured {
	i, _ := w.space.Index(a.Mode)
	return w.truth[i]
}

// Goals of a question: the fastest mode within a power limit, the mode of least power within a time limit, the mode of
// least energy.
const (
	ForTime   = "time"
	ForPower  = "power"
	ForEnergy = "energy"
)

// Goals lists the goals.
func Goals() []string { return []string{ForTime, ForPower, ForEnergy} }

// limit returns the limit at a level: in percent of the span of what is limited (watts evenly, times by ratio), or,
// below 0, that percentage under the least of any mode.
func (w *workload) limit(goal string, level float64) metric.Goal {
	byPower := func(a, b tegra.Measured) int { return cmp.Compare(a.PowerW, b.PowerW) }
	byTime := func(a, b tegra.Measured) int { return cmp.Compare(a.TimeMS, b.TimeMS) }
	switch goal {
	case ForEnergy:
		return metric.LeastEnergy
	case ForPower:
		least, most := slices.MinFunc(w.truth, byTime).TimeMS, slices.MaxFunc(w.truth, byTime).TimeMS
		ms := least * (1 + level/100)
		if level >= 0 {
			ms = least * math.Pow(most/least, level/100)
		}
		digits := math.Pow(10, 3-math.Ceil(math.Log10(ms)))
		return metric.Millis(math.Round(ms*digits) / digits)
	}
	least, most := slices.MinFunc(w.truth, byPower).PowerW, slices.MaxFunc(w.truth, byPower).PowerW
	watts := least * (1 + level/100)
	if level >= 0 {
		watts = least + level/100*(most-least)
	}
	return metric.Watts(math.Round(10*watts) / 10)
}

// over returns by how much a value is over the limit, as a logarithm; below 0 within it, -Inf without one.
func over(m tegra.Measured, l metric.Goal) float64 {
	most := math.Inf(-1)
	for b := range l.Limits.Each() {
		most = max(most, b.Over(b.Of(m)))
	}
	return most
}

// best returns the true best mode that keeps a limit with a margin in its logarithm; false if none does.
func (w *workload) best(l metric.Goal, margin float64) (best tegra.Measured, ok bool) {
	for _, m := range w.truth {
		if over(m, l) <= -margin && (!ok || l.Aim().Aim(m) < l.Aim().Aim(best)) {
			best, ok = m, true
		}
	}
	return best, ok
}

// noise is how readings differ from the truth. Its deviations apply to logarithms.
type noise struct {
	sd      float64 // of time and power
	outlier float64 // chance that a time is 1.2 to 2 times too long
	bimodal float64 // chance of the slower of two states
	lag     float64 // share of the power of the mode before that remains in the shortest reading
	drift   float64 // of time in 100 s, up to mostDrift
	heat    float64 // of power once the board is warm
}

const (
	slower    = 1.12 // of two states
	mostDrift = 0.06
	warmS     = 300.0
	shortestS = 5.5
)

var (
	clean = noise{sd: 0.012}
	messy = noise{sd: 0.012, outlier: 0.05, bimodal: 0.1, lag: 0.25, drift: 0.004, heat: 0.03}
)

// Board seconds of a reading: settling, then 3 s or 8.6 minibatches; of one that is ended for its power.
const (
	settleS, leastS, minibatches = 2.5, 3.0, 8.6
	endedS                       = 3.5
)

// TookS is the board time of a reading of a minibatch time in milliseconds.
func TookS(ms float64) float64 { return settleS + max(leastS, minibatches*ms/1000) }

// question is one question about a workload, with the readings so far.
type question struct {
	*workload
	noise
	limit   metric.Goal
	present tegra.Setting // mode of the board, whose first reading is the baseline
	visit   uint64        // readings differ between visits

	read   map[tegra.Setting]int
	before float64 // true watts of the mode before
	now    float64 // board seconds
	mostW  float64 // at which a reading is ended; 0: never
	hot    bool    // a probe drew over optimize.MaxOvershoot times the limit in truth
	probes int     // without the baseline
}

func (w *workload) ask(l metric.Goal, n noise, visit uint64) *question {
	return &question{workload: w, noise: n, limit: l, present: tegra.Setting{Mode: w.space.Max()}, visit: visit,
		read: map[tegra.Setting]int{}}
}

// measure reads a setting: the n-th reading of a mode in a visit is the same for every method, in any order, but for
// what depends on the time and on the mode before.
func (q *question) measure(ctx context.Context, a tegra.Setting) (tegra.Measured, error) {
	h := fnv.New64a()
	fmt.Fprint(h, q.family, q.number, q.visit, q.read[a], a)
	d := dice{rand.New(rand.NewPCG(q.seed, h.Sum64()))}
	m := q.at(a)
	if baseline := a == q.present && q.now == 0; !baseline {
		q.probes++
		watts, limited := q.limit.Limits.On(metric.Power)
		q.hot = q.hot || limited && m.PowerW > optimize.MaxOvershoot*watts.Value
	}
	q.read[a]++
	watts, took := m.PowerW, TookS(m.TimeMS)
	m.TimeMS *= math.Exp(q.sd*d.NormFloat64() + min(mostDrift, q.drift*q.now/100))
	m.PowerW *= math.Exp(q.sd*d.NormFloat64() + q.heat*(1-math.Exp(-q.now/warmS)))
	if d.chance(q.outlier) {
		m.TimeMS *= d.uniform(1.2, 2)
	} else if d.chance(q.bimodal) {
		m.TimeMS *= slower
	}
	if q.before > 0 {
		m.PowerW += (q.before - watts) * q.lag * min(1, shortestS/took)
	}
	q.before = watts
	if q.mostW > 0 && m.PowerW > q.mostW && watts > q.mostW { // not while power falls from the mode before
		q.now += endedS
		return tegra.Measured{Setting: a, PowerW: m.PowerW}, optimize.OverLimit("over")
	}
	q.now += took
	return m, ctx.Err()
}

// modes returns the number of distinct modes measured, without the baseline.
func (q *question) modes() int {
	if q.read[q.present] == 1 {
		return len(q.read) - 1
	}
	return len(q.read)
}

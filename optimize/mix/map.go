package mix

import (
	"cmp"
	"slices"

	"jtune/internal/sorted"
	"jtune/tegra"
)

// Map is the result of training beside inference in every mode, each with the batch size and turns that train most
// within the limits.
type Map struct {
	List  []Outcome // one per mode within the limits; if there is none, only the nearest
	Front []int     // indices in List of those that none beats in both training and power, least power first
	// Bound reports whether the latency is simulated: off the front it is then only a lower bound, from the formulas of
	// even arrivals.
	Bound bool
}

// If the latency is simulated, the front is divided into bands of power, and in each band at most this many mixes are
// simulated, those with the most training by the formulas first.
const (
	mapBands = 16
	mapTries = 4
)

// Map evaluates the pair in the modes of some settings. It returns false if neither phase is known.
func (a Ask) Map(settings []tegra.Setting, infer, train Phase) (m Map, ok bool) {
	m.Bound = a.simulates()
	all := a.outcomes(settings, infer, train)
	if len(all) == 0 {
		return m, false
	}
	all, nearest := within(all)
	if len(all) == 0 {
		m.List, m.Front = []Outcome{nearest}, []int{0}
		return m, true
	}
	front, late := a.trainingFront(all, infer)
	if len(front) == 0 { // no simulated mix is within the limits
		m.List, m.Front = []Outcome{late.nearest}, []int{0}
		return m, true
	}
	best := map[tegra.Mode]int{}
	for i := range all {
		before, seen := best[all[i].Mode]
		if late.holds(&all[i]) {
			continue
		}
		if !seen || a.compare(&all[i], &all[before], MostTraining) < 0 {
			best[all[i].Mode] = i
		}
	}
	for _, o := range front { // the simulation replaces the formulas
		m.Front = append(m.Front, len(m.List))
		m.List = append(m.List, o)
		delete(best, o.Mode)
	}
	for i := range all { // in the order of the settings
		if at, left := best[all[i].Mode]; left && at == i {
			m.List = append(m.List, all[i])
		}
	}
	return m, true
}

// lateMixes are mixes that violate a limit in simulation. One that is slower than a late one with the same batch size
// and turns is also late.
type lateMixes struct {
	found   map[lateKind][][3]float64 // times of a batch, the smallest batch and a minibatch
	nearest Outcome                   // to the limits
}

type lateKind struct {
	batch  int
	policy string
}

func (l *lateMixes) holds(o *Outcome) bool {
	return slices.ContainsFunc(l.found[lateKind{o.Batch, o.Policy}], func(p [3]float64) bool {
		return o.slowS >= p[0] && o.slowFirst >= p[1] && o.slowTrain >= p[2]
	})
}

func (l *lateMixes) add(o Outcome) {
	if l.found == nil || o.excess < l.nearest.excess {
		l.nearest = o
	}
	if l.found == nil {
		l.found = map[lateKind][][3]float64{}
	}
	if !o.late() {
		return
	}
	kind := lateKind{o.Batch, o.Policy}
	l.found[kind] = append(l.found[kind], [3]float64{o.slowS, o.slowFirst, o.slowTrain})
}

// power returns the power that a limit applies to.
func (a *Ask) power(o *Outcome) float64 {
	watts, _ := LeastPower.value(o, a.PowerAs)
	return watts
}

// trainingFront returns the front of training and power of outcomes that meet the formulas, and the mixes that are late
// in simulation.
func (a Ask) trainingFront(all []Outcome, infer Phase) (front []Outcome, late lateMixes) {
	order := make([]*Outcome, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	sorted.Stable(order, func(x, y *Outcome) int {
		return cmp.Or(cmp.Compare(a.power(x), a.power(y)), cmp.Compare(y.TrainPerS, x.TrainPerS))
	})
	if a.simulates() {
		order = a.simulatedBands(order, infer, &late)
	}
	most := 0.0
	for _, o := range order {
		if o.TrainPerS <= most {
			continue
		}
		most = o.TrainPerS
		front = slices.DeleteFunc(front, func(v Outcome) bool { return v.Mode == o.Mode }) // one entry per mode
		front = append(front, *o)
	}
	return front, late
}

// simulatedBands returns the mixes of most training per band of power that keep the limits in simulation.
func (a Ask) simulatedBands(order []*Outcome, infer Phase, late *lateMixes) (out []*Outcome) {
	for band := range mapBands {
		in := slices.Clone(order[len(order)*band/mapBands : len(order)*(band+1)/mapBands])
		sorted.Stable(in, func(x, y *Outcome) int { return cmp.Compare(y.TrainPerS, x.TrainPerS) })
		tries := 0
		for _, at := range in {
			if late.holds(at) {
				continue
			}
			if tries++; tries > mapTries {
				break
			}
			o := *at
			if a.simulate(&o, infer); o.Meets {
				out = append(out, &o)
				break
			}
			late.add(o)
		}
	}
	sorted.Stable(out, func(x, y *Outcome) int { return cmp.Compare(a.power(x), a.power(y)) })
	return out
}

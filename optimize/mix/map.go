package mix

import (
	"cmp"
	"slices"

	"jtune/internal/sorted"
	"jtune/tegra"
)

// Map is what training beside inference does in every mode, each with the batch size and the turns that train most
// there within the limits.
type Map struct {
	List  []Outcome // one a mode that keeps the limits; where none does, the nearest alone
	Front []int     // of List: those that none beats in both training and power, the least power first
	// Bound reports whether the latency is simulated: of what is not on the front only the formulas of even arrivals
	// are known, whose latency is a lower bound.
	Bound bool
}

// Where the latency is simulated, the front has that many bands of power, and in each at most that many mixes are
// simulated, those that train most by the formulas first.
const (
	mapBands = 16
	mapTries = 4
)

// Map is what the pair does in the modes of some settings, by turns of some policies. It reports false where neither
// phase is known.
func (a Ask) Map(settings []tegra.Setting, infer, train Phase, policies ...Policy) (m Map, ok bool) {
	m.Bound = a.simulates()
	var all []Outcome
	var nearest *Outcome
	for _, policy := range policies {
		a.Policy = policy
		for _, at := range settings {
			o, known := a.bound(at, infer, &train)
			switch {
			case !known:
			case o.Meets:
				all = append(all, o)
			case nearest == nil || o.excess < nearest.excess:
				nearest = &o
			}
		}
	}
	if len(all) == 0 {
		if nearest != nil {
			m.List, m.Front = []Outcome{*nearest}, []int{0}
		}
		return m, nearest != nil
	}
	front, late := a.trainingFront(all, infer)
	if len(front) == 0 { // none keeps the limits when it is simulated
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
	for _, o := range front { // as simulated, in the place of what the formulas say
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

// lateMixes are mixes whose simulated latency breaks the limit. One that is slower at the same batch size and turns is
// late too.
type lateMixes struct {
	found   map[lateKind][][2]float64 // service time and minibatch
	nearest Outcome                   // of those that were simulated
}

type lateKind struct {
	batch  int
	policy Policy
}

func (l *lateMixes) holds(o *Outcome) bool {
	return slices.ContainsFunc(l.found[lateKind{o.Batch, o.Policy}], func(p [2]float64) bool {
		return o.slowS >= p[0] && o.slowTrain >= p[1]
	})
}

func (l *lateMixes) add(o Outcome) {
	if l.found == nil || o.excess < l.nearest.excess {
		l.nearest = o
	}
	if l.found == nil {
		l.found = map[lateKind][][2]float64{}
	}
	kind := lateKind{o.Batch, o.Policy}
	l.found[kind] = append(l.found[kind], [2]float64{o.slowS, o.slowTrain})
}

// trainingFront is the front of training and power of outcomes that meet the formulas, and what is too late when it is
// simulated.
func (a Ask) trainingFront(all []Outcome, infer Phase) (front []Outcome, late lateMixes) {
	power := func(o *Outcome) float64 {
		watts, _ := LeastPower.value(o, a.PowerAs)
		return watts
	}
	order := make([]*Outcome, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	sorted.Stable(order, func(x, y *Outcome) int {
		return cmp.Or(cmp.Compare(power(x), power(y)), cmp.Compare(y.TrainPerS, x.TrainPerS))
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
		front = slices.DeleteFunc(front, func(v Outcome) bool { return v.Mode == o.Mode }) // a mode is on it once
		front = append(front, *o)
	}
	return front, late
}

// simulatedBands are the mixes of most training in bands of power that keep the limits when they are simulated.
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
			a.Policy = o.Policy
			if a.simulate(&o, infer); o.Meets {
				out = append(out, &o)
				break
			}
			late.add(o)
		}
	}
	sorted.Stable(out, func(x, y *Outcome) int { return cmp.Compare(x.PeakW, y.PeakW) })
	return out
}

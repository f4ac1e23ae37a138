package optimize

// Multi-dimensional binary search (summer report §4.2; method note g.2): probe
// the middle of every knob's remaining range; over the power limit drop the
// higher half of one knob, else the lower half, knob by knob in rotation. It
// takes about log2 of the number of modes in probes, assumes that every knob
// alone trades time for power, and has no guarantee. Ours beyond the note: a
// time limit mirrors it (fast enough: drop the higher half), a space that lacks
// the middle mode is asked for its nearest, and a mode that cannot be measured
// counts as over the limit.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"jtune/tegra"
)

// box is what is left of each knob's list: rungs lo to hi.
type box struct {
	lo, hi [tegra.NumKnobs]int
}

func (b *box) single() bool { return b.lo == b.hi }

// left is how many settings of each knob are left.
func (b *box) left() [tegra.NumKnobs]int {
	var n [tegra.NumKnobs]int
	for k := range n {
		n[k] = b.hi[k] - b.lo[k] + 1
	}
	return n
}

func (b *box) middle() [tegra.NumKnobs]int {
	var mid [tegra.NumKnobs]int
	for k := range mid {
		mid[k] = (b.lo[k] + b.hi[k]) / 2
	}
	return mid
}

// Turns is how a binary search takes its turns through the knobs; the source
// does not say (method note g.1).
type Turns int

// Turns, all in the order of the rotation.
const (
	InTurn   Turns = iota // one halving of each knob after the other
	Widest                // always the knob with most settings left
	OneByOne              // one knob to its end before the next
)

func (t Turns) String() string { return [...]string{"in turn", "widest first", "one by one"}[t] }

// Rotation sets the turns of a binary search. The zero value is the note's:
// GPU, CPU, memory, cores, in turn.
type Rotation struct {
	Order []tegra.Knob // every knob once; nil: GPU, CPU, memory, cores
	Turns Turns
}

// knobNames are how a rotation is written, by knob.
var knobNames = [tegra.NumKnobs]string{"cores", "cpu", "gpu", "mem"}

// ParseRotation reads "gpu,cpu,mem,cores", "widest" or "one-by-one", the last
// two also before an order: "widest:cores,cpu,gpu,mem". "" is the note's.
func ParseRotation(text string) (Rotation, error) {
	var r Rotation
	head, rest, _ := strings.Cut(text, ":")
	switch head {
	case "":
	case "widest":
		r.Turns = Widest
	case "one-by-one":
		r.Turns = OneByOne
	default:
		rest = text
	}
	if rest == "" {
		return r, nil
	}
	for _, name := range strings.Split(rest, ",") {
		k := slices.Index(knobNames[:], name)
		if k < 0 {
			return r, fmt.Errorf("rotation %q: %q is none of cores, cpu, gpu, mem", text, name)
		}
		r.Order = append(r.Order, tegra.Knob(k))
	}
	_, err := r.order()
	return r, err
}

// Halving is one step of a binary search.
type Halving struct {
	Mode   tegra.Mode // in the middle of what was left
	Knob   tegra.Knob
	Raised bool                // the lower half was dropped, else the higher
	Left   [tegra.NumKnobs]int // settings left of each knob after it
}

func (h Halving) String() string {
	half := "higher"
	if h.Raised {
		half = "lower"
	}
	return fmt.Sprintf("%v: %s half of %v dropped, left %d cores × %d CPU × %d GPU × %d memory", h.Mode, half, h.Knob,
		h.Left[tegra.KnobCores], h.Left[tegra.KnobCPU], h.Left[tegra.KnobGPU], h.Left[tegra.KnobEMC])
}

// binary runs the search up to, not including, the verification.
func (s *search) binary() error {
	if s.limit.PowerW == 0 && s.limit.TimeMS == 0 {
		return errors.New("a binary search needs a power limit or a time limit")
	}
	if s.places.Batches != nil {
		return errors.New("strategy binary knows no minibatch sizes yet: use auto or random")
	}
	order, err := s.o.Rotation.order()
	if err != nil {
		return err
	}
	ladder := newLadder(s.o.Space)
	var b box
	for k, list := range ladder {
		b.hi[k] = len(list) - 1
	}
	for turn := 0; !b.single(); turn++ {
		k := s.o.Rotation.Turns.next(&b, order, &turn)
		mid := b.middle()
		raise, ok := s.tooLow(&ladder, mid)
		if !ok {
			return nil
		}
		if raise {
			b.lo[k] = mid[k] + 1
		} else {
			b.hi[k] = mid[k]
		}
		s.trace = append(s.trace, Halving{Mode: s.o.Space.At(s.nearestMember(&ladder, mid)), Knob: k, Raised: raise, Left: b.left()})
	}
	if _, ok := s.tooLow(&ladder, b.lo); ok {
		s.ended = Converged
	}
	return nil
}

// order is the knobs' order, checked.
func (r Rotation) order() ([]tegra.Knob, error) {
	if r.Turns < InTurn || r.Turns > OneByOne {
		return nil, fmt.Errorf("turns of a binary search: %d is none of in turn, widest first, one by one", int(r.Turns))
	}
	if r.Order == nil {
		return []tegra.Knob{tegra.KnobGPU, tegra.KnobCPU, tegra.KnobEMC, tegra.KnobCores}, nil
	}
	var seen [tegra.NumKnobs]bool
	for _, k := range r.Order {
		if k < 0 || k >= tegra.NumKnobs || seen[k] {
			return nil, errRotation
		}
		seen[k] = true
	}
	if len(r.Order) != int(tegra.NumKnobs) {
		return nil, errRotation
	}
	return r.Order, nil
}

var errRotation = errors.New("the rotation of a binary search names every knob once")

// next is the knob to halve; the box has one with more than one setting. turn
// counts through the order and passes over knobs that are at their end.
func (t Turns) next(b *box, order []tegra.Knob, turn *int) tegra.Knob {
	left := b.left()
	switch t {
	case Widest:
		widest := order[0]
		for _, k := range order {
			if left[k] > left[widest] {
				widest = k
			}
		}
		return widest
	case OneByOne:
		*turn = 0
	}
	for left[order[*turn%len(order)]] == 1 {
		*turn++
	}
	return order[*turn%len(order)]
}

// tooLow measures the mode at these rungs, unless it was, and tells whether
// better modes lie higher; false when the search is over.
func (s *search) tooLow(l *ladder, rungs [tegra.NumKnobs]int) (raise, ok bool) {
	i := s.nearestMember(l, rungs)
	if len(s.readings[i]) == 0 && !s.failed[i] {
		why := Improve
		if len(s.probes) == 0 {
			why = Start
		}
		if !s.mayGoOn() || !s.probe(i, why) {
			return false, false
		}
	}
	if s.failed[i] {
		return false, true
	}
	m := s.mean(i)
	switch {
	case s.limit.PowerW > 0 && m.PowerW > s.limit.PowerW:
		return false, true
	case s.limit.TimeMS > 0:
		return m.TimeMS > s.limit.TimeMS, true
	}
	return true, true
}

// nearestMember is the mode at these rungs, or the one fewest steps away.
func (s *search) nearestMember(l *ladder, rungs [tegra.NumKnobs]int) int {
	mode := tegra.Mode{Cores: s.o.Space.Cores[rungs[tegra.KnobCores]], CPU: s.o.Space.CPU[rungs[tegra.KnobCPU]],
		GPU: s.o.Space.GPU[rungs[tegra.KnobGPU]], EMC: s.o.Space.EMC[rungs[tegra.KnobEMC]]}
	if i, ok := s.o.Space.Index(mode); ok {
		return i
	}
	nearest := newArgmax()
	for i, m := range s.o.Space.All() {
		steps := 0.0
		for k, r := range l.rungs(m) {
			d := l.level(tegra.Knob(k), r) - l.level(tegra.Knob(k), rungs[k])
			steps += d * d
		}
		nearest.offer(i, -steps, 0)
	}
	return nearest.index
}

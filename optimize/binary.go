package optimize

// Multi-dimensional binary search (docs/method.md, Binary search): probe the
// middle of every knob's remaining range; over the power limit drop the higher half
// of one knob, else the lower half, knob by knob in rotation. It takes about log2 of
// the number of modes in probes, assumes that every knob alone trades time for
// power, and has no guarantee. Ours: a time limit mirrors the rule (fast enough: drop
// the higher half), a mode that the space lacks is replaced by the nearest, and a mode
// that cannot be measured counts as over the limit.
//
// With batch sizes the size is a fifth knob, last in the rotation, and a power limit
// is needed, since the search looks for the most samples per second:
//
//	within both limits    the lower half of the knob in turn goes
//	over the power limit  the higher half of a power knob; a size in turn passes on to the next
//	                      of these, and its own higher half goes where none is left
//	over the time limit   the lower half of a power knob, or the higher half of the sizes
//	over both             the higher half of the knob in turn, and of the sizes

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/tegra"
)

// BatchKnob stands for the batch size in the turns of a binary search.
const BatchKnob = tegra.NumKnobs

// rungs is a place in each knob's list of values and, last, in that of the batch
// sizes.
type rungs [BatchKnob + 1]int

// box is what is left of each list: rungs lo to hi.
type box struct{ lo, hi rungs }

func (b *box) single() bool { return b.lo == b.hi }

// left is the number of values left of each knob.
func (b *box) left() (n rungs) {
	for k := range n {
		n[k] = b.hi[k] - b.lo[k] + 1
	}
	return n
}

func (b *box) middle() (mid rungs) {
	for k := range mid {
		mid[k] = (b.lo[k] + b.hi[k]) / 2
	}
	return mid
}

// drop removes the lower half of a knob, the middle included, or the higher
// one, which leaves the middle.
func (b *box) drop(k tegra.Knob, lower bool) {
	mid := (b.lo[k] + b.hi[k]) / 2
	if lower {
		b.lo[k] = mid + 1
	} else {
		b.hi[k] = mid
	}
}

// Turns is the order in which a binary search halves the knobs, which the report
// does not state.
type Turns int

// Turns, all in the order of the rotation.
const (
	InTurn   Turns = iota // one halving of each knob after the other
	Widest                // always the knob with most values left
	OneByOne              // one knob to its end before the next
)

func (t Turns) String() string { return [...]string{"in turn", "widest first", "one by one"}[t] }

// Rotation sets the turns of a binary search. The zero value is GPU, CPU, memory,
// cores, then the batch size where there are several, in turn.
type Rotation struct {
	Order []tegra.Knob // every knob once, BatchKnob last unless named; nil: GPU, CPU, memory, cores
	Turns Turns
}

// knobNames are how a rotation is written, by knob.
var knobNames = [BatchKnob + 1]string{"cores", "cpu", "gpu", "mem", "batch"}

// ParseRotation reads "gpu,cpu,mem,cores", "widest" or "one-by-one", the last
// two also before an order: "widest:cores,cpu,gpu,mem". "" is the zero
// value.
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
			return r, fmt.Errorf("rotation %q: %q is none of cores, cpu, gpu, mem, batch", text, name)
		}
		r.Order = append(r.Order, tegra.Knob(k))
	}
	_, err := r.order()
	return r, err
}

// String writes a rotation as ParseRotation reads it.
func (r Rotation) String() string {
	var names []string
	for _, k := range r.Order {
		names = append(names, knobNames[k])
	}
	head, order := [...]string{"", "widest", "one-by-one"}[r.Turns], strings.Join(names, ",")
	if head != "" && order != "" {
		head += ":"
	}
	return head + order
}

// Halving is one step of a binary search.
type Halving struct {
	tegra.Setting            // in the middle of what was left
	Knob          tegra.Knob // BatchKnob for the batch size
	Raised        bool       // the lower half was dropped, else the higher
	Sizes         bool       // the higher half of the sizes was dropped too
	Left          rungs      // values left of each knob after it; 1 of the sizes where they are no input
}

func (h Halving) String() string {
	half, knob, batch, sizes := "higher", "batch", "", ""
	if h.Raised {
		half = "lower"
	}
	if h.Knob < tegra.NumKnobs {
		knob = h.Knob.String()
	}
	if h.Sizes {
		knob += " and of batch"
	}
	if h.Batch > 0 {
		batch, sizes = fmt.Sprintf(" batch %d", h.Batch), fmt.Sprintf(" × sizes %d", h.Left[BatchKnob])
	}
	return fmt.Sprintf("%v%s: %s half of %s dropped, left settings: cores %d × CPU %d × GPU %d × memory %d%s",
		h.Mode, batch, half, knob, h.Left[tegra.KnobCores], h.Left[tegra.KnobCPU], h.Left[tegra.KnobGPU],
		h.Left[tegra.KnobEMC], sizes)
}

// binary runs the search up to, not including, the verification.
func (s *search) binary() error {
	switch {
	case s.limit.PowerW == 0 && s.places.Batches != nil:
		return errors.New("a binary search over batch sizes needs a power limit, with or without a time limit")
	case s.limit.PowerW == 0 && s.limit.TimeMS == 0:
		return errors.New("a binary search needs a power limit or a time limit")
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
	b.hi[BatchKnob] = max(1, len(s.places.Batches)) - 1
	for turn := 0; !b.single(); turn++ {
		k := s.o.Rotation.Turns.next(&b, order, &turn)
		i := ladder.nearest(b.middle(), s.places, s.absent)
		over, ok := s.overAt(i)
		if !ok {
			return nil
		}
		at := s.places.At(i)
		h := Halving{Setting: at, Knob: k}
		switch {
		case s.places.Batches == nil:
			h.Raised = s.raiseMode(over)
		case k == BatchKnob && over == overPower: // more samples per second where a power knob is lower
			h.Knob = nextPowerKnob(&b, order, &turn)
		case k == BatchKnob:
			h.Raised = over == 0
		default:
			h.Raised = over&overPower == 0
			h.Sizes = over == overPower|overTime && b.lo[BatchKnob] < b.hi[BatchKnob]
		}
		b.drop(h.Knob, h.Raised)
		if h.Sizes {
			b.drop(BatchKnob, false)
		}
		h.Left = b.left()
		if s.trace = append(s.trace, h); s.o.Halved != nil {
			s.o.Halved(h)
		}
	}
	if _, ok := s.overAt(ladder.nearest(b.lo, s.places, s.absent)); ok {
		s.ended = Converged
	}
	return nil
}

const (
	poorBy   = 0.1 // in ln of the objective: how much better a predicted mode is than a poor answer
	poorFrom = 6   // measured modes: with fewer a prediction says little
)

// warnOfPoor warns where a model of all readings expects a mode within the limits that
// is much better than the answer of a binary search.
func (s *search) warnOfPoor(r *Result) {
	if s.o.Strategy != Binary || !r.Feasible || r.Model == nil || len(s.order) < poorFrom {
		return
	}
	preds := r.Model.PredictSettings(s.places.All())
	for i := range preds {
		if s.failed[i] || len(s.readings[i]) > 0 {
			preds[i].TimeMS = 0
		}
	}
	medians := s.limit
	medians.Margin = NoMargin
	c, err := Choose(preds, medians)
	if err != nil {
		return
	}
	got, _ := s.limit.objective().value(r.Measured)
	better, _ := s.limit.objective().value(c.Measured)
	if math.Log(got/better) < poorBy {
		return
	}
	name := s.o.Space.Format(c.Mode)
	if c.Batch > 0 {
		name += fmt.Sprintf(" with batch size %d", c.Batch)
	}
	s.warn("the answer is poor: going by the %s that were measured, %s would come to about %s ms at %s W; a binary "+
		"search assumes that every knob alone trades time for power: %s auto looks further",
		text.Count(len(s.order), "mode"), name, text.Of(c.TimeMS), text.Of(c.PowerW), usage.Strategy)
}

// raiseMode reports whether better modes lie higher when the size is no knob:
// within a power limit alone, and where a time limit asks for more speed.
func (s *search) raiseMode(o over) bool {
	if s.limit.TimeMS > 0 {
		return o == overTime
	}
	return o == 0
}

// nextPowerKnob is the next knob in turn that has values left and is not the size;
// the size when there is none.
func nextPowerKnob(b *box, order []tegra.Knob, turn *int) tegra.Knob {
	left := b.left()
	for step := 1; step <= len(order); step++ {
		if k := order[(*turn+step)%len(order)]; k != BatchKnob && left[k] > 1 {
			*turn += step
			return k
		}
	}
	return BatchKnob
}

// order is the knobs' order, checked.
func (r Rotation) order() ([]tegra.Knob, error) {
	if r.Turns < InTurn || r.Turns > OneByOne {
		return nil, fmt.Errorf("turns of a binary search: %d is none of in turn, widest first, one by one",
			int(r.Turns))
	}
	order := slices.Clone(r.Order)
	if order == nil {
		order = []tegra.Knob{tegra.KnobGPU, tegra.KnobCPU, tegra.KnobEMC, tegra.KnobCores}
	}
	if !slices.Contains(order, BatchKnob) {
		order = append(order, BatchKnob)
	}
	var seen [BatchKnob + 1]bool
	for _, k := range order {
		if k < 0 || k > BatchKnob || seen[k] {
			return nil, errRotation
		}
		seen[k] = true
	}
	if len(order) != len(seen) {
		return nil, errRotation
	}
	return order, nil
}

var errRotation = errors.New("the rotation of a binary search names every knob once")

// next is the knob to halve; the box has one with more than one value. turn counts
// through the order and skips knobs with one value left.
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

// over says which limits a setting breaks.
type over int

const (
	overPower over = 1 << iota
	overTime
)

// overAt measures a setting, unless it was measured, and returns the limits that it
// breaks: both when it cannot be measured. ok is false when the search is over.
func (s *search) overAt(i int) (o over, ok bool) {
	if len(s.readings[i]) == 0 && !s.failed[i] {
		why := Improve
		if len(s.probes) == 0 {
			why = Start
		}
		if !s.mayGoOn() || !s.probe(i, why) {
			return 0, false
		}
	}
	if s.failed[i] {
		return overPower | overTime, true
	}
	m := s.mean(i)
	if s.limit.PowerW > 0 && m.PowerW > s.limit.PowerW {
		o |= overPower
	}
	if s.limit.TimeMS > 0 && m.TimeMS > s.limit.TimeMS {
		o |= overTime
	}
	return o, true
}

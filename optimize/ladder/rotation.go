package ladder

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"jtune/tegra"
)

// Turns is the order in which a binary search halves the knobs, which the report does not specify.
type Turns int

// Turns; ties follow the order of the rotation.
const (
	InTurn   Turns = iota // one halving of each knob after the other
	Widest                // always the knob with most values left
	OneByOne              // one knob until one value is left, then the next
)

// Rotation configures the turns of a binary search. The zero value is GPU, CPU, memory, cores, then the batch size if
// there are several, in turn.
type Rotation struct {
	Order []tegra.Knob // every knob once, BatchKnob last unless named; nil: GPU, CPU, memory, cores
	Turns Turns
}

// knobNames are the names in a rotation, by knob.
var knobNames = [BatchKnob + 1]string{"cores", "cpu", "gpu", "mem", "batch"}

// ParseRotation reads "gpu,cpu,mem,cores", "widest" or "one-by-one", the last two also in front of an order:
// "widest:cores,cpu,gpu,mem". "" is the zero value.
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
	_, err := r.Knobs()
	return r, err
}

// Knobs returns the order of the knobs, or an error for an invalid one.
func (r Rotation) Knobs() ([]tegra.Knob, error) {
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

var errRotation = errors.New("the rotation of a binary search names each of gpu, cpu, mem, cores and batch once")

// Next returns the knob to halve; some knob of the box must have several values. turn counts through the order and
// skips knobs with one value left.
func (t Turns) Next(b *Box, order []tegra.Knob, turn *int) tegra.Knob {
	left := b.Left()
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

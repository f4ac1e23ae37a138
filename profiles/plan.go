package profiles

import (
	"cmp"
	"fmt"
	"slices"

	"jtune/internal/sorted"
	"jtune/profiles/record"
	"jtune/tegra"
)

// Step is a setting to measure next. Batch is 0 in a campaign of one batch size,
// the workload's own.
type Step struct {
	tegra.Setting
	Raise bool   // CPU or GPU clock rises from the mode before, which some boards reject
	Group string // of a plan in groups: which one this mode is of
	// AsFound measures the board as it is set, which no mode may mean: nothing is written, and of Setting only the
	// batch size counts.
	AsFound bool
	// Change is by how much power is expected to change from the mode before, in logarithms; absent where not known.
	Change tegra.Val[float64]
	// MostW ends the mode as soon as the rails read more; 0: nothing does.
	MostW float64
	// Variant is not nil for a step that departs from its campaign's workload
	// or settings.
	Variant *Variant
}

// Variant is one run of an experiment.
type Variant struct {
	record.Variant
	Bench  *Bench // measures it, with a job of its own
	Shared bool   // Bench measures more of the plan: its job goes on
	Idle   bool   // nothing runs: there is no minibatch
}

// Plan chooses the next mode, given all rows so far. An adaptive plan uses their numbers; a
// fixed one only which modes are done. Campaign marks the raises.
type Plan interface {
	Next(done []record.Row) (Step, bool)
	// Len is how many modes the plan has in all, when that is known.
	Len() (n int, known bool)
}

// variant names the step's run of an experiment; nil elsewhere.
func (s Step) variant() *record.Variant {
	if s.Variant == nil {
		return nil
	}
	return &s.Variant.Variant
}

// inOrder sorts modes into batches of one CPU frequency, the highest first, with falling GPU
// frequency inside a batch, then by cores and memory frequency. Boards that accept only falling
// CPU and GPU clocks reject the fewest modes in this order; no order of a full grid is without
// raises.
func inOrder(a, b tegra.Mode) int {
	return cmp.Or(
		cmp.Compare(b.CPU, a.CPU),
		cmp.Compare(b.GPU, a.GPU),
		cmp.Compare(a.Cores, b.Cores),
		cmp.Compare(a.EMC, b.EMC),
	)
}

// InOrder are modes in the order of inOrder.
func InOrder(modes []tegra.Mode) []tegra.Mode {
	return slices.SortedFunc(slices.Values(modes), inOrder)
}

// Raises reports whether a change of mode raises the CPU or the GPU clock.
func Raises(from, to tegra.Mode) bool { return to.CPU > from.CPU || to.GPU > from.GPU }

// listPlan measures each of its steps once.
type listPlan struct{ steps []Step }

var _ Plan = (*listPlan)(nil)

// ListPlan measures these steps, duplicates once: one batch size after the other, because each
// needs a job of its own, and within a batch size in the order that raises clocks least.
func ListPlan(steps []Step) Plan {
	steps = slices.Clone(steps)
	sorted.Stable(steps, func(a, b Step) int {
		return cmp.Or(cmp.Compare(a.Batch, b.Batch), inOrder(a.Mode, b.Mode))
	})
	return &listPlan{slices.CompactFunc(steps, func(a, b Step) bool { return a.Setting == b.Setting })}
}

func (p *listPlan) Len() (int, bool) { return len(p.steps), true }

// Settings are the settings of all steps, in their order.
func (p *listPlan) Settings() []tegra.Setting {
	out := make([]tegra.Setting, len(p.steps))
	for i, s := range p.steps {
		out[i] = s.Setting
	}
	return out
}

func (p *listPlan) Next(done []record.Row) (Step, bool) {
	seen := make(map[tegra.Setting]bool, len(done))
	for _, r := range done {
		seen[r.Setting] = true
	}
	for _, s := range p.steps {
		if !seen[s.Setting] {
			s.Group = p.group(s)
			return s, true
		}
	}
	return Step{}, false
}

// group names the steps of one CPU clock and batch size, so that problems can be traced to a
// clock; "" for a single group or a single step.
func (p *listPlan) group(of Step) string {
	together := func(a, b Step) bool { return a.Mode.CPU == b.Mode.CPU && a.Batch == b.Batch }
	groups, at, size := 0, 0, 0
	for i, s := range p.steps {
		if i == 0 || !together(s, p.steps[i-1]) {
			groups++
		}
		if together(s, of) {
			at = groups
			size++
		}
	}
	if groups < 2 || size < 2 {
		return ""
	}
	text := fmt.Sprintf("batch %d of %d: %d modes at CPU %s", at, groups, size, of.Mode.CPU)
	if of.Batch > 0 {
		text += fmt.Sprintf(", batch size %d", of.Batch)
	}
	return text
}

// repeatPlan asks for what its plan asks for, and then for each setting that gave a value again.
type repeatPlan struct {
	Plan
	times int
}

var _ Plan = (*repeatPlan)(nil)

// Repeat measures each setting of a plan that many times: all of them once, then all again, so that a board that drifts
// shows it in the readings of each.
func Repeat(p Plan, times int) Plan {
	if times < 2 {
		return p
	}
	return &repeatPlan{p, times}
}

func (p *repeatPlan) Len() (int, bool) {
	n, known := p.Plan.Len()
	return n * p.times, known
}

// Settings are the settings of all rounds where the order is fixed; nil elsewhere.
func (p *repeatPlan) Settings() []tegra.Setting {
	fixed, ok := p.Plan.(*listPlan)
	if !ok {
		return nil
	}
	return slices.Repeat(fixed.Settings(), p.times)
}

func (p *repeatPlan) Next(done []record.Row) (Step, bool) {
	var first []record.Row // of each setting
	var order []tegra.Setting
	count := map[tegra.Setting]int{}
	for _, r := range done {
		if count[r.Setting]++; count[r.Setting] == 1 {
			first = append(first, r)
		}
		if r.Status.Usable() && !slices.Contains(order, r.Setting) {
			order = append(order, r.Setting)
		}
	}
	if step, more := p.Plan.Next(first); more {
		return step, true
	}
	for round := 2; round <= p.times; round++ {
		for _, at := range order {
			if count[at] < round {
				return Step{Setting: at, Group: fmt.Sprintf("round %d of %d", round, p.times)}, true
			}
		}
	}
	return Step{}, false
}

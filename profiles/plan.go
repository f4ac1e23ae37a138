package profiles

import (
	"cmp"
	"fmt"
	"slices"

	"jtune/internal/sorted"
	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/tegra"
)

// Step is a setting to measure next. Batch is 0 in a campaign of one batch size,
// the workload's own.
type Step struct {
	tegra.Setting
	Raise bool   // CPU or GPU clock rises from the previous mode, which some boards reject
	Group string // of a plan in groups: the group of this mode
	// AsFound measures the board in its current state: nothing is written. Where Setting has no mode, the state may
	// match none; else the board must be in it.
	AsFound bool
	// End, once it is closed, ends the measurement with what it has, and the campaign; nil: it has the time it needs.
	End <-chan struct{}
	// Change is the expected change of power from the previous mode, in logarithms; absent when unknown.
	Change tegra.Val[float64]
	// MostW ends the mode as soon as the rails read more; 0: no limit.
	MostW float64
	// Variant is set for a step that differs from its campaign's workload or settings.
	Variant *Variant
}

// Variant is one run of an experiment.
type Variant struct {
	record.Variant
	Bench  *Bench // measures it, with a job of its own
	Shared bool   // Bench measures more steps of the plan: its job continues
	Idle   bool   // nothing runs: there are no minibatches
}

// Plan chooses the next mode, given all rows so far. An adaptive plan uses their numbers; a
// fixed one only which modes are done. Campaign marks the raises.
type Plan interface {
	Next(done []record.Row) (Step, bool)
	// Len returns the number of modes in the plan, if known.
	Len() (n int, known bool)
}

// variant returns the step's run of an experiment; otherwise nil.
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

// InOrder returns modes in the order of inOrder.
func InOrder(modes []tegra.Mode) []tegra.Mode {
	return slices.SortedFunc(slices.Values(modes), inOrder)
}

// Raises reports whether a change of mode raises the CPU or the GPU clock.
func Raises(from, to tegra.Mode) bool { return to.CPU > from.CPU || to.GPU > from.GPU }

// listPlan measures each of its steps once.
type listPlan struct{ steps []Step }

var _ Plan = (*listPlan)(nil)

// ListPlan measures these steps, duplicates once. It measures one batch size after the other, because each needs its
// own job, and within a batch size in the order with the fewest rising clocks.
func ListPlan(steps []Step) Plan {
	steps = slices.Clone(steps)
	sorted.Stable(steps, func(a, b Step) int {
		return cmp.Or(cmp.Compare(a.Batch, b.Batch), inOrder(a.Mode, b.Mode))
	})
	return &listPlan{slices.CompactFunc(steps, func(a, b Step) bool { return a.Setting == b.Setting })}
}

func (p *listPlan) Len() (int, bool) { return len(p.steps), true }

// Settings returns the settings of all steps, in order.
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
	return fmt.Sprintf("batch %d of %d: %d modes at CPU %s", at, groups, size, of.Mode.CPU) +
		text.IfAny(", batch size %d", of.Batch)
}

// repeatPlan runs its plan, and then measures again each setting that gave a value.
type repeatPlan struct {
	Plan
	times int
}

var _ Plan = (*repeatPlan)(nil)

// Repeat measures each setting of a plan that many times: all of them once, then all again, so that drift of the board
// shows in the readings of each.
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

// Settings returns the settings of all rounds if the order is fixed; otherwise nil.
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

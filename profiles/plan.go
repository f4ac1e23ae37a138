package profiles

import (
	"cmp"
	"fmt"
	"slices"

	"jtune/tegra"
)

// Step is a mode to measure next.
type Step struct {
	Mode  tegra.Mode
	Batch int  // samples per minibatch in a campaign of several sizes; 0: the workload's own
	Raise bool // CPU or GPU clock rises from the mode before (method note d.2)
	Why   string
	Group string // of a plan in groups: which one this mode is of
	// Variant is not nil for a step that departs from its campaign's workload
	// or settings.
	Variant *Variant
}

// Variant is one run of an experiment.
type Variant struct {
	Setting string // what is different, in words; names the run together with Repeat
	Repeat  int    // from 1
	Bench   *Bench // measures it, with a job of its own
	Idle    bool   // nothing runs: there is no minibatch to speak of
}

// Plan says which mode comes next, given all rows so far. A plan that chooses
// looks at their numbers; a fixed one only at which modes are done. Campaign
// marks the raises.
type Plan interface {
	Next(done []Row) (Step, bool)
	// Len is how many modes the plan has in all, when that is known.
	Len() (n int, known bool)
}

// setting tells rows and steps of one campaign apart.
type setting struct {
	mode  tegra.Mode
	batch int
}

func (s Step) setting() setting { return setting{s.Mode, s.Batch} }

func (r Row) setting() setting { return setting{r.Mode, r.Batch} }

// inOrder compares modes as method note d.2 sorts them: a batch per CPU frequency,
// the highest first; GPU frequency falling inside a batch; then cores and memory.
// Boards that only take falling CPU and GPU clocks refuse least in this
// order; no order of a full grid is without raises.
func inOrder(a, b tegra.Mode) int {
	return cmp.Or(cmp.Compare(b.CPU, a.CPU), cmp.Compare(b.GPU, a.GPU), cmp.Compare(a.Cores, b.Cores), cmp.Compare(a.EMC, b.EMC))
}

// raises tells whether going from one mode to another lifts the CPU or the
// GPU clock.
func raises(from, to tegra.Mode) bool { return to.CPU > from.CPU || to.GPU > from.GPU }

// listPlan measures each of its steps once.
type listPlan struct{ steps []Step }

var _ Plan = (*listPlan)(nil)

// ListPlan measures the modes of these steps with the minibatch sizes that they
// say, duplicates once: size by size, since each needs a job of its own, and
// within a size in the order of method note d.2.
func ListPlan(steps []Step) Plan {
	steps = slices.SortedStableFunc(slices.Values(steps), func(a, b Step) int {
		return cmp.Or(cmp.Compare(a.Batch, b.Batch), inOrder(a.Mode, b.Mode))
	})
	return &listPlan{slices.CompactFunc(steps, func(a, b Step) bool { return a.setting() == b.setting() })}
}

func (p *listPlan) Len() (int, bool) { return len(p.steps), true }

func (p *listPlan) Next(done []Row) (Step, bool) {
	seen := make(map[setting]bool, len(done))
	for _, r := range done {
		seen[r.setting()] = true
	}
	for _, s := range p.steps {
		if !seen[s.setting()] {
			s.Why, s.Group = "list", p.group(s)
			return s, true
		}
	}
	return Step{}, false
}

// group names the steps of a CPU clock and a minibatch size, so that trouble can
// be laid at a clock's door; "" when they are not worth telling.
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
		text += fmt.Sprintf(", minibatches of %d", of.Batch)
	}
	return text
}

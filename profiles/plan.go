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
	Raise bool // CPU or GPU clock rises from the mode before (method note d.2)
	Why   string
	Batch string // of a plan in batches: which one this mode is of
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

// Order sorts modes as method note d.2 says: a batch per CPU frequency, the
// highest first; GPU frequency falling inside a batch; then cores and memory.
// Boards that only take falling CPU and GPU clocks refuse least in this
// order; no order of a full grid is without raises.
func Order(modes []tegra.Mode) []tegra.Mode {
	return slices.SortedStableFunc(slices.Values(modes), func(a, b tegra.Mode) int {
		return cmp.Or(cmp.Compare(b.CPU, a.CPU), cmp.Compare(b.GPU, a.GPU), cmp.Compare(a.Cores, b.Cores), cmp.Compare(a.EMC, b.EMC))
	})
}

// raises tells whether going from one mode to another lifts the CPU or the
// GPU clock.
func raises(from, to tegra.Mode) bool { return to.CPU > from.CPU || to.GPU > from.GPU }

// listPlan measures each of its modes once.
type listPlan struct{ modes []tegra.Mode }

var _ Plan = (*listPlan)(nil)

// ListPlan measures these modes, duplicates once, in the order of Order.
func ListPlan(modes []tegra.Mode) Plan { return &listPlan{slices.Compact(Order(modes))} }

func (p *listPlan) Len() (int, bool) { return len(p.modes), true }

func (p *listPlan) Next(done []Row) (Step, bool) {
	seen := make(map[tegra.Mode]bool, len(done))
	for _, r := range done {
		seen[r.Mode] = true
	}
	for _, m := range p.modes {
		if !seen[m] {
			return Step{Mode: m, Why: "list", Batch: p.batch(m.CPU)}, true
		}
	}
	return Step{}, false
}

// batch names the batch of a CPU clock, so that trouble can be laid at a
// clock's door; "" when they are not worth telling.
func (p *listPlan) batch(cpu tegra.Freq) string {
	batches, at, size := 0, 0, 0
	for i, m := range p.modes {
		if i == 0 || m.CPU != p.modes[i-1].CPU {
			batches++
		}
		if m.CPU == cpu {
			at = batches
			size++
		}
	}
	if batches < 2 || size < 2 {
		return ""
	}
	return fmt.Sprintf("batch %d of %d: %d modes at CPU %s", at, batches, size, cpu)
}

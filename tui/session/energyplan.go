package session

import (
	"slices"
	"strconv"
	"strings"

	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// energyKind is what an energy study measures beside the clock pairs: a baseline, or another job to compare with.
type energyKind struct {
	name      string // in the record
	workload  workload.Workload
	governors tegra.Governors
	locked    bool // of a replay, whose table knows locked clocks alone
	rounds    int  // first, in the middle and last; or once
	atLeast   bool // when the pairs are done, at the best of them
}

// energyRounds is how often a baseline is measured, so that a board that drifts shows it.
const energyRounds = 3

// energyPlan measures baselines, pairs of clocks, and baselines again.
//
//	baselines ──► pairs ──► baselines ──► pairs ──► baselines ──► others at the best pair
type energyPlan struct {
	space *tegra.Space
	study *optimize.EnergyStudy
	full  []tegra.Mode // every pair, in this order and in rounds; nil: as the study chooses
	times int          // rounds of full
	kinds []energyKind
	pairs *profiles.Bench
	bench func(energyKind) *profiles.Bench
}

var _ profiles.Plan = (*energyPlan)(nil)

// readings of pairs, and the modes without a usable one.
func (p *energyPlan) readings(rows []record.Row) (list []tegra.Measured, failed []tegra.Mode) {
	for _, r := range pairRows(p.space, rows) {
		if r.Status.Usable() {
			list = append(list, energyOf(r))
		} else {
			failed = append(failed, r.Mode)
		}
	}
	return list, failed
}

// energyOf is the reading of a row by its mean power, so that time and power give the energy.
func energyOf(r record.Row) tegra.Measured {
	m := r.Measured
	if m.Batch = 0; r.EnergyJ > 0 && m.TimeMS > 0 {
		m.PowerW = 1000 * r.EnergyJ / m.TimeMS
	}
	return m
}

// pairsInAll is about how many readings the pairs take.
func (p *energyPlan) pairsInAll() int {
	if p.full != nil {
		return p.times * len(p.full)
	}
	return p.study.Len()
}

func (p *energyPlan) Len() (int, bool) {
	n := p.pairsInAll()
	for _, k := range p.kinds {
		n += k.rounds
	}
	return n, true
}

func (p *energyPlan) Next(done []record.Row) (profiles.Step, bool) {
	if step, ok := p.round(done, 1); ok {
		return step, true
	}
	list, failed := p.readings(done)
	m, more := p.pair(list, failed)
	if !more || 2*len(list) >= p.pairsInAll() {
		if step, ok := p.round(done, 2); ok {
			return step, true
		}
	}
	if more {
		again := 1
		for _, r := range pairRows(p.space, done) {
			if r.Mode == m {
				again++
			}
		}
		v := &profiles.Variant{Variant: record.Variant{Setting: p.space.Format(m), Repeat: again}, Bench: p.pairs,
			Shared: true}
		return profiles.Step{Setting: tegra.Setting{Mode: m}, Variant: v}, true
	}
	if step, ok := p.round(done, energyRounds); ok {
		return step, true
	}
	return p.compared(done, list)
}

// pair is the next pair to measure.
func (p *energyPlan) pair(list []tegra.Measured, failed []tegra.Mode) (tegra.Mode, bool) {
	if p.full == nil {
		return p.study.Next(list, failed)
	}
	count := map[tegra.Mode]int{}
	for _, m := range list {
		count[m.Mode]++
	}
	for round := range p.times {
		for _, m := range p.full {
			if count[m] <= round && !slices.Contains(failed, m) {
				return m, true
			}
		}
	}
	return tegra.Mode{}, false
}

// round is the next baseline that is due by round n.
func (p *energyPlan) round(done []record.Row, n int) (profiles.Step, bool) {
	for k := 1; k <= n; k++ {
		for _, kind := range p.kinds {
			if k <= kind.rounds && !kind.atLeast && !wasRun(done, kind.name, k) {
				return p.step(kind, p.space.Max(), k), true
			}
		}
	}
	return profiles.Step{}, false
}

// compared is the next job to run at the best pair.
func (p *energyPlan) compared(done []record.Row, list []tegra.Measured) (profiles.Step, bool) {
	for _, kind := range p.kinds {
		if !kind.atLeast || wasRun(done, kind.name, 1) {
			continue
		}
		if best := p.study.Sum(list).Least; best.OK {
			return p.step(kind, best.V.Mode, 1), true
		}
	}
	return profiles.Step{}, false
}

func (p *energyPlan) step(kind energyKind, m tegra.Mode, k int) profiles.Step {
	return profiles.Step{Setting: tegra.Setting{Mode: m}, Variant: &profiles.Variant{
		Variant: record.Variant{Setting: kind.name, Repeat: k}, Bench: p.bench(kind)}}
}

// wasRun reports whether a run of an experiment has a row.
func wasRun(rows []record.Row, name string, k int) bool {
	return slices.ContainsFunc(rows, func(r record.Row) bool { return r.IsOf(name, k) })
}

// GovernorsText names governors as --governor takes them.
func GovernorsText(g tegra.Governors) string {
	var parts []string
	if g.CPU != "" {
		parts = append(parts, "cpu="+g.CPU)
	}
	if g.GPU != "" {
		parts = append(parts, "gpu="+g.GPU)
	}
	return strings.Join(parts, ",")
}

// Names of what is measured beside the pairs.
const (
	usualGovernors = "default governors"
	fastestLocked  = "fastest mode, locked"
)

func batchName(n int) string { return "batch " + strconv.Itoa(n) }

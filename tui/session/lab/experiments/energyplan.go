package experiments

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jtune/optimize/energy"
	"jtune/optimize/lab/screening"
	"jtune/profiles"
	"jtune/profiles/lab/experiment"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/study"
)

// energyKind is something measured besides the clock pairs: a baseline, or another job to compare with.
type energyKind struct {
	experiment.Setting
	rounds  int  // measured first, in the middle and last; or once
	atLeast bool // measured after the pairs, at the best of them
}

// energyStudy measures baselines and pairs of clocks in alternation:
//
//	baselines ──► pairs ──► baselines ──► pairs ──► baselines ──► others at the best pair
type energyStudy struct {
	r     ExperimentRequest // includes its space
	study *screening.Study
	full  []tegra.Mode // every pair, in this order and in rounds; nil: as the study chooses
	kinds []energyKind
}

var _ runs = (*energyStudy)(nil)

// newEnergyStudy plans what a request measures on a board. A replayed table has only locked clocks.
func newEnergyStudy(r ExperimentRequest, space *tegra.Space, replayed bool) *energyStudy {
	r = r.forEnergy(replayed)
	r.Space = space
	p := &energyStudy{r: r, study: screening.NewStudy(space, r.Repeat, !r.Energy.PairsAlone),
		kinds: r.energyKinds(replayed)}
	if r.Energy.Full {
		p.full = profiles.InOrder(p.study.Pairs())
	}
	return p
}

// energyKinds returns what is measured besides the pairs, in the fastest mode.
func (r ExperimentRequest) energyKinds(replayed bool) (list []energyKind) {
	rounds, free := study.Rounds, !replayed
	add := func(name string, w workload.Workload, g tegra.Governors, rounds int) {
		set := r.reading(w)
		if set.DVFS = free; free { // governors vary the clocks
			set.MinSamples *= governedFor
		}
		list = append(list, energyKind{rounds: rounds, Setting: experiment.Setting{Name: name, Mode: r.Space.Max(),
			Workload: w, Settings: set, Governors: g}})
	}
	none := tegra.Governors{}
	usual := study.UsualGovernors
	if replayed {
		usual, rounds = study.FastestLocked, 1
	}
	add(usual, r.Workload, none, rounds)
	for _, g := range r.Energy.Governors {
		add("governors "+governorsText(g), r.Workload, g, rounds)
	}
	for _, n := range r.Energy.Batches {
		add(study.AtBatch+strconv.Itoa(n), r.Workload.AtBatch(n), none, 1)
	}
	if w := r.Energy.Against; w != nil {
		add(study.Against+w.Name, *w, none, rounds)
		free = false
		add(study.Against+w.Name+study.AtTheLeast, *w, none, 1)
		list[len(list)-1].atLeast = true
	}
	return list
}

func (p *energyStudy) digest() string {
	var names []string
	for _, k := range p.kinds {
		names = append(names, k.Name)
	}
	return fmt.Sprintf("%s full=%t repeat=%d every=%s inferences=%d %s", campaigns.EnergySource, p.r.Energy.Full,
		p.r.Repeat,
		p.r.Every, p.r.Energy.Inferences, strings.Join(names, "; "))
}

// of describes the study.
func (p *energyStudy) of() study.Subject {
	return study.Subject{Workload: p.r.Workload, Board: p.r.board, Virtual: p.r.virtual, Full: p.r.Energy.Full,
		Repeat: p.r.Repeat, Space: p.r.Space}
}

func (p *energyStudy) findings(rows []record.Row, runs []record.Run) Findings {
	return energyFindings{study.Sum(p.of(), rows, runs), p.r.Energy.LatencyCost}
}

// pairsInAll estimates how many readings the pairs take.
func (p *energyStudy) pairsInAll() int {
	if p.full != nil {
		return p.r.Repeat * len(p.full)
	}
	return p.study.Len()
}

func (p *energyStudy) Len() int {
	n := p.pairsInAll()
	for _, k := range p.kinds {
		n += k.rounds
	}
	return n
}

func (p *energyStudy) Next(done []record.Row) (experiment.Run, bool) {
	if step, ok := p.round(done, 1); ok {
		return step, true
	}
	list, failed := study.Readings(p.r.Space, done)
	m, more := p.pair(list, failed)
	if !more || 2*len(list) >= p.pairsInAll() {
		if step, ok := p.round(done, 2); ok {
			return step, true
		}
	}
	if more {
		again := 1
		for _, r := range campaigns.PairRows(p.r.Space, done) {
			if r.Mode == m {
				again++
			}
		}
		return experiment.Run{Repeat: again, Shared: true, Setting: experiment.Setting{Name: p.r.Space.Format(m),
			Mode:     m,
			Workload: p.r.Workload, Settings: p.r.reading(p.r.Workload)}}, true
	}
	if step, ok := p.round(done, study.Rounds); ok {
		return step, true
	}
	return p.compared(done, list)
}

// pair returns the next pair to measure.
func (p *energyStudy) pair(list []tegra.Measured, failed []tegra.Mode) (tegra.Mode, bool) {
	if p.full == nil {
		return p.study.Next(list, failed)
	}
	count := map[tegra.Mode]int{}
	for _, m := range list {
		count[m.Mode]++
	}
	for round := range p.r.Repeat {
		for _, m := range p.full {
			if count[m] <= round && !slices.Contains(failed, m) {
				return m, true
			}
		}
	}
	return tegra.Mode{}, false
}

// round returns the next baseline that is due in round n or earlier.
func (p *energyStudy) round(done []record.Row, n int) (experiment.Run, bool) {
	for k := 1; k <= n; k++ {
		for _, kind := range p.kinds {
			if k <= kind.rounds && !kind.atLeast && !experiment.WasRun(done, kind.Name, k) {
				return experiment.Run{Setting: kind.Setting, Repeat: k}, true
			}
		}
	}
	return experiment.Run{}, false
}

// compared returns the next job to run at the best pair.
func (p *energyStudy) compared(done []record.Row, list []tegra.Measured) (experiment.Run, bool) {
	for _, kind := range p.kinds {
		if !kind.atLeast || experiment.WasRun(done, kind.Name, 1) {
			continue
		}
		if best := energy.Sum(p.r.Space, list).Least; best.OK {
			kind.Mode = best.V.Mode
			return experiment.Run{Setting: kind.Setting, Repeat: 1}, true
		}
	}
	return experiment.Run{}, false
}

// governorsText formats governors like the value of --governor.
func governorsText(g tegra.Governors) string {
	var parts []string
	if g.CPU != "" {
		parts = append(parts, "cpu="+g.CPU)
	}
	if g.GPU != "" {
		parts = append(parts, "gpu="+g.GPU)
	}
	return strings.Join(parts, ",")
}

package measure

import (
	"slices"

	"jtune/optimize"
	"jtune/optimize/design"
	"jtune/optimize/earlier"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// KnownRows are readings of earlier campaigns that count as measured.
type KnownRows struct {
	Rows  []tegra.Measured
	Limit metric.Goal // the best of Rows for it is measured again
}

// With returns all rows that count: the known ones, aligned with the board's present state, and the new ones.
func (k *KnownRows) With(done []record.Row) ([]tegra.Measured, earlier.Alignment) {
	return earlier.Align([][]tegra.Measured{k.Rows, record.Usable(done)})
}

// designPlan lets the design choose each mode from the rows so far. Known rows count once the best of them has been
// measured again.
type designPlan struct {
	space  *tegra.Space
	design *design.Design
	n      int
	first  []tegra.Mode // measured before the design chooses, unless known
	known  KnownRows
	total  int // steps, as far as can be foreseen
}

var _ profiles.Plan = (*designPlan)(nil)

func newDesignPlan(space *tegra.Space, n int, seed uint64, first []tegra.Mode, known KnownRows) *designPlan {
	p := &designPlan{space: space, design: design.New(space, n, seed), n: n, first: first, known: known}
	p.total = max(0, n-len(tegra.OncePerSetting(known.Rows)))
	if _, ok := p.recheck(nil); ok {
		p.total++
	}
	return p
}

func (p *designPlan) Len() (int, bool) { return p.total, true }

func (p *designPlan) Next(done []record.Row) (profiles.Step, bool) {
	if at, ok := p.recheck(done); ok {
		p.total = max(p.total, len(done)+1)
		return profiles.Step{Setting: at}, true
	}
	rows, _ := p.known.With(done)
	left := max(0, p.n-len(tegra.OncePerSetting(rows))-(len(done)-len(record.Usable(done))))
	if p.total = len(done) + left; left == 0 {
		return profiles.Step{}, false
	}
	for _, m := range p.first {
		measured := slices.ContainsFunc(done, func(r record.Row) bool { return r.Mode == m })
		if !measured && !slices.ContainsFunc(rows, func(k tegra.Measured) bool { return k.Mode == m }) {
			return profiles.Step{Setting: tegra.Setting{Mode: m}}, true
		}
	}
	tried := make([]tegra.Setting, len(done))
	for i, row := range done {
		tried[i] = row.Setting
	}
	at, ok := p.design.NextSetting(rows, tried...)
	return profiles.Step{Setting: at}, ok
}

// recheck returns the known mode to measure again next, skipping modes that failed.
func (p *designPlan) recheck(done []record.Row) (tegra.Setting, bool) {
	known := slices.DeleteFunc(slices.Clone(p.known.Rows), func(m tegra.Measured) bool {
		return slices.ContainsFunc(done, func(r record.Row) bool {
			return !r.Status.Usable() && r.Mode == m.Mode
		})
	})
	return earlier.Recheck(p.space, known, record.Usable(done), p.known.Limit, optimize.Harmless)
}

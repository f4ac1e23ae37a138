package measure

import (
	"jtune/optimize/design"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra"
)

// designPlan lets the design choose each mode from the rows so far.
type designPlan struct {
	*design.Design
	n     int
	total int // steps, as far as can be foreseen
}

var _ profiles.Plan = (*designPlan)(nil)

func newDesignPlan(places tegra.Places, n int, seed uint64) *designPlan {
	return &designPlan{design.New(places, n, seed), n, n}
}

func (p *designPlan) Len() (int, bool) { return p.total, true }

func (p *designPlan) Next(done []record.Row) (profiles.Step, bool) {
	rows := record.Usable(done)
	left := max(0, p.n-len(tegra.OncePerSetting(rows))-(len(done)-len(rows)))
	if p.total = len(done) + left; left == 0 {
		return profiles.Step{}, false
	}
	tried := make([]tegra.Setting, len(done))
	for i, row := range done {
		tried[i] = row.Setting
	}
	at, ok := p.Design.Next(rows, tried...)
	return profiles.Step{Setting: at}, ok
}

package session

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"

	"jtune/internal/arrivals"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// pairPlan lets the search choose the pairs of a campaign.
type pairPlan struct {
	search *pairSearch
	bench  *profiles.Bench
	log    string
	ask    func() (profiles.Step, bool)
	stop   func()
	err    error
	row    record.Row
	asked  int
}

var (
	_ profiles.Plan = (*pairPlan)(nil)
	_ preparedPlan  = (*pairPlan)(nil)
)

func newPairPlan(ctx context.Context, search *pairSearch) *pairPlan {
	p := &pairPlan{search: search, err: context.Canceled}
	p.ask, p.stop = iter.Pull(func(yield func(profiles.Step) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		count := map[string]int{}
		search.measure = func(a tegra.Setting, policy string) (record.Row, error) {
			words := fmt.Sprintf("%s, batch %d", policy, a.Batch)
			count[words+a.Mode.String()]++
			v := &profiles.Variant{Variant: record.Variant{Setting: words, Repeat: count[words+a.Mode.String()]},
				Bench: p.benchFor(policy)}
			if !yield(profiles.Step{Setting: a, Variant: v}) {
				cancel()
				return record.Row{}, context.Canceled
			}
			return p.row, unusable(p.row)
		}
		p.err = search.run(ctx)
	})
	return p
}

func (p *pairPlan) prepare(b *profiles.Bench, log string) { p.bench, p.log = b, log }

// benchFor measures pairs by one policy.
func (p *pairPlan) benchFor(policy string) *profiles.Bench {
	r, ask := p.search.r, p.search.ask
	b := *p.bench
	b.Pairing = &profiles.Pairing{Policy: policy, Tau: r.Tau, MaxWaitMS: r.Serving.MaxWaitMS,
		RatePerS: ask.Load.MeanRate(), Requests: r.Requests}
	turns := arrivals.Turns{Fill: policy == string(optimize.Fill), Tau: cmp.Or(r.Tau, math.MaxInt)}
	jobs := workload.Pair{Train: r.Train, Infer: r.Infer}
	b.NewHarness = jobs.NewHarness(p.search.s.harnessOptions(b.Settings, p.log),
		harness.PairOptions{Turns: turns, Free: policy == record.Free, Load: ask.Load, MaxWait: ask.MaxWait,
			Seed: ask.Seed})
	return &b
}

func (p *pairPlan) Len() (int, bool) { return 0, false }

func (p *pairPlan) Next(done []record.Row) (profiles.Step, bool) {
	if len(done) > 0 {
		p.row = done[len(done)-1]
	}
	step, ok := p.ask()
	if ok {
		p.asked++
	}
	return step, ok
}

// end ends the search where it is; it gets the last row first.
func (p *pairPlan) end(rows []record.Row) {
	if p.asked > 0 && len(rows) == p.asked {
		p.Next(rows)
	}
	p.stop()
}

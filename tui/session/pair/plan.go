package pair

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/internal/arrivals"
	"jtune/optimize/mix"
	"jtune/profiles"
	"jtune/profiles/harness/turns"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/search"
)

// pairPlan lets the search choose the pairs of a campaign.
type pairPlan struct {
	*search.Plan
	search *pairSearch
	bench  *profiles.Bench
	log    string
	err    error
}

var _ measure.PreparedPlan = (*pairPlan)(nil)

func newPairPlan(ctx context.Context, of *pairSearch) *pairPlan {
	p := &pairPlan{search: of, err: context.Canceled}
	p.Plan = search.Searching(ctx, func(ctx context.Context,
		run func(profiles.Step) (record.Row, error)) {
		count := map[string]int{}
		of.measure = func(a tegra.Setting, policy string) (record.Row, error) {
			words := fmt.Sprintf("%s, batch %d", policy, a.Batch)
			count[words+a.Mode.String()]++
			v := &profiles.Variant{Variant: record.Variant{Setting: words, Repeat: count[words+a.Mode.String()]}}
			for _, row := range slices.Backward(p.Before) {
				if row.Setting == a && row.IsOf(v.Setting, v.Repeat) && row.Status.Usable() {
					return row, nil
				}
			}
			v.Bench = p.benchFor(policy)
			return run(profiles.Step{Setting: a, Variant: v})
		}
		p.err = of.run(ctx)
	})
	return p
}

func (p *pairPlan) Prepare(b *profiles.Bench, rec *record.Record) { p.bench, p.log = b, rec.Log() }

// benchFor returns a bench that measures pairs under one policy.
func (p *pairPlan) benchFor(policy string) *profiles.Bench {
	r, ask := p.search.r, p.search.ask
	b := *p.bench
	b.Pairing = &profiles.Pairing{Policy: policy, Tau: r.Tau, MaxWaitMS: r.Load.MaxWaitMS,
		Requests: r.Requests}
	order := arrivals.Turns{Fill: policy == mix.Fill, Tau: cmp.Or(r.Tau, math.MaxInt)}
	jobs := workload.Pair{Train: r.Train, Infer: r.Infer}
	b.NewHarness = jobs.NewHarness(measure.HarnessOptions(p.search.s, b.Settings, p.log),
		turns.Options{Turns: order, Free: policy == record.Free, Load: ask.Load, MaxWait: ask.MaxWait,
			Seed: ask.Seed})
	return &b
}

// pairHeader describes a search in its record.
func pairHeader(s *session.Session, r Request) record.Header {
	plan := record.PlanHeader{Kind: record.ExperimentKind, Source: record.PairKind,
		Modes: cmp.Or(r.Pairs, mix.MostVerified), Batches: r.sizes()}
	if r.At != nil {
		plan.Modes = 1
		plan.SetList([]tegra.Setting{*r.At})
	}
	head := campaigns.HeaderOf(s, r.Infer, plan, nil, r.Settings)
	head.Pair = &record.PairHeader{Train: r.Train, Load: r.Load, PowerW: r.Limit.Of(metric.Power),
		PairAsked: r.PairAsked}
	return head
}

// PairSearchOf restores a search from its header.
func PairSearchOf(h record.Header, train, infer workload.Workload) (Request, error) {
	r := Request{Train: train, Infer: infer, Batches: h.Plan.Batches, PairAsked: h.Pair.PairAsked, Before: h.Created,
		Question: metric.Question{Limit: metric.Watts(h.Pair.PowerW), Load: h.Pair.Load}}
	list, err := h.Plan.List()
	if err == nil && len(list) > 0 {
		r.At = &list[0]
	}
	return r, err
}

// knownBefore returns the time that limits a search's data: a resumed search predicts from what it knew when it began.
func (r *Request) knownBefore() time.Time {
	if !r.Resume {
		return r.Before
	}
	head, _, err := record.Read(r.Dir)
	if err != nil { // it starts over, or the record reports the error
		return time.Time{}
	}
	return head.Created
}

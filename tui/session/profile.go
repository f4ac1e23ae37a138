package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra"
)

// Profile measures the modes that r selects and records each. It ends with the
// found state back on the device. An interrupted campaign keeps its rows and
// can be resumed.
func (s *Session) Profile(ctx context.Context, r ProfileRequest, observe func(Event)) (ProfileResult, error) {
	plan, head, err := s.plan(r)
	if err != nil {
		return ProfileResult{}, err
	}
	return s.profile(ctx, r, plan, head, observe)
}

// profile measures what a plan asks for; head says in the record what plan.
func (s *Session) profile(ctx context.Context, r ProfileRequest, plan profiles.Plan, head profiles.PlanHeader, observe func(Event)) (ProfileResult, error) {
	bench, err := s.bench(ctx, r.Workload, r.Settings, observe)
	if err != nil {
		return ProfileResult{}, err
	}
	rec, err := s.record(r.Dir, s.header(r.Workload, head, r.Settings), r.Resume)
	if err != nil {
		return ProfileResult{}, err
	}
	defer rec.Close()
	for _, note := range rec.Notes() {
		observer(observe).note(note)
	}
	bench.Settings = r.Settings.Over(rec.Header().Settings)
	bench.NewHarness = s.harness(r.Workload, bench.Settings, rec.Log(), 0)
	done := rec.Rows()
	if r.RedoFailed {
		done = slices.DeleteFunc(done, func(row profiles.Row) bool { return !row.Status.Usable() })
	}
	observer(observe).note(s.ofSizes(r.Workload, r.Batches))
	observer(observe).note(cost(plan, len(done), bench.Settings))
	c := profiles.Campaign{Bench: bench, Plan: plan, Record: rec, Retries: r.Retries, RedoFailed: r.RedoFailed, Gate: r.Gate}
	sum, err := c.Run(ctx)
	return ProfileResult{Summary: sum, Dir: rec.Dir()}, dictated(err)
}

// cost tells what is to be measured and about how long that takes.
func cost(plan profiles.Plan, done int, set profiles.Settings) string {
	n, _ := plan.Len()
	n -= done
	if n <= 0 {
		return ""
	}
	lo, hi := set.Cost(n)
	modes := "modes"
	if n == 1 {
		modes = "mode"
	}
	return fmt.Sprintf("%d %s to measure, about %s to %s", n, modes, roundly(lo), roundly(hi))
}

// roundly leaves out what nobody wants to know of an estimate.
func roundly(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// plan turns the selection into a plan and the record's words for it.
func (s *Session) plan(r ProfileRequest) (profiles.Plan, profiles.PlanHeader, error) {
	space := s.Device.Space()
	head := profiles.PlanHeader{Batches: r.Batches}
	if r.Batches != nil {
		if err := s.takesSizes(r.Workload); err != nil {
			return nil, head, err
		}
	}
	var list []learn.Setting
	switch {
	case r.Choose > 0:
		n := min(r.Choose, space.Len())
		head.Kind, head.Modes = "modes", n
		switch {
		case r.Batches != nil:
			return nil, head, fmt.Errorf("%w: modes that are chosen as it goes have one minibatch size: with several use --sample, --grid or --list", ErrUsage)
		case r.Shard != [2]int{}:
			return nil, head, fmt.Errorf("%w: --shard cannot split modes that are chosen as it goes: use --sample, --grid or --list", ErrUsage)
		}
		return &designPlan{design: optimize.NewDesign(space, n, s.Options.Seed, 0), n: n}, head, nil
	case r.Sample > 0:
		list = s.measurable(learn.Places{Space: space, Batches: r.Batches}.Sample(len(r.Batches)*space.Len()+r.Sample, s.Options.Seed))
		list = list[:min(r.Sample, len(list))]
		head.Kind = "sample"
	case r.Grid:
		list = s.measurable(learn.Settings(space.Grid().Modes(), r.Batches))
		head.Kind = "grid"
	case len(r.List) > 0:
		list = s.measurable(slices.Clone(r.List))
		if head.Batches == nil { // they say their own
			head.Batches = sizesIn(list)
		}
		head.Kind, head.Source, head.Digest = "list", r.ListName, profiles.Digest(modesIn(list))
	default:
		return nil, head, fmt.Errorf("%w: no modes selected: give --modes N, --sample N, --grid or --list FILE", ErrUsage)
	}
	list, err := shard(list, r.Shard)
	if err != nil {
		return nil, head, err
	}
	if r.Shard != [2]int{} {
		head.Shard = fmt.Sprintf("%d/%d", r.Shard[0], r.Shard[1])
	}
	steps := make([]profiles.Step, len(list))
	for i, a := range list {
		steps[i] = profiles.Step{Mode: a.Mode, Batch: a.Batch}
	}
	plan := profiles.ListPlan(steps)
	head.Modes, _ = plan.Len()
	return plan, head, nil
}

// sizesIn lists the minibatch sizes of settings, ascending; nil where the size
// is no input.
func sizesIn(list []learn.Setting) []int {
	var sizes []int
	for _, a := range list {
		if a.Batch > 0 {
			sizes = append(sizes, a.Batch)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

func modesIn(list []learn.Setting) []tegra.Mode {
	modes := make([]tegra.Mode, len(list))
	for i, a := range list {
		modes[i] = a.Mode
	}
	return modes
}

// measurable keeps the settings that a replay of several sizes can answer; all
// elsewhere.
func (s *Session) measurable(list []learn.Setting) []learn.Setting {
	if s.settings == nil {
		return list
	}
	there := make(map[learn.Setting]bool, len(s.settings))
	for _, a := range s.settings {
		there[a] = true
	}
	return slices.DeleteFunc(list, func(a learn.Setting) bool { return !there[a] })
}

// shard keeps part i of n. Settings are dealt out in turns, each turn beginning
// one part later: parts are alike in cost, whatever pattern the list has.
func shard(list []learn.Setting, part [2]int) ([]learn.Setting, error) {
	if part == [2]int{} {
		return list, nil
	}
	i, n := part[0], part[1]
	if i < 1 || n < i {
		return nil, fmt.Errorf("%w: shard %d/%d: want i/n with 1 ≤ i ≤ n", ErrUsage, i, n)
	}
	var out []learn.Setting
	for k, a := range list {
		if (k+k/n)%n == i-1 {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: shard %d/%d of %d modes is empty", ErrUsage, i, n, len(list))
	}
	return out, nil
}

// designPlan lets the design choose each mode from the rows so far.
type designPlan struct {
	design *optimize.Design
	n      int
}

var _ profiles.Plan = (*designPlan)(nil)

func (p *designPlan) Len() (int, bool) { return p.n, true }

func (p *designPlan) Next(done []profiles.Row) (profiles.Step, bool) {
	if len(done) >= p.n {
		return profiles.Step{}, false
	}
	m, ok := p.design.Next(usable(done))
	return profiles.Step{Mode: m, Why: "chosen"}, ok
}

// usable are the rows that may be learnt from.
func usable(rows []profiles.Row) []tegra.Measured {
	var out []tegra.Measured
	for _, r := range rows {
		if r.Status.Usable() {
			out = append(out, r.Measured)
		}
	}
	return out
}

package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"jtune/internal/text"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra"
)

// Profile measures the modes that r selects and records each. It ends with the
// found state back on the device. An interrupted campaign keeps its rows and
// can be resumed. The model of the workload's pool learns them.
func (s *Session) Profile(ctx context.Context, r ProfileRequest, observe func(Event)) (ProfileResult, error) {
	out, err := s.profilePlanned(ctx, r, nil, observe)
	out.Kept = s.update(r.Workload, r.Batches, out.Dir, usable(out.Rows), observe)
	return out, err
}

// profilePlanned measures what a request selects; search says what for, where a search asks.
func (s *Session) profilePlanned(ctx context.Context, r ProfileRequest, search *record.SearchHeader,
	observe func(Event)) (ProfileResult, error) {
	plan, head, err := s.plan(r)
	if err != nil {
		return ProfileResult{}, err
	}
	return s.profile(ctx, r, plan, s.header(r.Workload, head, search, r.Settings), observe)
}

// profile measures what a plan asks for; head describes it in the record.
func (s *Session) profile(ctx context.Context, r ProfileRequest, plan profiles.Plan, head record.Header,
	observe func(Event)) (ProfileResult, error) {
	bench, err := s.bench(ctx, r.Workload, r.Settings, observe)
	if err != nil {
		return ProfileResult{}, err
	}
	rec, err := s.record(r.Dir, head, r.Resume)
	if errors.Is(err, record.ErrOtherJob) {
		err = fmt.Errorf("%w; --trust-command runs that", err)
	}
	if err != nil {
		return ProfileResult{}, err
	}
	defer rec.Close()
	observer(observe).note(rec.Notes()...)
	observer(observe).endOrphans()
	bench.Settings = r.Settings.Over(rec.Header().Settings)
	bench.NewHarness = s.harness(r.Workload, bench.Settings, rec.Log(), 0)
	done := rec.Rows()
	if r.RedoFailed {
		done = slices.DeleteFunc(done, func(row record.Row) bool { return !row.Status.Usable() })
	}
	observer(observe).note(s.scaledBatchNote(r.Workload, r.Batches))
	observer(observe).coming(plan)
	if head.Plan.Kind != tuneKind { // how long a search takes is not known
		observer(observe).note(cost(plan, len(done), bench.Settings))
	}
	c := profiles.Campaign{Bench: bench, Plan: plan, Record: rec, Retries: r.Retries,
		RedoFailed: r.RedoFailed, Gate: r.Gate}
	sum, err := c.Run(ctx)
	return ProfileResult{Summary: sum, Dir: rec.Dir()}, errors.Join(usageOfFixedBatch(err), rec.End(sum.End.String()))
}

// coming tells the order of a plan that is fixed.
func (f observer) coming(plan profiles.Plan) {
	if fixed, ok := plan.(interface{ Settings() []tegra.Setting }); ok {
		f.send(Event{Coming: fixed.Settings()})
	}
}

// cost describes what is to be measured and about how long that takes.
func cost(plan profiles.Plan, done int, set record.Settings) string {
	n, _ := plan.Len()
	n -= done
	if n <= 0 {
		return ""
	}
	lo, hi := set.Cost(n) // of modes in general
	return fmt.Sprintf("%s to measure, about %s to %s: closer once some are measured",
		text.Count(n, "mode"), roundly(lo), roundly(hi))
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
func (s *Session) plan(r ProfileRequest) (profiles.Plan, record.PlanHeader, error) {
	space := s.Device.Space()
	head := record.PlanHeader{Batches: r.Batches}
	if r.Batches != nil {
		if err := s.checkSizes(r.Workload); err != nil {
			return nil, head, err
		}
	}
	var list []tegra.Setting
	switch {
	case r.Choose > 0:
		n := min(r.Choose, space.Len())
		head.Kind, head.Modes = "modes", n
		switch {
		case r.Batches != nil:
			return nil, head, fmt.Errorf("%w: modes that are chosen as it goes have one batch size: "+
				"with several use --sample, --grid or --list", ErrUsage)
		case r.Shard != [2]int{}:
			return nil, head, fmt.Errorf("%w: --shard cannot split modes that are chosen as it goes: "+
				"use --sample, --grid or --list", ErrUsage)
		}
		return newDesignPlan(space, n, s.Seed, r.First, r.known), head, nil
	case r.Sample > 0:
		from := space
		if head.Kind = "sample"; r.Grid {
			from, head.Source = space.Grid(), "grid"
		}
		places := tegra.Places{Space: from, Batches: r.Batches}
		list = s.measurable(places.Sample(len(r.Batches)*from.Len()+r.Sample, s.Seed))
		list = list[:min(r.Sample, len(list))]
	case r.Grid:
		list = s.measurable(tegra.Settings(space.Grid().Modes(), r.Batches))
		head.Kind = "grid"
	case len(r.List) > 0:
		list = s.measurable(slices.Clone(r.List))
		if head.Batches == nil { // the list has its own
			head.Batches = tegra.BatchSizes(list)
		}
		head.Kind, head.Source, head.Digest = "list", r.ListName, record.Digest(tegra.ModesOf(list))
	default:
		return nil, head, fmt.Errorf("%w: no modes selected: give --modes N, --sample N, --grid or --list FILE",
			ErrUsage)
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
		steps[i] = profiles.Step{Setting: a}
	}
	plan := profiles.ListPlan(steps)
	head.Modes, _ = plan.Len()
	return plan, head, nil
}

// measurable keeps the settings that a replay of several sizes can answer; all
// elsewhere.
func (s *Session) measurable(list []tegra.Setting) []tegra.Setting {
	if s.settings == nil {
		return list
	}
	there := make(map[tegra.Setting]bool, len(s.settings))
	for _, a := range s.settings {
		there[a] = true
	}
	return slices.DeleteFunc(list, func(a tegra.Setting) bool { return !there[a] })
}

// shard keeps part i of n. Settings are dealt out in turns, each turn beginning
// one part later: parts are alike in cost, whatever pattern the list has.
func shard(list []tegra.Setting, part [2]int) ([]tegra.Setting, error) {
	if part == [2]int{} {
		return list, nil
	}
	i, n := part[0], part[1]
	if i < 1 || n < i {
		return nil, fmt.Errorf("%w: shard %d/%d: want i/n with 1 ≤ i ≤ n", ErrUsage, i, n)
	}
	var out []tegra.Setting
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

// usable are the rows that a model may be fitted to.
func usable(rows []record.Row) []tegra.Measured {
	var out []tegra.Measured
	for _, r := range rows {
		if r.Status.Usable() {
			out = append(out, r.Measured)
		}
	}
	return out
}

package measure

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
)

// selection makes plans from what requests select in a space.
type selection struct {
	space *tegra.Space
	only  []tegra.Setting // settings that a replay of several sizes can answer; nil: all
	seed  uint64
}

// plan turns a request into a plan and its header for the record.
func (s selection) plan(r ProfileRequest) (profiles.Plan, record.PlanHeader, error) {
	head := record.PlanHeader{Batches: r.Batches, Filter: strings.Join(strings.Fields(r.Filter), " ")}
	if r.Repeats > 1 {
		head.Repeats = r.Repeats
	}
	space, err := s.within(head.Filter)
	if err != nil {
		return nil, head, err
	}
	if r.Choose > 0 {
		return s.chosen(r, space, head)
	}
	var list []tegra.Setting
	switch {
	case r.Sample > 0:
		from := space
		if head.Kind = "sample"; r.Grid {
			from, head.Source = space.Grid(), campaigns.GridSource
		}
		places := tegra.PlacesOf(from, r.Batches)
		list = s.measurable(places.Sample(places.Len(), s.seed))
		list = list[:min(r.Sample, len(list))]
	case r.Grid:
		list = s.measurable(tegra.Settings(space.Grid().Modes(), r.Sizes()))
		head.Kind = "grid"
	case len(r.List) > 0 && head.Filter != "":
		return nil, head, usage.Errorf("a list names its modes: remove the filter")
	case len(r.List) > 0:
		list = s.measurable(slices.Clone(r.List))
		if head.Batches == nil { // the list has its own batch sizes
			head.Batches = record.Recorded(list)
		}
		head.Kind, head.Source, head.Digest = "list", r.ListName, record.Digest(tegra.ModesOf(list))
		head.SetList(r.List)
	case head.Filter != "":
		list = s.measurable(tegra.Settings(space.Modes(), r.Sizes()))
		head.Kind = "filter"
	default:
		return nil, head, usage.Errorf("no modes selected").Advise("give %s, %s, %s, %s or %s", usage.Modes.Value(),
			usage.Sample.Value(), usage.Grid, usage.Filter.Value(), usage.List.Value())
	}
	if len(list) == 0 {
		return nil, head, usage.Errorf("%s: no mode of this board", campaigns.PlanText(head, nil))
	}
	if list, err = shard(list, r.Shard); err != nil {
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
	return profiles.Repeat(plan, r.Repeats), head, nil
}

// chosen returns a plan whose modes are chosen from the results so far.
func (s selection) chosen(r ProfileRequest, space *tegra.Space, head record.PlanHeader) (profiles.Plan,
	record.PlanHeader, error) {
	places := tegra.PlacesOf(space, r.Batches)
	n := min(r.Choose, places.Len())
	head.Kind, head.Modes = "modes", n
	switch {
	case s.only != nil:
		return nil, head, usage.Batch.Errorf("modes chosen from the results so far have one batch size in a replay").
			Advise("measure random, grid, filtered or listed ones with several (%s, %s, %s, %s)", usage.Sample,
				usage.Grid, usage.Filter, usage.List)
	case r.Shard != [2]int{}:
		return nil, head, usage.Shard.Errorf("%s cannot split modes chosen from the results so far", usage.Shard).
			Advise("use %s, %s or %s", usage.Sample, usage.Grid, usage.List)
	}
	return profiles.Repeat(newDesignPlan(places, n, s.seed), r.Repeats), head, nil
}

// within returns the part of the space that passes a filter.
func (s selection) within(filter string) (*tegra.Space, error) {
	if filter == "" {
		return s.space, nil
	}
	f, err := s.space.ParseFilter(filter)
	if err != nil {
		return nil, usage.Of(err)
	}
	part := s.space.Filter(f)
	if part.Len() == 0 {
		return nil, usage.Errorf("no mode matches %s; this board has %s", text.Clip(filter), s.space.Ranges())
	}
	return part, nil
}

// measurable keeps the settings that a replay of several sizes can answer; otherwise it keeps all.
func (s selection) measurable(list []tegra.Setting) []tegra.Setting {
	if s.only == nil {
		return list
	}
	there := make(map[tegra.Setting]bool, len(s.only))
	for _, a := range s.only {
		there[a] = true
	}
	return slices.DeleteFunc(list, func(a tegra.Setting) bool { return !there[a] })
}

// shard keeps part i of n. Settings are dealt out in rounds, each round starting one part later, so that the parts cost
// about the same whatever the pattern of the list.
func shard(list []tegra.Setting, part [2]int) ([]tegra.Setting, error) {
	if part == [2]int{} {
		return list, nil
	}
	i, n := part[0], part[1]
	if i < 1 || n < i {
		return nil, usage.Errorf("shard %d/%d: want i/n with 1 ≤ i ≤ n", i, n)
	}
	var out []tegra.Setting
	for k, a := range list {
		if (k+k/n)%n == i-1 {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return nil, usage.Errorf("shard %d/%d of %d modes is empty", i, n, len(list))
	}
	return out, nil
}

// Planned is what a request would measure.
type Planned struct {
	Plan   record.PlanHeader
	Order  []tegra.Setting // nil if each is chosen from the results so far
	Lo, Hi time.Duration   // estimated duration on the device's clock
	// Expected: Lo and Hi are predicted for this workload; otherwise they are typical of any mode.
	Expected bool
	settings record.Settings
}

// PlanOf returns what a request would measure on this board.
func PlanOf(s *session.Session, r ProfileRequest) (Planned, error) {
	plan, head, err := plan(s, r)
	if err != nil {
		return Planned{}, err
	}
	p := Planned{Plan: head, Order: orderOf(plan), settings: r.Settings}
	p.Lo, p.Hi = r.Settings.Cost(head.Readings())
	return p, nil
}

// String gives the number of modes, the duration, and how often a clock rises.
func (p Planned) String() string {
	out := fmt.Sprintf("%s to measure, about %s to %s", text.Count(p.Plan.Readings(), "mode"), Roundly(p.Lo),
		Roundly(p.Hi))
	if p.Expected {
		out += ", predicted from earlier measurements"
	}
	if p.Order == nil {
		return out + "; each is chosen from the results so far"
	}
	n := 0
	for _, up := range campaigns.Raised(p.Order, tegra.Val[tegra.Mode]{}) {
		if up {
			n++
		}
	}
	return out + "; clocks rise " + text.Count(n, "time")
}

// OrderText lists the first settings in order and marks those that raise a clock.
func (p *Planned) OrderText(mode func(m tegra.Mode) string, most int) string {
	return campaigns.OrderText(p.Order, tegra.Val[tegra.Mode]{}, mode, most)
}

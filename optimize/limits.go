package optimize

// Several limits in one search: it starts with the lowest power limit, whose modes are the safest, and continues with
// the next from all measurements, so each further limit costs only a few probes. At the end every answer is chosen once
// more from all readings, since a probe for one limit may be better for another.

import (
	"cmp"
	"errors"
	"slices"

	"jtune/internal/sorted"
	"jtune/tegra/metric"
)

// furtherProbes is the increase of the default cap of probes per further limit.
const furtherProbes = 10

// MostProbes returns the default cap of a closed-loop search for that many limits.
func MostProbes(limits int) int { return DefaultProbes + furtherProbes*(limits-1) }

// servedProbes is the cap of a quick search for one limit if each measurement waits for a server's answers, up to two
// minutes. docs/results.md, "Serving", has its cost.
const servedProbes = 14

// MostServed is MostProbes for a quick search with a server.
func MostServed(limits int) int { return servedProbes + furtherProbes*(limits-1) }

// sought returns Limits as the search uses them: with the usual margin and, over batch sizes within a power
// limit, the highest throughput as the goal unless that is least energy.
func (o *TuneOptions) sought() []metric.Goal {
	list := slices.Clone(o.Limits)
	for i := range list {
		list[i] = list[i].Over(o.Batches)
		list[i].Margin = metric.UsualMargin
	}
	return list
}

// answerAll measures what comes first by the strategy, then searches for an answer to each limit.
func (s *search) answerAll(first func() error) ([]Answer, error) {
	limits := s.o.sought()
	order := make([]int, len(limits))
	for i := range order {
		order[i] = i
	}
	sorted.Stable(order,
		func(a, b int) int { return cmp.Compare(limits[a].Of(metric.Power), limits[b].Of(metric.Power)) })
	answers, most, ended := make([]Answer, len(limits)), s.cap, make([]Ended, len(limits))
	if s.compared.measurePresent() {
		if err := first(); err != nil {
			return answers, err
		}
	}
	for n, i := range order {
		s.seek(limits[i])
		s.cap = s.o.Cover + (most-s.o.Cover)*(n+1)/len(order)
		s.conclude()
		if ended[i] = s.ended; s.over() {
			break
		}
		s.ended = Converged
	}
	if s.compared.measurePreset(limits) { // which may be an answer
		for _, i := range order {
			s.seek(limits[i])
			s.ended = ended[i]
			s.conclude()
			ended[i] = s.ended
		}
	}
	var errs []error
	for _, i := range order {
		if s.seek(limits[i]); !s.over() {
			s.ended = ended[i]
		}
		var err error
		if answers[i], err = s.finish(i); err != nil {
			errs = joined(errs, err)
		}
		if s.over() {
			errs = errs[:1]
		}
	}
	if !s.over() {
		s.ended = slices.Max(ended)
	}
	return answers, errors.Join(errs...)
}

// joined adds the error of a limit; limits that have the same nearest mode share one.
func joined(errs []error, err error) []error {
	none, isNone := errors.AsType[*InfeasibleError](err)
	last, wasNone := errors.AsType[*InfeasibleError](errors.Join(errs[max(0, len(errs)-1):]...))
	if isNone && wasNone && none.Nearest.Setting == last.Nearest.Setting && none.Measured == last.Measured &&
		none.Shown == last.Shown {
		last.Also = append(last.Also, none.Limit)
		return errs
	}
	return append(errs, err)
}

// seek changes the limit. Modes stopped for a lower power limit may be measured for a higher one that they may keep.
func (s *search) seek(l metric.Goal) {
	if l == s.limit {
		return
	}
	s.limit = l
	for _, m := range s.tooMuch {
		s.failed[s.at(m.Setting)] = m.PowerW > l.Of(metric.Power)
	}
}

// over reports whether the search cannot continue for any limit.
func (s *search) over() bool { return s.ended == Cancelled || s.ended == Failing }

package population

import (
	"context"
	"errors"
	"slices"
	"strings"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// found is what a method answers.
type found struct {
	setting  tegra.Setting
	feasible bool
	model    *learn.Surrogate // nil: none
	readings []tegra.Measured // for a second question
}

// method answers a question by its readings, from readings of earlier questions. The present mode is measured first.
type method struct {
	name, about string
	run         func(ctx context.Context, q *question, known []tegra.Measured) (found, error)
}

var methods = []method{
	{"tune", "jtune's search", tuned(optimize.TuneOptions{})},
	{"random", "best of 50 random modes", tuned(optimize.TuneOptions{Strategy: optimize.Random})},
	{"binary", "multi-dimensional binary search", tuned(optimize.TuneOptions{Strategy: optimize.Binary})},
	{"powertrain", "50 random modes, transferred networks, their pick",
		tuned(optimize.TuneOptions{Strategy: optimize.PowerTrain})},
	{"coordinates", "coordinate descent by readings", descend},
	{"gp-ei", "Gaussian process on clocks and cores, expected improvement under the limit", rawEI},
	{"oracle", "reads the best mode that keeps the limit with a margin three times", oracle},
}

// Methods lists the methods.
func Methods() (names []string) {
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

// AboutMethods describes the methods, for help.
func AboutMethods() string {
	var list []string
	for _, m := range methods {
		list = append(list, m.name+" ("+m.about+")")
	}
	return strings.Join(list, ", ")
}

// tuned is a strategy of the program.
func tuned(o optimize.TuneOptions) func(context.Context, *question, []tegra.Measured) (found, error) {
	return func(ctx context.Context, q *question, known []tegra.Measured) (found, error) {
		o := o
		o.Limits, o.Space, o.Seed, o.Known = []metric.Goal{q.limit}, q.space, q.visit, known
		o.Baselines.Present = tegra.Some(q.present)
		o.Choosing = func(s optimize.Step) { q.mostW = s.MostW }
		if o.Strategy == optimize.PowerTrain {
			o.Reference = learn.ShippedReference()
		}
		r, err := optimize.Tune(ctx, q.measure, o)
		if errors.Is(err, optimize.ErrInfeasible) {
			err = nil
		}
		out := found{setting: r.Answers[0].Setting, feasible: r.Answers[0].Feasible, model: r.Model}
		for _, p := range r.Probes {
			if p.Err == nil {
				out.readings = append(out.readings, p.Measured)
			}
		}
		return out, err
	}
}

// mostPeer caps the readings of methods that have no cap of their own.
const mostPeer = 30

// bestRead returns the best reading, or the nearest to the limit.
func bestRead(readings []tegra.Measured, q *question) found {
	best := slices.MinFunc(readings, func(a, b tegra.Measured) int { return worse(a, b, q) })
	return found{setting: best.Setting, feasible: over(best, q.limit) <= 0, readings: readings}
}

// worse compares readings: first by what they are over the limit, then by the goal.
func worse(a, b tegra.Measured, q *question) int {
	x, y := max(0, over(a, q.limit)), max(0, over(b, q.limit))
	if x == y {
		x, y = q.limit.Aim().Aim(a), q.limit.Aim().Aim(b)
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// descend starts in the middle of all knobs and moves one knob at a time, a quarter of its values at first, then half
// as far whenever no knob gains.
func descend(ctx context.Context, q *question, _ []tegra.Measured) (found, error) {
	first, err := q.measure(ctx, q.present)
	if err != nil {
		return found{}, err
	}
	readings, seen := []tegra.Measured{first}, map[tegra.Setting]bool{q.present: true}
	lists := [tegra.NumKnobs][]float64{}
	at, stride := [tegra.NumKnobs]int{}, [tegra.NumKnobs]int{}
	for k := range lists {
		lists[k] = q.space.Values(tegra.Knob(k))
		at[k], stride[k] = len(lists[k])/2, max(1, len(lists[k])/4)
	}
	read := func(at [tegra.NumKnobs]int) (m tegra.Measured, ok bool, err error) {
		mode := tegra.Mode{Cores: int(lists[0][at[0]]), CPU: tegra.Freq(lists[1][at[1]]),
			GPU: tegra.Freq(lists[2][at[2]]), EMC: tegra.Freq(lists[3][at[3]])}
		a := tegra.Setting{Mode: mode}
		if seen[a] || !q.space.Contains(mode) {
			return m, false, nil
		}
		seen[a] = true
		m, err = q.measure(ctx, a)
		return m, err == nil, err
	}
	now, ok, err := read(at)
	if err != nil || !ok {
		return bestRead(readings, q), err
	}
	readings = append(readings, now)
	for len(readings) < mostPeer {
		gained, longest := false, 0
		for k := range at {
			longest = max(longest, stride[k])
			for _, by := range [2]int{stride[k], -stride[k]} {
				next := at
				next[k] = min(max(at[k]+by, 0), len(lists[k])-1)
				m, ok, err := read(next)
				if err != nil {
					return found{}, err
				}
				if !ok {
					continue
				}
				readings = append(readings, m)
				if worse(m, now, q) < 0 {
					at, now, gained = next, m, true
					break
				}
			}
		}
		if !gained && longest == 1 {
			break
		}
		if !gained {
			for k := range stride {
				stride[k] = max(1, stride[k]/2)
			}
		}
	}
	return bestRead(readings[1:], q), nil
}

// oracle knows the truth: it reads the best mode three times, as many readings as the margin is for.
func oracle(ctx context.Context, q *question, _ []tegra.Measured) (found, error) {
	if _, err := q.measure(ctx, q.present); err != nil {
		return found{}, err
	}
	best, ok := q.best(q.limit, q.margin())
	if !ok {
		best = slices.MinFunc(q.truth, func(a, b tegra.Measured) int { return worse(a, b, q) })
	}
	for range answerReadings {
		if _, err := q.measure(ctx, best.Setting); err != nil {
			return found{}, err
		}
	}
	return found{setting: best.Setting, feasible: ok}, nil
}

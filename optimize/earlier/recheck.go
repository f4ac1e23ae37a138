package earlier

import (
	"math"

	"jtune/learn"
	"jtune/optimize/ladder"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Recheck returns the next known setting to measure again before using known readings, as a search does
// (docs/method.md, Search rule, "Earlier readings"): the best for a limit and, if that has moved, the one farthest
// from it, each of the harmless ones. again are their new readings so far. It returns false if enough were measured
// again; Align then decides how the known ones count.
func Recheck(space *tegra.Space, known, again []tegra.Measured, l metric.Goal,
	harmless func(metric.Goal, tegra.Measured) bool) (tegra.Setting, bool) {
	now := bySetting(again)
	var list, open []tegra.Measured
	for _, m := range tegra.OncePerSetting(known) {
		if list = append(list, m); harmless(l, m) {
			open = append(open, m)
		}
	}
	first := bestIn(open, l)
	if first < 0 {
		return tegra.Setting{}, false
	}
	was := open[first]
	m, ok := now[was.Setting]
	if !ok {
		return was.Setting, true
	}
	model, err := learn.FitSurrogate(space, list, learn.SurrogateOptions{Robust: 1})
	if err != nil {
		return tegra.Setting{}, false
	}
	p := model.PredictSettings([]tegra.Setting{was.Setting})[0]
	if !between(was, m).beyond(p.LnTimeSD, p.LnPowerSD) {
		return tegra.Setting{}, false
	}
	open[first] = open[len(open)-1]
	far := farthest(open[:len(open)-1], was.Setting, space)
	if far < 0 {
		return tegra.Setting{}, false
	}
	_, ok = now[open[far].Setting]
	return open[far].Setting, !ok
}

// bestIn returns the index of the best measured setting within a limit or, if there is none, of the nearest to it; -1
// for none.
func bestIn(list []tegra.Measured, l metric.Goal) int {
	found, nearest, least := -1, -1, math.Inf(1)
	for i, m := range list {
		over := l.Excess(m, 0, 0)
		switch {
		case !l.Met(m) && over < least:
			nearest, least = i, over
		case !l.Met(m):
		case found < 0 || l.Better(m, list[found]):
			found = i
		}
	}
	if found < 0 {
		return nearest
	}
	return found
}

// farthest returns the index of the setting whose mode is farthest from another; -1 for none.
func farthest(list []tegra.Measured, from tegra.Setting, space *tegra.Space) int {
	found, most, ladder := -1, -1.0, ladder.New(space)
	a := ladder.Rungs(from.Mode)
	for i, m := range list {
		far := 0.0
		for k, rung := range ladder.Rungs(m.Mode) {
			d := ladder.Level(tegra.Knob(k), rung) - ladder.Level(tegra.Knob(k), a[k])
			far += d * d
		}
		if far > most {
			found, most = i, far
		}
	}
	return found
}

package reproduce

import (
	"math"
	"slices"
	"strconv"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/lab/bench"
	"jtune/optimize/lab/score"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/lab/evidence"
)

// words are the words of figures.csv.
var words = evidence.Words[*lab]{
	"space":          one(func(l *lab, a []string) (float64, error) { return l.spaceOf(a, (*tegra.Space).Len) }),
	"grid":           one((*lab).grid),
	"grid-share":     one((*lab).gridShare),
	"grid-values":    one((*lab).gridValues),
	"pairs":          one((*lab).pairs),
	"profiled":       one((*lab).profiledModes),
	"const":          one((*lab).constant),
	"mape":           one((*lab).mape),
	"self":           one((*lab).self),
	"penalty":        one(choice(func(r score.Row) float64 { return r.PenaltyPct.V.Median })),
	"over":           one(choice(func(r score.Row) float64 { return r.OverPct.V })),
	"over1":          one(choice(func(r score.Row) float64 { return r.Over1WPct.V })),
	"area-wins":      one((*lab).areaWins),
	"al1-under":      one((*lab).rarelyOver),
	"preset-wins":    one((*lab).presetWins),
	"linear":         (*lab).linear,
	"minibatches":    (*lab).minibatches,
	"reference-size": (*lab).referenceSize,
	"pick-time":      one(pick(func(p picked) float64 { return p.epochS })),
	"pick-power":     one(pick(func(p picked) float64 { return p.predicted.PowerW })),
	"at-preset":      one((*lab).atPreset),
	"probes":         one((*lab).probes),
	"binary-excess":  one((*lab).binaryExcess),
}

// one makes a word with a single value.
func one(of func(*lab, []string) (float64, error)) func(*lab, []string) ([]float64, error) {
	return func(l *lab, args []string) ([]float64, error) {
		v, err := of(l, args)
		return []float64{v}, err
	}
}

func (l *lab) spaceOf(args []string, of func(*tegra.Space) int) (float64, error) {
	_, d, err := l.board(args[0])
	if err != nil {
		return 0, err
	}
	l.simulated = true // the lists come from a virtual board
	return float64(of(d.Space())), nil
}

func (l *lab) grid(args []string) (float64, error) {
	return l.spaceOf(args, func(s *tegra.Space) int { return s.Grid().Len() })
}

func (l *lab) gridShare(args []string) (float64, error) {
	all, err := l.spaceOf(args, (*tegra.Space).Len)
	if err != nil {
		return 0, err
	}
	grid, err := l.grid(args)
	return 100 * grid / all, err
}

// gridValues counts the values of a knob, CPU or cores, on the grid.
func (l *lab) gridValues(args []string) (float64, error) {
	return l.spaceOf(args, func(s *tegra.Space) int {
		seen := map[int64]bool{}
		for _, m := range s.Grid().All() {
			if args[1] == "cores" {
				seen[int64(m.Cores)] = true
			} else {
				seen[int64(m.CPU)] = true
			}
		}
		return len(seen)
	})
}

// pairs counts the combinations of CPU and GPU clock.
func (l *lab) pairs(args []string) (float64, error) {
	return l.spaceOf(args, func(s *tegra.Space) int { return len(s.CPU) * len(s.GPU) })
}

func (l *lab) profiledModes(args []string) (float64, error) {
	l.simulated = true
	modes, err := l.profiled(args[0])
	return float64(len(modes)), err
}

// mape returns a method's median error in percent over all modes of a sweep, including those learned from, as in the
// paper: time or power, method, modes learned from, sweep, reference.
func (l *lab) mape(args []string) (float64, error) {
	size, err := strconv.Atoi(args[2])
	if err != nil {
		return 0, err
	}
	row, err := l.score(args[1], size, args[3], args[4])
	if err != nil {
		return 0, err
	}
	return quantityOf(args[0], row.TimeMAPEAllPct, row.PowerMAPEAllPct).V.Median, nil
}

func quantityOf[T any](quantity string, time, power T) T {
	if quantity == "power" {
		return power
	}
	return time
}

// self returns the error in percent of networks on the sweep that they learned: time or power, sweep.
func (l *lab) self(args []string) (float64, error) {
	r, err := l.reference(args[1], 0)
	if err != nil {
		return 0, err
	}
	return pairError(args[0], r, r.Samples), nil
}

// pairError returns the mean relative error of a reference's networks in percent.
func pairError(quantity string, r *learn.Reference, rows []tegra.Measured) float64 {
	timeMS, powerW := r.Networks.Predict(tegra.ModesOf(tegra.SettingsOf(rows)))
	total := 0.0
	for i, m := range rows {
		total += math.Abs(quantityOf(quantity, timeMS[i]/m.TimeMS, powerW[i]/m.PowerW) - 1)
	}
	return 100 * total / float64(len(rows))
}

// choice makes a word for a quantity of a method's choices: method, modes learned from, sweep, reference.
func choice(of func(score.Row) float64) func(*lab, []string) (float64, error) {
	return func(l *lab, args []string) (float64, error) {
		size, err := strconv.Atoi(args[1])
		if err != nil {
			return 0, err
		}
		row, err := l.score(args[0], size, args[2], args[3])
		return of(row), err
	}
}

// The seven workloads whose choices PowerTrain compares; the reference is ResNet-18, and MobileNet for ResNet-18
// itself.
const (
	resnet    = "agx-orin/resnet18"
	mobilenet = "agx-orin/mobilenet"
)

var compared = []string{resnet, mobilenet, "agx-orin/yolov8n", "agx-orin/lstm", "agx-orin/bert",
	"agx-orin/resnet18-gld23k", "agx-orin/mobilenet-imagenet"}

func referenceFor(place string) string {
	if place == resnet {
		return mobilenet
	}
	return resnet
}

// learnedModes is how many modes the methods learn from before they choose.
const learnedModes = 50

// winning counts the compared workloads whose rows for PowerTrain and the networks from scratch satisfy wins.
func (l *lab) winning(wins func(ours, theirs score.Row) bool) (n float64, err error) {
	for _, place := range compared {
		ours, err := l.score(bench.PowerTrain, learnedModes, place, referenceFor(place))
		if err != nil {
			return 0, err
		}
		theirs, err := l.score(bench.NN, learnedModes, place, "none")
		if err != nil {
			return 0, err
		}
		n += map[bool]float64{true: 1}[wins(ours, theirs)]
	}
	return n, nil
}

// areaWins counts the workloads for which PowerTrain's choices exceed their limits by the least area among the methods
// that predict.
func (l *lab) areaWins([]string) (float64, error) {
	return l.winning(func(ours, theirs score.Row) bool { return ours.AreaW.V <= theirs.AreaW.V })
}

// rarelyOver counts the workloads for which PowerTrain exceeds a limit by more than a watt in less than a given
// percentage of choices.
func (l *lab) rarelyOver(args []string) (float64, error) {
	most, err := strconv.ParseFloat(args[0], 64)
	if err != nil {
		return 0, err
	}
	return l.winning(func(ours, _ score.Row) bool { return ours.Over1WPct.V < most })
}

// presetLimits are the vendor's presets by watts, and presetWorkloads the workloads of the comparison.
var (
	presetLimits    = []float64{15, 30, 50}
	presetWorkloads = []string{resnet, mobilenet}
)

// presetWins counts the cases in which PowerTrain's choice is faster than the preset, out of six: presets of 15, 30 and
// 50 W with two workloads. The paper does not name its workloads.
func (l *lab) presetWins([]string) (n float64, err error) {
	for _, place := range presetWorkloads {
		ours, err := l.picks(place)
		if err != nil {
			return 0, err
		}
		for _, w := range presetLimits {
			if ours.at(bench.PowerTrain, w).observed.TimeMS < ours.preset(w).TimeMS {
				n++
			}
		}
	}
	return n, nil
}

// probes returns how many modes the multi-dimensional binary search measures, averaged over limits: on the grid or the
// space of a board.
func (l *lab) probes(args []string) (float64, error) {
	counts, _, err := l.searches(args[0], args[1])
	return stats.Mean(counts), err
}

// binaryExcess returns how far an answer of the search exceeds its limit at most, in watts.
func (l *lab) binaryExcess([]string) (float64, error) {
	_, over, err := l.searches("grid", "agx-orin")
	if err != nil {
		return 0, err
	}
	return max(0, slices.Max(over)), nil
}

// searches runs a binary search for each limit and returns the modes measured and the watts above the limit.
func (l *lab) searches(where, board string) (counts, over []float64, err error) {
	b, d, err := l.board(board)
	if err != nil {
		return nil, nil, err
	}
	l.simulated = true
	space := d.Space()
	if where == "grid" {
		space = space.Grid()
	}
	measure := func(s tegra.Setting) (tegra.Measured, error) {
		ms, w, err := b.Truth("resnet18", s.Mode)
		return tegra.Measured{Setting: s, TimeMS: ms, PowerW: w}, err
	}
	_, least, err := b.Truth("resnet18", space.At(0))
	if err != nil {
		return nil, nil, err
	}
	_, most, err := b.Truth("resnet18", space.Max())
	if err != nil {
		return nil, nil, err
	}
	for k := 1; k <= searchLimits; k++ {
		limit := metric.Watts(least + (most-least)*float64(k)/(searchLimits+1))
		res, err := optimize.Tune(l.ctx, measured(measure), optimize.TuneOptions{Limits: []metric.Goal{limit},
			Space:    space,
			Strategy: optimize.Binary, Seed: l.Seed})
		if err != nil {
			return nil, nil, err
		}
		counts, over = append(counts, float64(len(res.Probes))), append(over,
			res.Answers[0].PowerW-limit.Of(metric.Power))
	}
	return counts, over, nil
}

// searchLimits is the number of evenly spaced power limits for which a search is run.
const searchLimits = 10

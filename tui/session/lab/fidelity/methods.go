package fidelity

import (
	"fmt"
	"math"
	"slices"

	"jtune/internal/stats"
	"jtune/optimize/pareto"
	"jtune/profiles/lab/experiment"
	"jtune/tegra"
	"jtune/tui/session/lab/evidence"
)

// question is a figure to compute on a bench.
type question struct {
	*bench
	figure Figure
}

// words are the words of figures.csv.
var words = func() evidence.Words[question] {
	out := evidence.Words[question]{}
	for word, work := range works {
		out[word] = func(q question, _ []string) ([]float64, error) { return work(q.bench, q.figure) }
	}
	return out
}()

// works computes figures by word: one value or several, of which the worst counts.
var works = map[string]func(*bench, Figure) ([]float64, error){
	"value":  each(func(at, _ float64) float64 { return at }),
	"ratio":  each(func(at, against float64) float64 { return at / against }),
	"change": each(change),
	"size-of-change": each(func(at, against float64) float64 {
		return math.Abs(change(at, against))
	}),
	"gain":                    each(func(at, against float64) float64 { return -change(at, against) }),
	"mean-change":             meanChange,
	"part-of-change":          partOfChange,
	"sum":                     sum,
	"spread":                  spread,
	"front-size":              frontSize,
	"on-the-front":            onTheFront,
	"saturation":              saturation,
	"span":                    span,
	"fastest-within":          fastestWithin,
	"clean-cost":              cleanCost,
	"polling":                 polling,
	"governors":               otherGovernors,
	"idle":                    idle,
	"campaign":                campaigns,
	"scatter":                 scatter,
	"reruns":                  reruns,
	"instances":               instances,
	"sampling":                sampling,
	"steps":                   steps,
	"saving":                  saving,
	"latency-at-least-energy": latencyAtLeastEnergy,
	"latency-falls":           latencyFalls,
	"energy-one-way":          energyOneWay,
	"stack":                   stackCost,
	"residency":               residency,
}

// change returns the change from against to at, in percent.
func change(at, against float64) float64 { return 100 * (at/against - 1) }

// value returns a quantity of a job under a setup.
func (b *bench) value(of string, j evidence.Job, s setup) (float64, error) {
	quantity, ok := quantities[of]
	if !ok {
		return 0, fmt.Errorf("no quantity %q", of)
	}
	r, err := b.run(j, s)
	if err != nil {
		return 0, err
	}
	return quantity(r)
}

// each compares the quantity of every job under every setup with that under its counterpart.
func each(combine func(at, against float64) float64) func(*bench, Figure) ([]float64, error) {
	return func(b *bench, f Figure) (out []float64, err error) {
		for _, j := range f.Jobs {
			for i, s := range f.at {
				at, err := b.value(f.of, j, s)
				if err != nil {
					return nil, err
				}
				against := at
				if f.word != "value" {
					if against, err = b.value(f.of, j, f.against[min(i, len(f.against)-1)]); err != nil {
						return nil, err
					}
				}
				out = append(out, combine(at, against))
			}
		}
		return out, nil
	}
}

func meanChange(b *bench, f Figure) ([]float64, error) {
	changes, err := each(change)(b, f)
	return []float64{stats.Mean(changes)}, err
}

// partOfChange returns how much a part of the epoch changes the epoch, in percent.
func partOfChange(b *bench, f Figure) ([]float64, error) {
	at, err := b.value(f.of, f.Jobs[0], f.at[0])
	if err != nil {
		return nil, err
	}
	against, err := b.value(f.of, f.Jobs[0], f.against[0])
	if err != nil {
		return nil, err
	}
	epoch, err := b.value("epoch_s", f.Jobs[0], f.against[0])
	return []float64{100 * (at - against) / epoch}, err
}

// under returns the figure's quantity of a job under each of its setups.
func under(b *bench, f Figure, j evidence.Job) (out []float64, err error) {
	for _, s := range f.at {
		v, err := b.value(f.of, j, s)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func sum(b *bench, f Figure) ([]float64, error) {
	values, err := under(b, f, f.Jobs[0])
	total := 0.0
	for _, v := range values {
		total += v
	}
	return []float64{total}, err
}

// spread returns how far the least is below the most, in percent.
func spread(b *bench, f Figure) ([]float64, error) {
	values, err := under(b, f, f.Jobs[0])
	if err != nil {
		return nil, err
	}
	return []float64{-change(slices.Min(values), slices.Max(values))}, nil
}

// frontBoards is how many boards with the deviations that users see decide a front.
const frontBoards = 11

// fronts returns the figure's setups on the Pareto front of time and energy, by board.
func fronts(b *bench, f Figure) (out [][]int, err error) {
	for run := range uint64(frontBoards) {
		noisy := b.noisy(run)
		var points []tegra.Measured
		for _, s := range f.at {
			r, err := noisy.run(f.Jobs[0], s)
			if err != nil {
				return nil, err
			}
			point := tegra.Measured{TimeMS: r.TimeMS, PowerW: r.Power.Total()}
			point.Mode = r.mode
			points = append(points, point)
		}
		out = append(out, pareto.Front(points, pareto.Energy))
	}
	return out, nil
}

func frontSize(b *bench, f Figure) ([]float64, error) {
	list, err := fronts(b, f)
	var sizes []float64
	for _, on := range list {
		sizes = append(sizes, float64(len(on)))
	}
	return []float64{stats.Median(sizes)}, err
}

// onTheFront reports whether a mode is on the front of most boards.
func onTheFront(b *bench, f Figure) ([]float64, error) {
	list, err := fronts(b, f)
	i, n := slices.IndexFunc(f.at, func(s setup) bool { return s.mode == f.against[0].mode }), 0
	for _, on := range list {
		n += int(truth(slices.Contains(on, i)))
	}
	return []float64{truth(2*n > frontBoards)}, err
}

// truth returns 1 if holds is true, else 0.
func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// saturation returns the batch size from which doubling saves little time per sample.
func saturation(b *bench, f Figure) (out []float64, err error) {
	for _, j := range f.Jobs {
		ms, err := under(b, f, j)
		if err != nil {
			return nil, err
		}
		at, _ := experiment.Saturation(ms)
		out = append(out, float64(f.at[at].batch))
	}
	return out, nil
}

// profiled calls visit with the steady state of a job in each mode that PowerTrain profiled.
func (b *bench) profiled(j evidence.Job, visit func(run)) error {
	k, err := b.kind(j.Board)
	if err != nil {
		return err
	}
	r, err := b.run(j, setup{})
	if err != nil {
		return err
	}
	board, err := b.board(r.unit)
	if err != nil {
		return err
	}
	for _, m := range k.space.Grid().All() {
		r.mode = m
		if r.observed, err = locked(board, r.job, m, false); err != nil {
			return err
		}
		visit(r)
	}
	return nil
}

// span returns the ratio of the most to the least over the modes that PowerTrain profiled.
func span(b *bench, f Figure) ([]float64, error) {
	least, most := math.Inf(1), 0.0
	err := b.profiled(f.Jobs[0], func(r run) {
		v, _ := quantities[f.of](r)
		least, most = min(least, v), max(most, v)
	})
	return []float64{most / least}, err
}

// fastestWithin returns a quantity of the fastest of these modes within a power limit.
func fastestWithin(b *bench, f Figure) ([]float64, error) {
	fastest, out := math.Inf(1), 0.0
	err := b.profiled(f.Jobs[0], func(r run) {
		if r.Power.Total() <= f.at[0].watts && r.TimeMS < fastest {
			fastest = r.TimeMS
			out, _ = quantities[f.of](r)
		}
	})
	return []float64{out}, err
}

// perMode is the number of clean minibatches that PowerTrain took in each mode.
const perMode = 40

// cleanCost returns the duration of the clean minibatches of some modes, from the mean over all modes that PowerTrain
// profiled.
func cleanCost(b *bench, f Figure) (out []float64, err error) {
	unit := map[string]float64{"s": 1, "min": 60, "h": 3600}[f.of]
	for _, j := range f.Jobs {
		var total, n float64
		if err := b.profiled(j, func(r run) { total, n = total+r.TimeMS/1000, n+1 }); err != nil {
			return nil, err
		}
		modes := f.at[0].modes
		if modes == 0 {
			modes = 1
		}
		if modes < 1 || f.at[0].modes == 0 { // modes is a share of all
			modes *= n
		}
		out = append(out, modes*perMode*total/n/unit)
	}
	return out, nil
}

// idle returns the power in mW with nothing running and locked clocks.
func idle(b *bench, f Figure) ([]float64, error) {
	m, err := b.mode(f.Jobs[0].Board, f.at[0])
	if err != nil {
		return nil, err
	}
	board, err := b.board(unit{board: f.Jobs[0].Board})
	if err != nil {
		return nil, err
	}
	return []float64{1000 * board.IdleW(m)}, nil
}

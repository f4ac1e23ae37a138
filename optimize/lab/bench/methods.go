package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"jtune/internal/usage"
	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/optimize"
	"jtune/optimize/design"
	"jtune/optimize/pareto"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// method is one way of picking modes.
type method struct {
	name   string
	sized  bool // learns from a number of modes
	seeded bool // depends on the sample
	slow   bool // takes ten seconds per run
	// note summarises the finished runs in words; nil: nothing to add.
	note func(trials []*trial) string
	run  func(ctx context.Context, f *truth, size int, seed uint64) (outcome, error)
}

// methods prepares the requested methods, and drops with a note those that cannot run here.
func methods(ctx context.Context, o *Options, f *truth) (list []*method, notes []string, err error) {
	var powerless []string
	for _, name := range Methods() {
		if !slices.Contains(o.Methods, name) {
			continue
		}
		if !f.powered && slices.Contains(onlyPick, name) {
			powerless = append(powerless, name)
			continue
		}
		c, note, err := newMethod(ctx, name, o, f)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		if note != "" {
			notes = append(notes, name+": "+note)
		}
		if c != nil {
			c.name = name
			list = append(list, c)
		}
	}
	if len(powerless) > 0 {
		notes = append(notes, strings.Join(powerless, ", ")+": left out, the sweep has no power")
	}
	if len(list) == 0 {
		return nil, nil, errors.New("none of the methods can run on this sweep")
	}
	return list, notes, nil
}

// onlyPick are the methods that only pick modes for power limits; the others also have errors in time if power was not
// measured.
var onlyPick = []string{GPVerify, Random, Tune, TuneRef, Binary, Maxn, Presets, Oracle}

// sizedMethods can also choose among batch sizes.
var sizedMethods = []string{GP, Random, Tune, Maxn, Presets, Oracle}

func newMethod(ctx context.Context, name string, o *Options, f *truth) (c *method, note string, err error) {
	if len(f.places.Batches) > 1 && !slices.Contains(sizedMethods, name) {
		return nil, "left out, it is for one batch size: choose one with " + usage.Batch.Value(), nil
	}
	switch name {
	case GP:
		return surrogate(nil, 0, o.Designed), "", nil
	case GPRef:
		ref, note := f.reference(o.Reference)
		if ref == nil {
			return nil, note, nil
		}
		r, err := ref.Residual(f.places.Space)
		if err != nil {
			return nil, fmt.Sprintf("left out: reference %s: %v", ref.Name, err), nil
		}
		return surrogate(r, 0, o.Designed), note, nil
	case TuneRef:
		ref, note := f.reference(o.Reference)
		if ref == nil {
			return nil, note, nil
		}
		return searched(optimize.Auto, ref), note, nil
	case GPVerify:
		return surrogate(nil, evalChecks, false), "", nil
	case PowerTrain, PTMAPE, PTFrozen:
		r, err := networks(ctx, o)
		if err != nil {
			return nil, "", err
		}
		c := nn.ForTransfer()
		c.Freeze = name == PTFrozen
		if name == PTMAPE {
			c.Loss = nn.MAPE
		}
		note := "transferred from " + r.Name
		if own := f.ownWorkload(r); own != "" {
			note += "; " + own
		}
		if name != PTMAPE && o.networkReference().OtherBoard(f.modes()) {
			note += "; the sweep seems to be of another board (its highest clocks of CPU, GPU and memory are " +
				"others): compare with " + PTMAPE + ", whose relative loss is advised for an Orin Nano in the paper"
		}
		if beyond := o.networkReference().Beyond(f.modes()); beyond != "" {
			note += "; " + beyond
		}
		return fitted(learn.Options{Method: learn.PowerTrain, Reference: r, Network: &c}), note, nil
	case NN:
		c, note := fitted(learn.Options{Method: learn.NN, Network: o.Scratch}), ""
		if c.slow = true; o.all && o.Seeds > slowSeeds {
			note = fmt.Sprintf("%d of %d samples, the networks train slowly; all of them when methods are named",
				slowSeeds, o.Seeds)
		}
		return c, note, nil
	case Linear4:
		c, note := newFourModes(o, f)
		return c, note, nil
	case Linear, Tree, Forest, MLP:
		return fitted(learn.Options{Method: learn.Method(name)}), "", nil
	case Random:
		return &method{sized: true, seeded: true, run: bestOfSample}, "", nil
	case Tune:
		return searched(optimize.Auto, nil), "", nil
	case Binary:
		return searched(optimize.Binary, nil), "", nil
	case Maxn:
		index := f.having(f.places.Space.Max())
		if index == nil {
			return nil, "left out, the sweep lacks the highest mode", nil
		}
		return oneOf(index), "", nil
	case Oracle:
		return newOracle(f)
	}
	return presets(o.Presets, f)
}

// networkReference returns the reference from which the networks are transferred.
func (o *Options) networkReference() *learn.Reference {
	if o.Reference == nil || o.Reference.Networks == nil && len(o.Reference.Samples) == 0 {
		return learn.ShippedReference()
	}
	return o.Reference
}

// networks returns a reference with networks, trained on its measured modes once for all runs.
func networks(ctx context.Context, o *Options) (*learn.Reference, error) {
	r := o.networkReference()
	switch {
	case r.Networks != nil:
		return r, nil
	case o.trained == nil:
		pair, err := nn.TrainPair(ctx, nn.Medians(r.Samples), nn.Config{Seed: o.Seed})
		if err != nil {
			return r, err
		}
		o.trained = &learn.Reference{Name: r.Name, Networks: &pair}
	}
	return o.trained, nil
}

// evalChecks is the number of picks that gp+verify measures.
const evalChecks = 10

// surrogate is gp: the usual margin on predictions, with which picks rarely exceed a limit, and none on measurements.
// It then measures checks of its own picks. With designed it chooses its training modes.
func surrogate(r *learn.Residual, checks int, designed bool) *method {
	return &method{
		sized:  true,
		seeded: true,
		run: func(ctx context.Context, f *truth, size int, seed uint64) (outcome, error) {
			index, rows := f.sample(size, seed)
			if designed && f.powered {
				index, rows = f.designed(size, seed)
			}
			o := learn.SurrogateOptions{Grid: true, Robust: 2, Reference: r, Batches: f.places.Batches}
			check := pareto.Check{
				Space:    f.places.Space,
				BudgetsW: f.once(func(l metric.Goal) float64 { return l.Of(metric.Power) }),
			}
			for k := 0; ; k++ {
				model, err := learn.FitSurrogate(f.places.Space, rows, o)
				if err = errors.Join(err, ctx.Err()); err != nil {
					return outcome{}, err
				}
				preds := model.PredictSettings(f.all)
				more := k < checks
				var m tegra.Mode
				if more {
					m, more = check.Next(preds, rows)
				}
				if !more {
					return f.predicted(preds, index, bandWidths(model), rows, metric.UsualMargin)
				}
				i, _ := f.places.Space.Index(m)
				index, rows = append(index, i), append(rows, f.truth[i])
			}
		},
	}
}

// designed returns settings that the design chooses from their readings.
func (f *truth) designed(size int, seed uint64) (index []int, rows []tegra.Measured) {
	plan := design.New(f.places, size, seed)
	for {
		at, ok := plan.Next(rows)
		if !ok {
			return index, rows
		}
		i, _ := f.places.Index(at)
		index, rows = append(index, i), append(rows, f.truth[i])
	}
}

// fitted is a baseline used as in the paper: the predicted Pareto front without margin.
func fitted(o learn.Options) *method {
	return &method{
		sized:  true,
		seeded: true,
		run: func(ctx context.Context, f *truth, size int, seed uint64) (outcome, error) {
			index, rows := f.sample(size, seed)
			o := o
			o.Space, o.Seed, o.SkipCV = f.places.Space, seed, true
			model, err := learn.Fit(ctx, rows, o)
			if err != nil {
				return outcome{}, err
			}
			preds := model.PredictSettings(f.all)
			return f.predicted(preds, index, nil, nil, metric.NoMargin)
		},
	}
}

// predicted returns the outcome of a method that predicts all modes after learning from those of index. It picks among
// all modes of the sweep by prediction, or by measurement if measured. widths are its band widths, nil without bands.
func (f *truth) predicted(preds []learn.Prediction, index []int, widths []bandWidth, measured []tegra.Measured,
	margin metric.Margin) (outcome, error) {
	out := outcome{probes: []float64{float64(len(index))}, profilingMn: []float64{f.minutes(index)}}
	f.score(&out, preds, index, widths)
	preds = optimize.Known(preds, measured)
	candidates := make([]learn.Prediction, len(f.rows))
	for k, i := range f.rows {
		candidates[k] = preds[i]
	}
	return out, f.pickAll(&out, candidates, f.rows, margin)
}

func bestOfSample(_ context.Context, f *truth, size int, seed uint64) (outcome, error) {
	index, _ := f.sample(size, seed)
	out := outcome{probes: []float64{float64(size)}, profilingMn: []float64{f.minutes(index)}}
	return out, f.pickAll(&out, f.measured(index), index, metric.NoMargin)
}

// oneOf picks from the same modes every time and measures none.
func oneOf(index []int) *method {
	return &method{run: func(_ context.Context, f *truth, _ int, _ uint64) (outcome, error) {
		out := outcome{probes: []float64{0}, profilingMn: []float64{0}}
		return out, f.pickAll(&out, f.measured(index), index, metric.NoMargin)
	}}
}

// modes returns the modes in the sweep.
func (f *truth) modes() []tegra.Mode {
	out := make([]tegra.Mode, len(f.rows))
	for k, i := range f.rows {
		out[k] = f.all[i].Mode
	}
	return out
}

// having returns the indices of a mode in the sweep, at any batch size.
func (f *truth) having(m tegra.Mode) []int {
	var out []int
	for _, i := range f.rows {
		if f.all[i].Mode == m {
			out = append(out, i)
		}
	}
	return out
}

// presetDistance is the largest distance, in octaves over all knobs, at which a mode of the sweep represents a preset.
const presetDistance = 0.3

// NextTo returns the mode, among those of a sweep, that represents a preset; false if all are too far from it.
func NextTo(p tegra.Preset, modes []tegra.Mode) (near tegra.Mode, found bool) {
	least := presetDistance
	for _, m := range modes {
		if d := tegra.Distance(m, p.Mode); d <= least {
			near, least, found = m, d, true
		}
	}
	return near, found
}

func presets(list []tegra.Preset, f *truth) (*method, string, error) {
	var index []int
	found := 0
	for _, p := range list {
		if near, ok := NextTo(p, f.places.Space.Modes()); ok {
			found++
			index = append(index, f.having(near)...)
		}
	}
	if len(index) == 0 {
		return nil, "left out, no preset is a mode of the sweep", nil
	}
	return oneOf(index), fmt.Sprintf("%d of %d presets, the sweep's mode next to each", found, len(list)), nil
}

// searched runs one search per budget.
func searched(strategy string, ref *learn.Reference) *method {
	return &method{
		seeded: strategy != optimize.Binary,
		run: func(ctx context.Context, f *truth, _ int, seed uint64) (outcome, error) {
			var out outcome
			measure := func(ctx context.Context, a tegra.Setting) (tegra.Measured, error) {
				i, _ := f.places.Index(a)
				return f.truth[i], ctx.Err()
			}
			var only []tegra.Setting
			if len(f.rows) < len(f.all) {
				for _, i := range f.rows {
					only = append(only, f.all[i])
				}
			}
			for _, l := range f.limits {
				res, err := optimize.Tune(ctx, measure, optimize.TuneOptions{
					Limits:    []metric.Goal{l},
					Reference: ref,
					Space:     f.places.Space,
					Batches:   f.places.Batches,
					Only:      only,
					Strategy:  strategy,
					Seed:      seed,
				})
				if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
					return out, err
				}
				if err != nil {
					out.unsure++
				}
				i, _ := f.places.Index(res.Answers[0].Setting)
				minutes, hot := 0.0, false
				for _, p := range res.Probes {
					minutes += design.ProfilingS(p.TimeMS) / 60
					hot = hot || p.PowerW > optimize.MaxOvershoot*l.Of(metric.Power)
				}
				out.picks, out.hot = append(out.picks, i), append(out.hot, hot)
				out.probes = append(out.probes, float64(len(res.Probes)))
				out.profilingMn = append(out.profilingMn, minutes)
			}
			return out, nil
		},
	}
}

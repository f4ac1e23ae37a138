package optimize

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/learn"
	"jtune/learn/nn"
	"jtune/tegra"
)

// contestant is one way to pick modes.
type contestant struct {
	name   string
	sized  bool // learns from a number of modes
	seeded bool // depends on which
	slow   bool // takes ten seconds a run
	// tell makes a note of the runs when they are done; nil: nothing to tell.
	tell func(jobs []*job) string
	run  func(ctx context.Context, f *field, size int, seed uint64) (outcome, error)
}

// evalMargin is how many deviations of ln power gp keeps from a limit: at 1
// the front is hardly ever over (recipe §7).
const evalMargin = 1

// contestants prepares the methods asked for. A method that cannot run here is
// left out with a note.
func contestants(ctx context.Context, o *EvaluateOptions, f *field) (list []*contestant, notes []string, err error) {
	var powerless []string
	for _, name := range EvaluateMethods() {
		if !slices.Contains(o.Methods, name) {
			continue
		}
		if !f.powered && !predicts[name] {
			powerless = append(powerless, name)
			continue
		}
		c, note, err := contest(ctx, name, o, f)
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

// predicts are the methods whose errors in time tell something where power was
// not measured; the others only pick modes for power limits.
var predicts = map[string]bool{EvalGP: true, EvalGPRef: true, EvalPowerTrain: true, EvalPTMAPE: true, EvalPTFrozen: true, EvalNN: true,
	EvalLinear: true, EvalLinear4: true, EvalTree: true, EvalForest: true, EvalMLP: true}

func contest(ctx context.Context, name string, o *EvaluateOptions, f *field) (c *contestant, note string, err error) {
	if f.places.Batches != nil && !slices.Contains([]string{EvalGP, EvalRandom, EvalTune, EvalMaxn, EvalPresets}, name) {
		return nil, "left out, it knows one minibatch size: choose one with --batch N", nil
	}
	switch name {
	case EvalGP:
		return surrogate(nil), "", nil
	case EvalGPRef:
		if o.Reference == nil {
			return nil, "left out, no reference given", nil
		}
		r, err := o.Reference.Residual(f.places.Space)
		if err != nil {
			return nil, fmt.Sprintf("left out: reference %s: %v", o.Reference.Name, err), nil
		}
		return surrogate(r), f.ownWorkload(o.Reference), nil
	case EvalGPVerify:
		return verified(), "", nil
	case EvalPowerTrain, EvalPTMAPE, EvalPTFrozen:
		r, err := networks(ctx, o)
		if err != nil {
			return nil, "", err
		}
		c := nn.ForTransfer()
		c.Freeze = name == EvalPTFrozen
		if name == EvalPTMAPE {
			c.Loss = nn.MAPE
		}
		note := "transferred from " + r.Name
		if own := f.ownWorkload(r); own != "" {
			note += "; " + own
		}
		return fitted(learn.Options{Method: learn.PowerTrain, Reference: r, Network: &c}), note, nil
	case EvalNN:
		c, note := fitted(learn.Options{Method: learn.NN}), ""
		if c.slow = true; o.all && o.Seeds > slowSeeds {
			note = fmt.Sprintf("%d of %d samples, the networks learn slowly; all of them when methods are named", slowSeeds, o.Seeds)
		}
		return c, note, nil
	case EvalLinear:
		return fitted(learn.Options{Method: learn.Linear}), "", nil
	case EvalLinear4:
		c, note := newFourModes(o, f)
		return c, note, nil
	case EvalTree:
		return fitted(learn.Options{Method: learn.Tree}), "", nil
	case EvalForest:
		return fitted(learn.Options{Method: learn.Forest}), "", nil
	case EvalMLP:
		return fitted(learn.Options{Method: learn.MLP}), "", nil
	case EvalRandom:
		return &contestant{sized: true, seeded: true, run: bestOfSample}, "", nil
	case EvalTune:
		return searched(Auto), "", nil
	case EvalBinary:
		return searched(Binary), "", nil
	case EvalMaxn:
		index := f.having(f.places.Space.Max())
		if index == nil {
			return nil, "left out, the sweep lacks the highest mode", nil
		}
		return oneOf(index), "", nil
	}
	return presets(o.Presets, f)
}

// networks gives a reference whose networks are trained: they are learned from
// its measured modes once, not in every run.
func networks(ctx context.Context, o *EvaluateOptions) (*learn.Reference, error) {
	switch {
	case o.Reference == nil, o.Reference.Networks == nil && len(o.Reference.Samples) == 0:
		return learn.ShippedReference(), nil
	case o.Reference.Networks != nil:
		return o.Reference, nil
	case o.trained == nil:
		pair, err := nn.TrainPair(ctx, nn.Medians(o.Reference.Samples), nn.Config{Seed: o.Seed})
		if err != nil {
			return o.Reference, err
		}
		o.trained = &learn.Reference{Name: o.Reference.Name, Networks: &pair}
	}
	return o.trained, nil
}

// surrogate is the gp: a margin on predictions, none on what was measured.
func surrogate(r *learn.Residual) *contestant {
	return &contestant{sized: true, seeded: true, run: func(_ context.Context, f *field, size int, seed uint64) (outcome, error) {
		index, rows := f.sample(size, seed)
		model, err := learn.FitSurrogate(f.places.Space, rows, learn.SurrogateOptions{Grid: true, Robust: 2, Reference: r, Batches: f.places.Batches})
		if err != nil {
			return outcome{}, err
		}
		preds := model.PredictSettings(f.all)
		out := f.mapped(preds, index)
		return out, f.pickPredicted(&out, preds, rows, evalMargin)
	}}
}

// evalChecks is how many picks gp+verify measures (recipe §7).
const evalChecks = 10

// verified is the gp that then measures some of its own picks.
func verified() *contestant {
	return &contestant{sized: true, seeded: true, run: func(ctx context.Context, f *field, size int, seed uint64) (outcome, error) {
		index, rows := f.sample(size, seed)
		check := FrontCheck{Space: f.places.Space, BudgetsW: f.once(func(l Limit) float64 { return l.PowerW }), Margin: evalMargin}
		for k := 0; ; k++ {
			model, err := learn.FitSurrogate(f.places.Space, rows, learn.SurrogateOptions{Grid: true, Robust: 2})
			if err = errors.Join(err, ctx.Err()); err != nil {
				return outcome{}, err
			}
			preds := model.PredictSettings(f.all)
			m, more := check.Next(preds, rows)
			if !more || k == evalChecks {
				out := f.mapped(preds, index)
				return out, f.pickPredicted(&out, preds, rows, evalMargin)
			}
			i, _ := f.places.Space.Index(m)
			index, rows = append(index, i), append(rows, f.truth[i])
		}
	}}
}

// fitted is a baseline of package learn, used the paper's way: the predicted
// front is taken at its word.
func fitted(o learn.Options) *contestant {
	return &contestant{sized: true, seeded: true, run: func(ctx context.Context, f *field, size int, seed uint64) (outcome, error) {
		index, rows := f.sample(size, seed)
		o := o
		o.Space, o.Seed, o.SkipCV = f.places.Space, seed, true
		model, err := learn.Fit(ctx, rows, o)
		if err != nil {
			return outcome{}, err
		}
		preds := model.PredictSettings(f.all)
		out := f.mapped(preds, index)
		return out, f.pickPredicted(&out, preds, nil, 0)
	}}
}

// mapped is the outcome of a method that predicts all modes, without picks.
func (f *field) mapped(preds []learn.Prediction, index []int) outcome {
	out := outcome{probes: []float64{float64(len(index))}, profilingMn: []float64{f.minutes(index)}}
	f.score(&out, preds, index)
	return out
}

func bestOfSample(_ context.Context, f *field, size int, seed uint64) (outcome, error) {
	index, _ := f.sample(size, seed)
	out := outcome{probes: []float64{float64(size)}, profilingMn: []float64{f.minutes(index)}}
	return out, f.pickAll(&out, f.measured(index), index, 0)
}

// oneOf always has the same modes to pick from, and measures none.
func oneOf(index []int) *contestant {
	return &contestant{run: func(_ context.Context, f *field, _ int, _ uint64) (outcome, error) {
		out := outcome{probes: []float64{0}, profilingMn: []float64{0}}
		return out, f.pickAll(&out, f.measured(index), index, 0)
	}}
}

// having gives the places of a mode that the sweep has, whatever its minibatch.
func (f *field) having(m tegra.Mode) []int {
	var out []int
	for _, i := range f.rows {
		if f.all[i].Mode == m {
			out = append(out, i)
		}
	}
	return out
}

// presetDistance is how far, in octaves over all knobs, a mode of the sweep
// may lie from a preset and stand for it.
const presetDistance = 0.3

func presets(list []tegra.Preset, f *field) (*contestant, string, error) {
	var index []int
	found := 0
	for _, p := range list {
		near, least := -1, presetDistance
		for i, m := range f.places.Space.All() {
			d := 0.0
			for k := range tegra.NumKnobs {
				d += math.Abs(math.Log2(m.Value(k) / p.Mode.Value(k)))
			}
			if d <= least {
				near, least = i, d
			}
		}
		if near >= 0 {
			found++
			index = append(index, f.having(f.places.Space.At(near))...)
		}
	}
	if len(index) == 0 {
		return nil, "left out, no preset is a mode of the sweep", nil
	}
	return oneOf(index), fmt.Sprintf("%d of %d presets, the sweep's mode next to each", found, len(list)), nil
}

// searched is a search of its own for every budget.
func searched(strategy Strategy) *contestant {
	return &contestant{seeded: strategy != Binary, run: func(ctx context.Context, f *field, _ int, seed uint64) (outcome, error) {
		var out outcome
		measure := func(ctx context.Context, a learn.Setting) (tegra.Measured, error) {
			i, _ := f.places.Index(a)
			return f.truth[i], ctx.Err()
		}
		var only []learn.Setting
		if len(f.rows) < len(f.all) {
			for _, i := range f.rows {
				only = append(only, f.all[i])
			}
		}
		for _, l := range f.limits {
			res, err := Tune(ctx, measure, TuneOptions{Limit: l, Space: f.places.Space, Batches: f.places.Batches, Only: only, Strategy: strategy, Seed: seed})
			if err != nil && !errors.Is(err, ErrInfeasible) {
				return out, err
			}
			if err != nil {
				out.unsure++
			}
			i, _ := f.places.Index(learn.Setting{Mode: res.Mode, Batch: res.Batch})
			minutes, hot := 0.0, false
			for _, p := range res.Probes {
				minutes += costS(p.TimeMS) / 60
				hot = hot || p.PowerW > hotOver*l.PowerW
			}
			out.picks, out.hot = append(out.picks, i), append(out.hot, hot)
			out.probes, out.profilingMn = append(out.probes, float64(len(res.Probes))), append(out.profilingMn, minutes)
		}
		return out, nil
	}}
}

package reproduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/optimize"
	"jtune/optimize/lab/bench"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/virtual/physics"
)

// picked is a strategy's mode for a power limit.
type picked struct {
	strategy  string
	predicted learn.Prediction // of the mode; the measurement for strategies that measure
	observed  tegra.Measured
	epochS    float64 // predicted
}

// picks holds the strategies' predictions from samples of modes of a workload.
type picks struct {
	lab      *lab
	place    string
	truth    map[tegra.Mode]tegra.Measured
	preds    map[string][][]learn.Prediction // by method and sample
	perEpoch float64                         // minibatches in an epoch
	space    *tegra.Space                    // spanned by the sweep
	presets  []tegra.Preset
}

// picks fits each method to the same samples of 50 modes.
func (l *lab) picks(place string) (*picks, error) {
	samples := l.seeds(bench.PowerTrain, place)
	s, err := l.sweepOf(place)
	if err != nil {
		return nil, err
	}
	if p, ok := l.pickedOf[place]; ok {
		return p, nil
	}
	p := &picks{lab: l, place: place, truth: map[tegra.Mode]tegra.Measured{},
		preds: map[string][][]learn.Prediction{"optimum": {nil}}}
	var modes []tegra.Mode
	for _, m := range s.measured {
		p.truth[m.Mode] = m
		modes = append(modes, m.Mode)
	}
	space, err := tegra.Spanned(modes)
	p.space = space
	if err != nil {
		return nil, err
	}
	reference, err := l.reference(referenceFor(place), 0)
	if err != nil {
		return nil, err
	}
	for sample := range samples {
		if err := p.learn(s.measured, reference, uint64(sample)); err != nil {
			return nil, err
		}
	}
	for _, m := range s.measured {
		p.preds["optimum"][0] = append(p.preds["optimum"][0], optimize.MeasuredPrediction(m))
	}
	if w, ok := physics.Find(jobOf(place)); ok {
		p.perEpoch = float64(w.Minibatches(w.Batch))
	}
	_, d, err := l.board(boardOf(place))
	if err != nil {
		return nil, err
	}
	p.presets = d.Presets()
	l.pickedOf[place] = p
	return p, nil
}

// learn fits each method to one sample and predicts all modes.
func (p *picks) learn(all []tegra.Measured, reference *learn.Reference, sample uint64) error {
	l := p.lab
	learned := thinned(all, min(learnedModes, len(all)), l.Seed+1+sample)
	transfer := nn.ForTransfer()
	for method, o := range map[string]learn.Options{
		bench.PowerTrain: {Method: learn.PowerTrain, Reference: reference, Network: &transfer},
		bench.NN:         {Method: learn.NN, Network: l.scratchConfig()},
		bench.GP:         {Method: learn.GP},
	} {
		o.Space, o.Seed, o.SkipCV = p.space, l.Seed+sample, true
		model, err := learn.Fit(l.ctx, learned, o)
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		p.preds[method] = append(p.preds[method], model.PredictSettings(tegra.SettingsOf(all)))
	}
	var best []learn.Prediction
	for _, m := range learned {
		best = append(best, optimize.MeasuredPrediction(m))
	}
	p.preds[bench.Random] = append(p.preds[bench.Random], best)
	return nil
}

// at returns a method's choice for a limit in watts: among its samples, the one with the median observed time.
func (p *picks) at(method string, watts float64) picked {
	all := p.each(method, watts)
	return all[(len(all)-1)/2]
}

// each returns a method's choice for each of its samples, fastest first; if no mode is within the limit, the nearest.
func (p *picks) each(method string, watts float64) (out []picked) {
	limit := metric.Watts(watts)
	if method != bench.GP {
		limit.Margin = metric.NoMargin
	}
	for _, preds := range p.preds[method] {
		i, err := optimize.Choose(preds, limit)
		c := preds[i]
		if err != nil {
			c = preds[0]
			for _, q := range preds {
				if !q.Clamped && (c.Clamped || q.PowerW < c.PowerW) {
					c = q
				}
			}
		}
		out = append(out, picked{method, c, p.truth[c.Mode], c.TimeMS / 1000 * p.perEpoch})
	}
	slices.SortStableFunc(out, func(a, b picked) int { return cmp.Compare(a.observed.TimeMS, b.observed.TimeMS) })
	return out
}

// maxn returns the highest mode.
func (p *picks) maxn() picked {
	top := p.truth[p.space.Max()]
	return picked{bench.Maxn, optimize.MeasuredPrediction(top), top, top.TimeMS / 1000 * p.perEpoch}
}

// binary returns the result of a multi-dimensional binary search, which measures a dozen modes of its own.
func (p *picks) binary(watts float64) (picked, error) {
	var only []tegra.Setting
	for _, m := range p.lab.sweeps[p.place].measured {
		only = append(only, m.Setting)
	}
	measure := measured(func(s tegra.Setting) (tegra.Measured, error) { return p.truth[s.Mode], nil })
	res, err := optimize.Tune(p.lab.ctx, measure, optimize.TuneOptions{Limits: []metric.Goal{metric.Watts(watts)},
		Space: p.space, Only: only, Strategy: optimize.Binary, Seed: p.lab.Seed})
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return picked{}, err
	}
	m := p.truth[res.Answers[0].Mode]
	return picked{bench.Binary, optimize.MeasuredPrediction(m), m, m.TimeMS / 1000 * p.perEpoch}, nil
}

// preset returns the profiled mode closest to the vendor's preset of that many watts; an infinite time if there is
// none.
func (p *picks) preset(watts float64) tegra.Measured {
	modes := tegra.ModesOf(tegra.SettingsOf(p.lab.sweeps[p.place].measured))
	for _, preset := range p.presets {
		near, found := bench.NextTo(preset, modes)
		if found && preset.Name == fmt.Sprintf("MODE_%.0fW", watts) {
			return p.truth[near]
		}
	}
	return tegra.Measured{TimeMS: math.Inf(1), PowerW: math.NaN()}
}

// pick makes a word for a quantity of a method's mode for a limit on MobileNet: method, watts.
func pick(of func(picked) float64) func(*lab, []string) (float64, error) {
	return func(l *lab, args []string) (float64, error) {
		watts, err := strconv.ParseFloat(args[1], 64)
		if err != nil {
			return 0, err
		}
		p, err := l.picks(mobilenet)
		if err != nil {
			return 0, err
		}
		return of(p.at(args[0], watts)), nil
	}
}

// tableAt30W returns the table of each strategy's mode for 30 W.
func (l *lab) tableAt30W() (Table, error) {
	const watts = 30
	t := Table{Title: "MobileNet, 30 W: the mode that each strategy chooses, from the same samples of 50 modes (of " +
		"them the one of median time), the binary search from its own",
		Head: []string{"strategy", "mode", "predicted epoch s", "observed epoch s", "predicted W", "observed W",
			"slower than the optimum %", "least to most"}}
	p, err := l.picks(mobilenet)
	if err != nil {
		return t, err
	}
	binary, err := p.binary(watts)
	if err != nil {
		return t, err
	}
	choices := []picked{p.at("optimum", watts), p.at(bench.PowerTrain, watts), p.at(bench.NN, watts),
		p.at(bench.GP, watts), p.at(bench.Random, watts), binary, p.maxn()}
	if m := p.preset(watts); !math.IsInf(m.TimeMS, 1) {
		choices = append(choices, picked{"preset MODE_30W", optimize.MeasuredPrediction(m), m,
			m.TimeMS / 1000 * p.perEpoch})
	}
	for _, c := range choices {
		said, power := number(c.epochS), number(c.predicted.PowerW)
		if !slices.Contains([]string{bench.PowerTrain, bench.NN, bench.GP}, c.strategy) {
			said, power = "", ""
		}
		slower := func(than picked) string {
			return number(100 * (than.observed.TimeMS/choices[0].observed.TimeMS - 1))
		}
		span := ""
		if all := p.each(c.strategy, watts); len(all) > 1 {
			span = slower(all[0]) + " to " + slower(all[len(all)-1])
		}
		t.Rows = append(t.Rows, Row{Item: c.strategy, Simulated: l.sweeps[mobilenet].simulated,
			Cells: []string{c.observed.Mode.String(), said, number(c.observed.TimeMS / 1000 * p.perEpoch), power,
				number(c.observed.PowerW), slower(c), span}})
	}
	return t, nil
}

// atPreset returns PowerTrain's power error in percent in the vendor's first preset below MAXN, its PM1.
func (l *lab) atPreset(args []string) (float64, error) {
	p, err := l.picks(args[1])
	if err != nil {
		return 0, err
	}
	at := p.preset(15)
	var errors []float64
	for _, preds := range p.preds[args[0]] {
		for _, q := range preds {
			if q.Mode == at.Mode {
				errors = append(errors, 100*math.Abs(q.PowerW/at.PowerW-1))
			}
		}
	}
	if errors == nil {
		return 0, fmt.Errorf("no profiled mode lies next to the preset of 15 W")
	}
	return stats.Median(errors), nil
}

// Epochs to convergence stated by PowerTrain (section 1.4 and 3.1).
var wholeTrainings = []struct {
	place  string
	epochs float64
}{{"agx-orin/yolov8n", 200}, {mobilenet, 148}, {resnet, 120}}

// trainingHours returns the hours of a full training in each strategy's mode for 30 W.
func (l *lab) trainingHours() (Table, error) {
	const watts = 30
	t := Table{Title: "Whole trainings within 30 W: observed hours and energy in each strategy's mode",
		Head: []string{"workload", "epochs", "strategy", "hours", "kWh", "hours saved against a random sample"}}
	for _, training := range wholeTrainings {
		p, err := l.picks(training.place)
		if err != nil {
			return t, err
		}
		hours := func(m tegra.Measured) float64 { return m.TimeMS / 3.6e6 * p.perEpoch * training.epochs }
		random := hours(p.at(bench.Random, watts).observed)
		for _, method := range []string{"optimum", bench.PowerTrain, bench.NN, bench.GP, bench.Random} {
			m := p.at(method, watts).observed
			t.Rows = append(t.Rows, Row{Item: jobOf(training.place), Simulated: l.sweeps[training.place].simulated,
				Cells: []string{number(training.epochs), method, number(hours(m)), number(hours(m) * m.PowerW / 1000),
					number(random - hours(m))}})
		}
	}
	return t, nil
}

// measured adapts a function to a search's measurements.
func measured(of func(tegra.Setting) (tegra.Measured, error)) optimize.Measure {
	return func(ctx context.Context, s tegra.Setting) (tegra.Measured, error) {
		if err := ctx.Err(); err != nil {
			return tegra.Measured{}, err
		}
		return of(s)
	}
}

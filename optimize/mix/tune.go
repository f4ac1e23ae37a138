package mix

import (
	"context"
	"errors"
	"slices"

	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/earlier"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// profiledFirst is the number of settings, including known ones, that a search under load measures before it uses the
// model.
const profiledFirst = 10

// Tune searches by measuring for the best setting for an ask: it measures service time and power of batches and
// calculates the queue. A closed loop within the power limit measures the first settings, so that none exceeds it by
// far; then Search measures the best under the load. batch is the size of a workload with only one.
func Tune(ctx context.Context, measure optimize.Measure, ask Ask, o optimize.TuneOptions, batch int) (optimize.Result,
	Outcome, error) {
	if o.Limit = metric.LeastEnergy; ask.Goal.Limited() {
		o.Limit = metric.Goal{Limits: ask.Goal.Limits, Objective: metric.Time}
	}
	presets := o.Baselines.Presets // the best is chosen for the load, below
	o.Baselines.Presets = nil
	o.Probes = max(profiledFirst-len(tegra.OncePerSetting(o.Known)), 2) + o.Baselines.Probes()
	first, err := optimize.Tune(ctx, measure, o)
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return first, Outcome{}, err
	}
	own := 0 // the only batch size, with which settings are served but not measured
	options := Options{Ask: ask, Space: o.Space, Batches: o.Batches, Only: o.Only}
	if o.Batches == nil {
		own = max(1, batch)
		options.Batches, options.Only = []int{own}, slices.Clone(o.Only)
		for i, a := range options.Only {
			options.Only[i] = a.WithBatch(own)
		}
	}
	options.Infer = oncePerSetting(recalled(o.Known, &first), first.Probes, own)
	measured := func(a tegra.Setting) tegra.Setting { // the form in which it is measured
		if own > 0 {
			a.Batch = 0
		}
		return a
	}
	r := first
	probe := func(ctx context.Context, at tegra.Setting, why optimize.Why) (tegra.Measured, error) {
		p := optimize.Probe{Measured: tegra.Measured{Setting: measured(at)}, Why: why, Limit: o.Limit}
		m, err := measure(ctx, p.Setting)
		p.Read(m, err)
		r.Probes = append(r.Probes, p)
		if o.Observe != nil && ctx.Err() == nil {
			o.Observe(optimize.Seen{Probe: p, Model: r.Model})
		}
		return m, err
	}
	found, err := Search(ctx, func(ctx context.Context, best Outcome) (Reading, error) {
		infer, err := probe(ctx, best.Setting, optimize.Verify)
		return Reading{Infer: infer}, err
	}, options)
	options.Infer = oncePerSetting(recalled(o.Known, &r), r.Probes, own)
	if best, ok := bestPreset(options, presets, found.Best.Batch); ok && found.Feasible && ctx.Err() == nil {
		if r.Preset = o.Baselines.Newest(r.Probes, measured(best)); r.Preset.N == 0 {
			if m, err := probe(ctx, best, optimize.Vendor); err == nil {
				r.Preset = tegra.Mean{Measured: m, N: 1}
			}
		}
	}
	r.Ended, r.Feasible, r.N, r.Verified = found.Ended, found.Feasible, 1, false
	if found.Best.TimeMS > 0 {
		best := found.Best
		r.Measured = tegra.Measured{Setting: measured(best.Setting), TimeMS: best.TimeMS, PowerW: best.PeakW}
		if r.Setting != first.Setting { // the prediction is of another setting
			r.Predicted = learn.Prediction{}
			if r.Model != nil {
				r.Predicted = r.Model.PredictSettings([]tegra.Setting{r.Setting})[0]
			}
		}
		for _, p := range found.Probes {
			if p.Outcome.Setting == best.Setting {
				r.Predicted = *p.Predicted.serve
				r.Predicted.Setting = r.Measured.Setting
			}
		}
	}
	return r, found.Best, err
}

// recalled returns known readings as a search found them to count: none if it set them aside; if they have drifted,
// corrected ones of the settings that it did not measure itself.
func recalled(known []tegra.Measured, r *optimize.Result) (out []tegra.Measured) {
	switch {
	case r.Known == 0:
		return nil
	case r.Drift == earlier.Drift{}:
		return known
	}
	for _, m := range known {
		again := func(p optimize.Probe) bool { return p.Err == nil && p.Setting == m.Setting }
		if !slices.ContainsFunc(r.Probes, again) {
			out = append(out, r.Drift.Of(m))
		}
	}
	return out
}

// oncePerSetting returns the median of each setting's readings, known ones and those of probes. own is the batch size
// of a workload with only one, whose readings have none.
func oncePerSetting(known []tegra.Measured, probes []optimize.Probe, own int) []tegra.Measured {
	rows := slices.Clone(known)
	for _, p := range probes {
		if p.Err == nil {
			rows = append(rows, p.Measured)
		}
	}
	if own > 0 {
		for i, m := range rows {
			rows[i].Setting = m.WithBatch(own)
		}
	}
	return tegra.OncePerSetting(rows)
}

// bestPreset returns NVIDIA's preset that serves a load best among those that meet the limits, by measurement, or by
// prediction if not far over a power limit. False if there is none.
func bestPreset(o Options, presets []tegra.Preset, batch int) (best tegra.Setting, ok bool) {
	if presets == nil {
		return best, false
	}
	infer, _, err := Phases(o)
	if err != nil {
		return best, false
	}
	var list []Outcome
	for _, p := range presets {
		at := tegra.Setting{Mode: p.ModeIn(o.Space), Batch: batch}
		serve, known := infer.At(at)
		most, limited := o.Ask.Goal.Limits.On(metric.Power)
		if !known || limited && serve.PowerHiW > optimize.MaxOvershoot*most.Value {
			continue
		}
		if v, known := o.Ask.Evaluate(at, infer, nil); known && v.Meets {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return best, false
	}
	want := o.Ask.want(false)
	return slices.MinFunc(list, func(a, b Outcome) int { return o.Ask.compare(&a, &b, want) }).Setting, true
}

// Wants returns the goal of an ask without training.
func (a Ask) Wants() Want { return a.want(false) }

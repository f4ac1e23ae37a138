package answers

import (
	"slices"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/further"
)

// MarshalJSON returns the output of `jtune tune --json` and `jtune ask choose --json`.
func (a Answer) MarshalJSON() ([]byte, error) {
	out := report.Object{
		{"device", text.Optional(a.Device)},
		{"virtual", a.Virtual},
		{"workload", text.Optional(a.Workload)},
		{"limit", Limits(a.Limit, a.Ask)},
		{"mode", a.Mode},
		{"predicted", a.predicted()},
		{"measured", a.measured()},
		{"alternative", a.alternative()},
		{"exchange", a.Exchange.object()},
		{"feasible", a.Feasible},
		{"probes", probes(a.Probes)},
		{"profiling_s", tegra.Val[float64]{V: a.Took.Seconds(), OK: a.Probes != nil}},
		{"board_s", tegra.Val[float64]{V: a.Took.Seconds(), OK: a.Probes != nil}},
		{"before", a.Before.object()},
		{"preset", a.Preset.object()},
		{"gain", a.Gain.object()},
		{"versus", versus(a.Versus)},
		{"state", a.Standing.State},
		{"n", a.Standing.N}, // readings averaged
		{"chance_over", a.ChanceOver()},
		{"soak", a.Soak},
	}
	add := func(key string, value report.Object) {
		if value != nil {
			out = append(out, [2]any{key, value})
		}
	}
	if a.Served != nil {
		served := serving.Columns(a.Ask).Object(*a.Served)
		add("served", append(served, [2]any{"measured", a.Trial.measured()}))
	}
	add("training", whole(a.Training))
	add("serving", a.Serving.Object())
	add("sent", a.Trial.object(a.Ask))
	return append(out, size(a.Best())...).MarshalJSON()
}

// object returns null if the mode was not measured.
func (b *Baseline) object() any {
	if b == nil {
		return nil
	}
	mode := tegra.Val[tegra.Mode]{V: b.Mode, OK: b.Mode != tegra.Mode{}} // zero: no mode expresses the found setup
	return append(report.Object{{"name", b.Name}, {"mode", mode}, {"time_ms", b.TimeMS}, {"power_w", b.PowerW},
		{"energy_j", b.EnergyJ()}, {"n", b.N}}, size(b.Measured)...)
}

// object returns null if there is no baseline.
func (g *Gain) object() any {
	if g == nil {
		return nil
	}
	return report.Object{{"quantity", g.Quantity}, {"against", g.Against}, {"pct", g.Pct}, {"lo_pct", g.Lo},
		{"hi_pct", g.Hi}, {"measured", g.Measured}, {"told_apart", g.ToldApart}}
}

// predicted returns null if nothing was predicted.
func (a Answer) predicted() any {
	if a.Predicted.TimeMS > 0 {
		return append(bands(a.Predicted), further.JSON(a.Limit, a.Predicted.Measured, tegra.Val[learn.Prediction]{})...)
	}
	return nil
}

// measured has the mean of the readings with the 95 % bands of the true value. It marks a doubtful measurement, for
// which the prediction counts.
func (a Answer) measured() any {
	m := a.Read()
	if !m.OK {
		return nil
	}
	list := a.readings()
	timeLo, timeHi := band(m.V.TimeMS, list, timeOf)
	powerLo, powerHi := band(m.V.PowerW, list, powerOf)
	if t := a.True; t.OK {
		timeLo, timeHi, powerLo, powerHi = t.V.TimeLoMS, t.V.TimeHiMS, t.V.PowerLoW, t.V.PowerHiW
	}
	out := report.Object{{"time_ms", m.V.TimeMS}, {"power_w", m.V.PowerW}, {"energy_j", m.V.EnergyJ()},
		{"n", len(list)}, {"time_lo_ms", timeLo}, {"time_hi_ms", timeHi}, {"power_lo_w", powerLo},
		{"power_hi_w", powerHi}}
	out = append(out, further.JSON(a.Limit, m.V, a.True)...)
	return slices.Concat(out, errorsOf(m.V.Errors), report.Object{{"suspicious", report.IfAny(a.Doubted.OK)}})
}

// bands returns a prediction with the ends of its 95 % bands.
func bands(p learn.Prediction) report.Object {
	return report.Object{
		{"time_ms", p.TimeMS},
		{"time_lo_ms", p.TimeLoMS},
		{"time_hi_ms", p.TimeHiMS},
		{"power_w", p.PowerW},
		{"power_lo_w", p.PowerLoW},
		{"power_hi_w", p.PowerHiW},
		{"energy_j", p.EnergyJ()},
	}
}

// size returns the batch size and the time of a sample, as far as there are any.
func size(m tegra.Measured) report.Object {
	return report.Object{{"batch", report.IfAny(m.Batch)}, {"time_per_sample_ms", report.IfAny(m.PerSampleMS())}}
}

// probes omits what only the search uses; a failed probe has null values, and one ended for its power has no time.
func probes(list []optimize.Probe) []report.Object {
	out := []report.Object{}
	for _, p := range list {
		has := p.Err == nil && p.TimeMS > 0
		row := report.Object{{"mode", p.Mode}, {"time_ms", tegra.Val[float64]{V: p.TimeMS, OK: has}},
			{"power_w", tegra.Val[float64]{V: p.PowerW, OK: has || p.Over}}, {"why", p.Why}, {"over", p.Over}}
		out = append(out, slices.Concat(row, errorsOf(p.Errors), size(p.Measured)))
	}
	return out
}

// errorsOf returns the standard errors of a reading, in per cent.
func errorsOf(e tegra.Errors) report.Object {
	pct := func(v tegra.Val[float64]) tegra.Val[float64] { return tegra.Val[float64]{V: 100 * v.V, OK: v.OK} }
	return report.Object{{"time_error_pct", pct(e.Time)}, {"power_error_pct", pct(e.Power)},
		{"energy_error_pct", pct(e.Energy())}}
}

func versus(v outlook.Comparisons) report.Object {
	one := func(c *outlook.Comparison) any {
		if c == nil {
			return nil
		}
		return beside(*c)
	}
	presets := []report.Object{}
	for _, c := range v.Presets {
		presets = append(presets, beside(c))
	}
	return report.Object{{"maxn", one(v.MaxN)}, {"present", one(v.Present)}, {"presets", presets}}
}

// beside returns another mode; the percentages are the answer's difference from it.
func beside(c outlook.Comparison) report.Object {
	out := append(report.Object{{"id", c.ID}, {"name", c.Name}, {"mode", c.Other.Mode}}, bands(c.Other)...)
	out = append(out, report.Object{
		{"measured", c.Measured},
		{"extrapolated", c.Extrapolated},
		{"time_pct", c.TimePct},
		{"power_pct", c.PowerPct},
		{"energy_pct", c.EnergyPct},
	}...)
	return append(out, size(c.Other.Measured)...)
}

// Limits returns a limit and the latency limit under a load: one object, or an array if there are several.
func Limits(l metric.Goal, a mix.Ask) any {
	var parts []report.Object
	add := func(given bool, kind string, more ...[2]any) {
		if given {
			parts = append(parts, append(report.Object{{"kind", kind}}, more...))
		}
	}
	for b := range l.Limits.Each() {
		rail := report.IfAny("")
		if b.Rail != nil {
			rail = text.Optional(b.On)
		}
		add(true, b.Key, [2]any{"value_" + b.Suffix, b.Value}, [2]any{"rail", rail})
	}
	add(l.Objective == metric.Energy, "energy")
	add(l.SlowerPct > 0, "max_slowdown", [2]any{"value_pct", l.SlowerPct})
	add(l.Objective == metric.Power, "least_power")
	add(l.Objective == metric.Time, "throughput")
	add(l.Knee, "knee")
	add(a.LatencyMS > 0, "latency", [2]any{"quantile", a.Quantile}, [2]any{"rate_per_s", rate(a)},
		[2]any{"value_ms", a.LatencyMS})
	return report.Alone(parts)
}

// rate is absent in a closed loop, and for requests that users send.
func rate(a mix.Ask) tegra.Val[float64] {
	return tegra.Val[float64]{V: a.Load.RatePerS, OK: a.Load.Open()}
}

// measured returns what a trial measured under the load; null if nothing was.
func (t *Trial) measured() any {
	if t == nil || t.Serving.Requests == 0 {
		return nil
	}
	return append(t.Serving.Latency.Object("_ms"), report.Object{{"mean_w", t.MeanW}, {"n", t.N}}...)
}

// object returns nil if no requests were sent. The latency is null with too few requests, and "meets" if it is unknown.
func (t *Trial) object(a mix.Ask) report.Object {
	if t == nil {
		return nil
	}
	return report.Object{
		{"requests", t.Serving.Requests},
		{"latency_ms", t.LatencyMS},
		{"quantile", a.Quantile},
		{"rate_per_s", rate(a)},
		{"units_served_per_s", t.Serving.ServedPerS},
		{"mean_w", t.MeanW},
		{"unit_j", t.Serving.UnitJ},
		{"meets", tegra.Val[bool]{V: t.Meets(), OK: t.Why != "" || t.Unsure == ""}},
		{"why", text.Optional(t.Remark())},
	}
}

// whole returns a full training run in the answer's mode and in those it is compared with, with the savings; nil
// without one.
func whole(p *outlook.Projection) report.Object {
	if p == nil {
		return nil
	}
	return report.Object{{"epochs", p.Epochs}, {"minibatches", p.Minibatches},
		{"strategies", p.Columns(nil, nil).Objects(p.Rows)}}
}

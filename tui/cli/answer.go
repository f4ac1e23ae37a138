package cli

import (
	"fmt"
	"io"
	"math"
	"strings"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/advice"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/session/measure"
)

// answerJSON is `jtune tune --json` and `jtune choose --json`.
type answerJSON struct {
	Device     text.Optional      `json:"device"`
	Virtual    bool               `json:"virtual"`
	Workload   text.Optional      `json:"workload"`
	Limit      any                `json:"limit"`
	Mode       tegra.Mode         `json:"mode"`
	Predicted  *export.Bands      `json:"predicted"`
	Measured   *measuredJSON      `json:"measured"`
	Feasible   bool               `json:"feasible"`
	Probes     []probeJSON        `json:"probes"`
	ProfilingS tegra.Val[float64] `json:"profiling_s"`
	Versus     versusJSON         `json:"versus"`
	State      optimize.State     `json:"state"`
	N          int                `json:"n"` // readings of the answer, of which the mean counts
	ChanceOver tegra.Val[float64] `json:"chance_over"`
	Served     *servedJSON        `json:"served,omitempty"` // under a load
	Training   report.Object      `json:"training,omitempty"`
	Serving    *servingJSON       `json:"serving,omitempty"` // what inference did in the mode
	Sent       *sentJSON          `json:"sent,omitempty"`    // with requests at the rate that was asked for
	export.Size
}

// measuredJSON is marked when the measurement is an outlier that was not repeated:
// then the prediction counts.
type measuredJSON struct {
	export.Means
	Suspicious bool `json:"suspicious,omitempty"`
}

// probeJSON lacks what the search keeps for itself; a failed probe has no values.
type probeJSON struct {
	Mode   tegra.Mode         `json:"mode"`
	TimeMS tegra.Val[float64] `json:"time_ms"`
	PowerW tegra.Val[float64] `json:"power_w"`
	Why    optimize.Why       `json:"why"`
	export.Size
}

func toProbeJSON(p optimize.Probe) probeJSON {
	out := probeJSON{Mode: p.Mode, Why: p.Why, Size: export.SizeOf(p.Measured)}
	if p.Err == nil {
		out.TimeMS, out.PowerW = tegra.Finite(p.TimeMS), tegra.Finite(p.PowerW)
	}
	return out
}

type versusJSON struct {
	MaxN    *comparisonJSON  `json:"maxn"`
	Present *comparisonJSON  `json:"present"`
	Presets []comparisonJSON `json:"presets"`
}

// comparisonJSON adds the energy and the time per sample to a comparison; the
// percentages are how the answer differs. A measured mode has no bands.
type comparisonJSON struct {
	ID   tegra.Val[int] `json:"id"`
	Name string         `json:"name"`
	Mode tegra.Mode     `json:"mode"`
	export.Bands
	Measured     bool               `json:"measured"`
	Extrapolated bool               `json:"extrapolated"`
	TimePct      tegra.Val[float64] `json:"time_pct"`
	PowerPct     tegra.Val[float64] `json:"power_pct"`
	EnergyPct    tegra.Val[float64] `json:"energy_pct"`
	export.Size
}

func toVersusJSON(v outlook.Versus) versusJSON {
	out := versusJSON{MaxN: toComparisonJSON(v.MaxN), Present: toComparisonJSON(v.Present), Presets: []comparisonJSON{}}
	for i := range v.Presets {
		out.Presets = append(out.Presets, *toComparisonJSON(&v.Presets[i]))
	}
	return out
}

func toComparisonJSON(c *outlook.Comparison) *comparisonJSON {
	if c == nil {
		return nil
	}
	return &comparisonJSON{
		ID:           c.ID,
		Name:         c.Name,
		Mode:         c.Other.Mode,
		Bands:        export.BandsOf(c.Other),
		Measured:     c.Measured,
		Extrapolated: c.Extrapolated,
		TimePct:      tegra.Finite(c.TimePct),
		PowerPct:     tegra.Finite(c.PowerPct),
		EnergyPct:    tegra.Finite(c.EnergyPct),
		Size:         export.SizeOf(c.Other.Measured),
	}
}

// limitJSON is one object, or an array when several limits hold at once.
func limitJSON(l optimize.Limit) any {
	var parts []map[string]any
	add := func(given bool, kind, key string, value float64) {
		if given {
			parts = append(parts, map[string]any{"kind": kind})
		}
		if given && key != "" {
			parts[len(parts)-1][key] = value
		}
	}
	add(l.PowerW > 0, "power", "value_w", l.PowerW)
	add(l.TimeMS > 0, "time", "value_ms", l.TimeMS)
	add(l.EnergyJ > 0, "energy", "value_j", l.EnergyJ)
	add(l.Energy, "energy", "", 0)
	add(l.MaxSlowdownPct > 0, "max_slowdown", "value_pct", l.MaxSlowdownPct)
	add(l.Throughput, "throughput", "", 0)
	add(l.Knee, "knee", "", 0)
	if len(parts) == 1 {
		return parts[0]
	}
	return parts
}

// checkLimits finds values of the limits' flags that make no limit.
func checkLimits(l optimize.Limit, given func(name string) bool) error {
	for _, v := range []struct {
		flag  string
		value float64
	}{{"power-limit", l.PowerW}, {"time-limit", l.TimeMS}, {"energy-limit", l.EnergyJ},
		{"max-slowdown", l.MaxSlowdownPct}} {
		if given(v.flag) && (!(v.value > 0) || math.IsInf(v.value, 0)) {
			return usagef("--%s %g: must be a positive number", v.flag, v.value)
		}
	}
	return nil
}

// checkLimit finds goals that make no limit.
func checkLimit(l optimize.Limit, given func(name string) bool) error {
	if err := checkLimits(l, given); err != nil {
		return err
	}
	if l.Margin = 0; l == (optimize.Limit{}) {
		return usagef("no goal: give --power-limit W, --time-limit MS, both, or --energy")
	}
	if (l.Energy || l.Knee || l.MaxSlowdownPct > 0) && (l.PowerW > 0 || l.TimeMS > 0 || l.EnergyJ > 0) {
		return usagef("--power-limit, --time-limit and --energy-limit may be given together, but not with --energy, " +
			"--knee or --max-slowdown")
	}
	if err := l.Check(); err != nil {
		return usagef("%v", err)
	}
	return nil
}

// answer is a chosen mode with everything to print about it.
type answer struct {
	space     *tegra.Space
	mode      tegra.Mode
	batch     int    // samples per minibatch, where that is an input
	origin    string // "" for measurements of a real board
	predicted *learn.Prediction
	fitted    bool // predicted by a model that has learned from this very mode
	measured  *tegra.Measured
	// suspicious: the measurement disagrees with all others and was not repeated,
	// the prediction counts.
	suspicious bool
	feasible   bool
	standing   optimize.Standing
	versus     outlook.Versus
	situation  advice.Situation // of choose
	advice     []string
	served     *mix.Outcome // under the load of ask; nil without one
	ask        mix.Ask
	training   *outlook.Projection // whole ones; nil where they are not asked for
	serving    *record.Serving     // what inference did; nil for training, and where it was not measured
	sent       *measure.Sent       // with real requests at the rate; nil where none were sent
}

// document is the answer as JSON, without what only the caller knows: the device,
// the workload and the search.
func (x answer) document(limit optimize.Limit) answerJSON {
	out := answerJSON{
		Limit:      limitJSON(limit),
		Mode:       x.mode,
		Feasible:   x.feasible,
		Probes:     []probeJSON{},
		Versus:     toVersusJSON(x.versus),
		State:      x.standing.State,
		N:          x.standing.N,
		ChanceOver: x.standing.ChanceOver,
		Size:       x.size(),
		Training:   projectionOf(x.training),
	}
	if x.served != nil {
		out.Limit, out.Served = servedLimitJSON(x.ask, limit), toServedJSON(x.ask, *x.served)
	}
	out.Serving, out.Sent = toServingJSON(x.serving), toSentJSON(x.ask, x.sent)
	if x.predicted != nil {
		bands := export.BandsOf(*x.predicted)
		out.Predicted = &bands
	}
	if x.measured != nil {
		out.Measured = &measuredJSON{export.MeansOf(*x.measured), x.suspicious}
	}
	return out
}

// size is that of the answer's minibatch, with the measured time per sample, or
// the predicted one.
func (x answer) size() export.Size {
	p := tegra.Measured{Setting: tegra.Setting{Batch: x.batch}}
	switch {
	case x.measured != nil && !x.suspicious:
		p.TimeMS = x.measured.TimeMS
	case x.predicted != nil:
		p.TimeMS = x.predicted.TimeMS
	}
	return export.SizeOf(p)
}

// energyJ is that of a minibatch as it was measured, else as it is predicted.
func (x answer) energyJ() float64 {
	switch {
	case x.measured != nil && !x.suspicious:
		return x.measured.EnergyJ()
	case x.predicted != nil:
		return x.predicted.EnergyJ()
	}
	return math.NaN()
}

// print prints an answer as text.
func (x answer) print(w io.Writer) error {
	var rows [][]string
	if x.batch > 0 {
		fmt.Fprintf(w, "%s at batch size %d%s\n", x.space.Format(x.mode), x.batch, x.origin)
		s := x.size()
		rows = append(rows, []string{
			"per sample",
			text.Of(s.SampleMS.V) + " ms",
			fmt.Sprintf("(%s samples per second)", text.Of(1000/s.SampleMS.V)),
			"",
			"",
			text.Of(x.energyJ()/float64(x.batch)) + " J",
		})
	} else {
		fmt.Fprintln(w, x.space.Format(x.mode)+x.origin)
	}
	if p := x.predicted; p != nil {
		said := "predicted"
		if x.fitted {
			said = "fitted"
		}
		rows = append(rows, []string{
			said,
			text.Of(p.TimeMS) + " ms",
			x.band(p.TimeLoMS, p.TimeHiMS),
			text.Of(p.PowerW) + " W",
			x.band(p.PowerLoW, p.PowerHiW),
			text.Of(p.EnergyJ()) + " J",
		})
	}
	if m := x.measured; m != nil {
		name := "measured"
		if x.suspicious {
			name = "measured, in doubt"
		}
		rows = append(rows, []string{
			name, text.Of(m.TimeMS) + " ms", "", text.Of(m.PowerW) + " W", "", text.Of(m.EnergyJ()) + " J",
		})
	}
	rows = append(rows, servingRows(x.serving)...)
	if x.served != nil {
		rows = append(rows, servedRows(x.ask, *x.served)...)
	}
	if x.sent != nil {
		rows = append(rows, sentRow(x.ask, *x.sent))
	}
	if x.standing.Limited {
		rows = append(rows, []string{"the limit", x.standing.String()})
	}
	for _, c := range x.versus.Distinct() {
		if c.Other.Mode == x.mode {
			rows = append(rows, []string{"this is " + c.Name})
			continue
		}
		rows = append(rows, []string{
			"against " + c.Name,
			change(c.TimePct) + " time",
			changes(c, c.Lo.TimePct, c.Hi.TimePct),
			change(c.PowerPct) + " power",
			changes(c, c.Lo.PowerPct, c.Hi.PowerPct),
			change(c.EnergyPct) + " energy",
			changes(c, c.Lo.EnergyPct, c.Hi.EnergyPct),
			c.How(),
		})
	}
	if !x.feasible {
		rows = append(rows, []string{"does not meet the limit: the nearest mode"})
	}
	if err := table(w, rows...); err != nil {
		return err
	}
	if x.training != nil {
		if err := printProjection(w, x.training, x.space); err != nil {
			return err
		}
	}
	return printAdvice(w, x.advice)
}

// changes prints the 95 % band of a difference from a predicted mode.
func changes(c outlook.Comparison, lo, hi float64) string {
	if c.Measured {
		return ""
	}
	return fmt.Sprintf("(%+.0f to %+.0f)", math.Round(lo)+0, math.Round(hi)+0) // no -0
}

// widestBand is the ratio of the ends of a band beyond which it says nothing beside a
// measurement.
const widestBand = 4

// band prints a credible band; nothing where there is none, or none worth it beside a
// measurement.
func (x answer) band(lo, hi float64) string {
	if math.IsNaN(lo) || math.IsNaN(hi) || x.measured != nil && hi > widestBand*lo {
		return ""
	}
	return "(" + between(lo, hi) + ")"
}

// printAdvice prints sentences below a table.
func printAdvice(w io.Writer, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(w, "\n"+strings.Join(lines, "\n"))
	return err
}

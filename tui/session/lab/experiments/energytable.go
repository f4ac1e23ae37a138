package experiments

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"jtune/internal/document"
	"jtune/internal/figure"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/optimize/energy"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/study"
)

// energyFindings are the findings of an energy study as text, CSV and JSON.
type energyFindings struct {
	*study.EnergyReport
	cost tegra.Val[float64] // the latency allowed over the baseline's, in percent; absent: the usual ones
}

// Parts are the findings for people.
func (r energyFindings) Parts() []document.Part {
	parts := []document.Part{document.Text(fmt.Sprintf("energy of an %s: %s, batch %d; %s", r.Workload.UnitName(),
		r.Workload.Name, r.Workload.Batch, r.Board)),
		document.Text(fmt.Sprintf("measured %d of %s", r.Measured(), text.Count(len(r.Points), "setting")))}
	for _, f := range r.Failed {
		parts = append(parts, document.Text("failed: "+f))
	}
	lines := r.Findings()
	if r.cost.OK {
		lines.Add("%s", r.CappedText(r.cost.V))
	}
	for _, l := range lines {
		parts = append(parts, document.Item(l))
	}
	return parts
}

// Figures returns the heat map, and the curves over the clocks of GPU and CPU.
func (r energyFindings) Figures() []figure.Figure {
	return []figure.Figure{r.HeatMap(), r.Curves(tegra.KnobGPU), r.Curves(tegra.KnobCPU)}
}

// energyRow is a point of a study, or something measured besides the pairs.
type energyRow struct {
	energy.Point
	beside  *study.EnergyBaseline // nil: one of the study's points
	unitJ   float64
	latency record.Latency
}

func (r energyFindings) point(p energy.Point) energyRow {
	return energyRow{Point: p, unitJ: r.UnitJ(p), latency: r.Latency[p.Mode]}
}

func besides(list []study.EnergyBaseline) (rows []energyRow) {
	for _, b := range list {
		rows = append(rows, energyRow{b.Point, &b, b.UnitJ(), b.Latency})
	}
	return rows
}

// status says whether a point is measured, doubted or predicted.
func (x energyRow) status() string {
	switch {
	case x.Doubted:
		return "doubted"
	case x.N > 0:
		return outlook.MeasuredSeries
	}
	return outlook.PredictedSeries
}

// columns returns the columns of CSV and JSON. A baseline's own change is 0 %.
func (r energyFindings) columns() (t report.Table[energyRow]) {
	number := func(key string, of func(energyRow) float64) report.Column[energyRow] {
		return report.Column[energyRow]{Key: key, Of: func(x energyRow) any {
			v := of(x)
			return tegra.Val[report.Exact]{V: report.Exact(v), OK: !math.IsNaN(v) && !math.IsInf(v, 0)}
		}}
	}
	known := func(key string, of func(energyRow) tegra.Val[float64]) report.Column[energyRow] {
		return number(key, func(x energyRow) float64 { return of(x).Or(math.NaN()) })
	}
	for i, key := range sweep.Columns[:tegra.NumKnobs] {
		t = append(t, report.Column[energyRow]{Key: key, Form: report.CSV,
			Of: func(x energyRow) any { return sweep.ModeFields(x.Mode)[i] }})
	}
	name := func(x energyRow) tegra.Val[string] {
		if x.beside == nil {
			return tegra.Val[string]{V: r.Mode(x.Point.Mode)}
		}
		return tegra.Some(x.beside.Name)
	}
	change := func(x energyRow) (energyPct, timePct tegra.Val[float64]) { return r.Change(x.Point, x.unitJ) }
	return append(t, report.Table[energyRow]{
		{Key: "setting", Form: report.JSON, Of: func(x energyRow) any { return report.IfAny(name(x)) }},
		{Key: "setting", Form: report.CSV, Of: func(x energyRow) any { return name(x).V }},
		{Key: "mode", Form: report.JSON, Of: func(x energyRow) any { return x.Mode }},
		{Key: "status", Of: func(x energyRow) any { return x.status() }},
		{Key: "n", Of: func(x energyRow) any { return x.N }},
		number("unit_j", func(x energyRow) float64 { return x.unitJ }),
		known("cv_pct", func(x energyRow) tegra.Val[float64] { return x.CVPct }),
		number("time_ms", func(x energyRow) float64 { return x.TimeMS }),
		known("p50_ms", func(x energyRow) tegra.Val[float64] {
			return tegra.Val[float64]{V: x.latency.P50, OK: x.latency.N > 0}
		}),
		known("p95_ms", func(x energyRow) tegra.Val[float64] { return x.latency.SureP95() }),
		known("p99_ms", func(x energyRow) tegra.Val[float64] { return x.latency.SureP99() }),
		number("power_w", func(x energyRow) float64 { return x.PowerW }),
		known("energy_change_pct", func(x energyRow) tegra.Val[float64] { e, _ := change(x); return e }),
		known("time_change_pct", func(x energyRow) tegra.Val[float64] { _, t := change(x); return t }),
		{Key: sweep.VirtualColumn, Form: report.CSV, Of: func(energyRow) any { return r.Virtual }},
	}...)
}

// CSV writes every point and baseline; an unknown value is an empty field.
func (r energyFindings) CSV(w io.Writer) error {
	rows := besides(slices.Concat(r.Baselines, r.Sizes, r.Against))
	for _, p := range r.Points {
		rows = append(rows, r.point(p))
	}
	return r.columns().CSV(w, rows)
}

// Document returns the report for JSON, with the board's name and the folder of the record.
func (r energyFindings) Document(device, dir string) any {
	columns := r.columns()
	one := func(p tegra.Val[energy.Point]) any {
		if !p.OK {
			return nil
		}
		return columns.Object(r.point(p.V))
	}
	beside := func(list []study.EnergyBaseline) []report.Object {
		return slices.Concat(columns, report.Table[energyRow]{
			{Key: "batch", Of: func(x energyRow) any { return x.beside.Batch }},
			{Key: "drift_pct", Of: func(x energyRow) any { return x.beside.DriftPct }},
			{Key: "cpu_residency", Of: func(x energyRow) any { return x.beside.CPU }},
			{Key: "gpu_residency", Of: func(x energyRow) any { return x.beside.GPU }},
		}).Objects(besides(list))
	}
	var points []energyRow
	for _, p := range r.Points {
		points = append(points, r.point(p))
	}
	costs, within := study.LatencyCosts, []report.Object{}
	if r.cost.OK {
		costs = []float64{r.cost.V}
	}
	for _, pct := range costs {
		within = append(within, report.Object{{"latency_cost_pct", pct}, {"answer", one(r.Capped(pct))}})
	}
	return report.Object{{"experiment", campaigns.EnergySource}, {"workload", r.Workload.Name}, {"device", device},
		{"virtual", r.Virtual}, {"unit", r.Workload.UnitName()}, {"batch", r.Workload.Batch}, {"full", r.Full},
		{"repeat", r.Repeat}, {"least", one(r.Least)}, {"beyond", one(r.Beyond)}, {"within", within},
		{"latency_falls", r.LatencyFalls()}, {"inner_minimum", r.Grid().InnerMinimum()},
		{"baselines", beside(r.Baselines)}, {"sizes", beside(r.Sizes)}, {"against", beside(r.Against)},
		{"points", columns.Objects(points)}, {"findings", append([]string{}, r.Findings()...)},
		{"failed", append([]string{}, r.Failed...)}, {"dir", dir}}
}

// Fault returns an error that says why no pair of clocks was measured; nil if one was.
func (r energyFindings) Fault() error {
	if r.Least.OK {
		return nil
	}
	return fmt.Errorf("experiment %s: no pair of clocks was measured: %s", campaigns.EnergySource,
		strings.Join(r.Failed, "; "))
}

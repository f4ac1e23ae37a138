package study

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"jtune/internal/report"
	"jtune/optimize/energy"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/telemetry"
	"jtune/tui/session/campaigns"
)

// energyRow is a point of a study, or something measured besides the pairs, in files.
type energyRow struct {
	Setting   string             `json:"setting,omitempty"` // only for what is measured besides the pairs
	Mode      tegra.Mode         `json:"mode"`
	Status    string             `json:"status"`
	N         int                `json:"n"`
	UnitJ     float64            `json:"unit_j"`
	CVPct     tegra.Val[float64] `json:"cv_pct"`
	TimeMS    float64            `json:"time_ms"`
	PowerW    float64            `json:"power_w"`
	P50MS     tegra.Val[float64] `json:"p50_ms"`
	P95MS     tegra.Val[float64] `json:"p95_ms"`
	P99MS     tegra.Val[float64] `json:"p99_ms"`
	EnergyPct tegra.Val[float64] `json:"energy_change_pct"`
	TimePct   tegra.Val[float64] `json:"time_change_pct"`
}

// row returns a row for a point with the given energy per unit.
func (r *EnergyReport) row(name string, p energy.Point, unitJ float64, l record.Latency) energyRow {
	out := energyRow{Setting: name, Mode: p.Mode, Status: statusOf(p), N: p.N, UnitJ: unitJ, CVPct: p.CVPct,
		TimeMS: p.TimeMS, PowerW: p.PowerW, P50MS: tegra.Val[float64]{V: l.P50, OK: l.N > 0}, P95MS: l.SureP95(),
		P99MS: l.SureP99()}
	out.EnergyPct, out.TimePct = r.Change(p, unitJ)
	return out
}

// pointRow returns the row of one of the study's points.
func (r *EnergyReport) pointRow(p energy.Point) energyRow {
	return r.row("", p, r.UnitJ(p), r.latency[p.Mode])
}

// statusOf says whether a point is measured, doubted or predicted.
func statusOf(p energy.Point) string {
	switch {
	case p.Doubted:
		return "doubted"
	case p.N > 0:
		return outlook.MeasuredSeries
	}
	return outlook.PredictedSeries
}

// energyColumns returns the columns of the CSV.
func (r *EnergyReport) energyColumns() report.Table[energyRow] {
	exact := func(v float64) any { return tegra.Val[report.Exact]{V: report.Exact(v), OK: !math.IsNaN(v) && v != 0} }
	known := func(v tegra.Val[float64]) any { return tegra.Val[report.Exact]{V: report.Exact(v.V), OK: v.OK} }
	var t report.Table[energyRow]
	for i, key := range sweep.Columns[:tegra.NumKnobs] {
		of := func(x energyRow) any { return sweep.ModeFields(x.Mode)[i] }
		t = append(t, report.Column[energyRow]{Key: key, Of: of})
	}
	return append(t, report.Table[energyRow]{
		{Key: "setting", Of: func(x energyRow) any { return x.Setting }},
		{Key: "status", Of: func(x energyRow) any { return x.Status }},
		{Key: "n", Of: func(x energyRow) any { return x.N }},
		{Key: "unit_j", Of: func(x energyRow) any { return exact(x.UnitJ) }},
		{Key: "cv_pct", Of: func(x energyRow) any { return known(x.CVPct) }},
		{Key: "time_ms", Of: func(x energyRow) any { return exact(x.TimeMS) }},
		{Key: "p50_ms", Of: func(x energyRow) any { return known(x.P50MS) }},
		{Key: "p95_ms", Of: func(x energyRow) any { return known(x.P95MS) }},
		{Key: "p99_ms", Of: func(x energyRow) any { return known(x.P99MS) }},
		{Key: "power_w", Of: func(x energyRow) any { return exact(x.PowerW) }},
		{Key: "energy_change_pct", Of: func(x energyRow) any { return known(x.EnergyPct) }},
		{Key: "time_change_pct", Of: func(x energyRow) any { return known(x.TimePct) }},
		{Key: sweep.VirtualColumn, Of: func(energyRow) any { return r.Virtual }},
	}...)
}

// CSV writes every point and baseline. A baseline's own change is 0 %; an unknown value is an empty field.
func (r *EnergyReport) CSV(w io.Writer) error {
	var rows []energyRow
	for _, b := range slices.Concat(r.Baselines, r.Sizes, r.Against) {
		rows = append(rows, r.row(b.Name, b.Point, b.UnitJ(), b.Latency))
	}
	for _, p := range r.Points {
		rows = append(rows, r.pointRow(p))
		rows[len(rows)-1].Setting = r.Mode(p.Mode)
	}
	return r.energyColumns().CSV(w, rows)
}

// energyBaselineRow is the JSON form of something measured besides the pairs.
type energyBaselineRow struct {
	energyRow
	Batch    int                 `json:"batch"`
	DriftPct float64             `json:"drift_pct"`
	CPU      telemetry.Residency `json:"cpu_residency"`
	GPU      telemetry.Residency `json:"gpu_residency"`
}

// energyWithin is the least energy at a latency at most that many percent above the baseline's.
type energyWithin struct {
	LatencyCostPct float64    `json:"latency_cost_pct"`
	Answer         *energyRow `json:"answer"`
}

// energyDocument is a study as JSON.
type energyDocument struct {
	Experiment   string              `json:"experiment"`
	Workload     string              `json:"workload"`
	Device       string              `json:"device"`
	Virtual      bool                `json:"virtual"`
	Unit         string              `json:"unit"`
	Batch        int                 `json:"batch"`
	Full         bool                `json:"full"`
	Repeat       int                 `json:"repeat"`
	Least        *energyRow          `json:"least"`
	Beyond       *energyRow          `json:"beyond"`
	Within       []energyWithin      `json:"within"`
	LatencyFalls bool                `json:"latency_falls"`
	Inner        bool                `json:"inner_minimum"`
	Baselines    []energyBaselineRow `json:"baselines"`
	Sizes        []energyBaselineRow `json:"sizes"`
	Against      []energyBaselineRow `json:"against"`
	Points       []energyRow         `json:"points"`
	Findings     []string            `json:"findings"`
	Failed       []string            `json:"failed"`
	Dir          string              `json:"dir"`
}

// Document returns the report for JSON, with the board's name and the folder of the record.
func (r *EnergyReport) Document(device, dir string) any {
	one := func(p tegra.Val[energy.Point]) *energyRow {
		if !p.OK {
			return nil
		}
		row := r.pointRow(p.V)
		return &row
	}
	beside := func(list []EnergyBaseline) []energyBaselineRow {
		out := []energyBaselineRow{}
		for _, b := range list {
			out = append(out, energyBaselineRow{r.row(b.Name, b.Point, b.UnitJ(), b.Latency), b.Batch, b.DriftPct,
				b.CPU, b.GPU})
		}
		return out
	}
	out := energyDocument{Experiment: campaigns.EnergySource, Workload: r.Workload.Name, Device: device,
		Virtual: r.Virtual,
		Unit:    r.Workload.UnitName(), Batch: r.Workload.Batch, Full: r.Full, Repeat: r.Repeat, Least: one(r.Least),
		Beyond: one(r.Beyond), LatencyFalls: r.latencyFalls(), Inner: r.Grid().InnerMinimum(),
		Baselines: beside(r.Baselines), Sizes: beside(r.Sizes), Against: beside(r.Against), Points: []energyRow{},
		Findings: append([]string{}, r.Findings()...), Failed: append([]string{}, r.Failed...), Dir: dir}
	for _, pct := range r.Costs {
		out.Within = append(out.Within, energyWithin{pct, one(r.capped(pct))})
	}
	for _, p := range r.Points {
		out.Points = append(out.Points, r.pointRow(p))
	}
	return out
}

// Fault returns an error that says why no pair of clocks was measured; nil if one was.
func (r *EnergyReport) Fault() error {
	if r.Least.OK {
		return nil
	}
	return fmt.Errorf("experiment %s: no pair of clocks was measured: %s", campaigns.EnergySource,
		strings.Join(r.Failed, "; "))
}

// Package score reports a comparison of methods on one sweep: errors and costs as text, CSV and JSON.
//
//	Row of each method and size, Duel ──► Report ──► Parts, WriteCSV, JSON
package score

import (
	"fmt"
	"slices"
	"strings"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/tegra"
)

// Report is a comparison of methods on one sweep. It prints as the JSON of the evaluate command and, by Parts, as a
// table.
type Report struct {
	Name    string    `json:"truth"`
	Virtual bool      `json:"virtual"` // no real board measured the sweep
	Modes   int       `json:"modes"`
	Budgets []float64 `json:"budgets_w"`       // those that some mode meets
	Dropped int       `json:"budgets_dropped"` // those that no mode meets, counted once per latency limit if there are some
	// If the batch size is an input: the sizes, and the latency limits.
	Batches     []int     `json:"batches,omitempty"`
	LatenciesMS []float64 `json:"latencies_ms,omitempty"`
	Rows        []Row     `json:"rows"`
	Duels       []Duel    `json:"duels,omitempty"` // on the authors' own samples
	Notes       []string  `json:"notes"`

	Origin string `json:"-"` // origin of the sweep if no real board measured it (tegra.Origin); else ""
}

// Parts are tables of errors, errors by region, and choices, and what they mean.
func (r *Report) Parts() []document.Part {
	head := fmt.Sprintf("%s: %d %s, ", strings.TrimSpace(r.Name+" "+tegra.VirtualMark(r.Origin)), r.Modes,
		tegra.NameOfSettings(r.Batches)+"s")
	if n := len(r.Budgets); n > 0 {
		head += fmt.Sprintf("%d power limits from %g to %g W", n, r.Budgets[0], r.Budgets[n-1])
	} else {
		head += "no power: time alone"
	}
	if len(r.LatenciesMS) > 0 {
		head += fmt.Sprintf(", each with a latency of at most %s ms",
			strings.Join(strings.Fields(strings.Trim(fmt.Sprint(r.LatenciesMS), "[]")), ", "))
	}
	if r.Dropped > 0 {
		head += fmt.Sprintf(" (%d more that no mode meets)", r.Dropped)
	}
	parts := []document.Part{document.Line(head), document.Break{}}
	for _, columns := range [][]column{errorColumns, r.regionColumns(), choiceColumns} {
		parts = append(parts, r.table(columns)...)
	}
	parts = append(append(parts, r.duels()...), document.Line(legend))
	if r.Batches != nil {
		parts = append(parts, document.Line(fmt.Sprintf("With batch sizes %s the optimum is the most samples per "+
			"second within both limits, the penalty the time per sample above it.", text.JoinInts(r.Batches))))
	}
	for _, n := range r.Notes {
		parts = append(parts, document.Line(n))
	}
	return parts
}

// duels are our errors and the authors' for the same samples.
func (r *Report) duels() []document.Part {
	if len(r.Duels) == 0 {
		return nil
	}
	t := document.Table{Head: strings.Split("method,modes,ours,theirs,time won,lost,power won,lost,against", ",")}
	for _, d := range r.Duels {
		t.Rows = append(t.Rows, strings.Split(fmt.Sprintf("%s\t%d\t%.1f / %.1f\t%.1f / %.1f\t%d\t%d\t%d\t%d\t%s",
			d.Method, d.Size, d.TimePct, d.PowerPct, d.TheirTime, d.TheirPow, d.TimeWon, d.Runs-d.TimeWon, d.PowerWon,
			d.Runs-d.PowerWon, d.Against), "\t"))
	}
	about := "On the authors' own samples, medians of time / power MAPE % over all modes. Theirs learn from and are " +
		"scored on single minibatches, ours on each mode's median."
	return []document.Part{document.Line(about), document.Break{}, t, document.Break{}}
}

// column is a table column; a cell without a value is a dash.
type column = report.Column[Row]

// Columns of the two tables, after those that identify the row.
var (
	errorColumns = []column{
		{Title: "time MAPE %", Text: func(r Row) string { return spread(r.TimeMAPEPct) }},
		{Title: "power MAPE %", Text: func(r Row) string { return spread(r.PowerMAPEPct) }},
		{Title: "time in bands", Text: func(r Row) string { return inBands(r.TimeInBandsPct) }},
		{Title: "power in bands", Text: func(r Row) string { return inBands(r.PowerInBandsPct) }},
		{Title: "all modes %", Text: Row.allModes},
	}
	choiceColumns = slices.Concat(penalties("penalty %", func(r Row) tegra.Val[Penalty] { return r.PenaltyPct }),
		penalties("clean %", func(r Row) tegra.Val[Penalty] { return r.CleanPenaltyPct }), []column{
			{Title: "area W", Text: func(r Row) string { return dashed(r.AreaW, "%.2f") }},
			{Title: "over %", Text: func(r Row) string { return dashed(r.OverPct, "%.0f") }},
			{Title: "by >1 W", Text: func(r Row) string { return dashed(r.Over1WPct, "%.0f") }},
			{Title: "too late %", Text: func(r Row) string { return dashed(r.LatePct, "%.0f") }},
			{Title: "probes", Text: func(r Row) string { return fmt.Sprintf("%.0f", r.Probes) }},
			{Title: "min", Text: func(r Row) string { return fmt.Sprintf("%.1f", r.Minutes) }},
			{Title: "hot %", Text: func(r Row) string { return dashed(r.SearchesHotPct, "%.0f") }},
		})
)

// penalties are the columns of a penalty.
func penalties(title string, of func(Row) tegra.Val[Penalty]) []column {
	figure := func(title string, v func(p Penalty) tegra.Val[float64]) column {
		return column{Title: title, Text: func(r Row) string {
			if p := of(r); p.OK {
				return dashed(v(p.V), "%.1f")
			}
			return none
		}}
	}
	return []column{figure(title, func(p Penalty) tegra.Val[float64] { return tegra.Some(p.Median) }),
		figure("p75", func(p Penalty) tegra.Val[float64] { return p.P75 }),
		figure("p90", func(p Penalty) tegra.Val[float64] { return tegra.Some(p.P90) }),
		figure("worst", func(p Penalty) tegra.Val[float64] { return p.Worst })}
}

// regionColumns returns the errors in time and power by region.
func (r *Report) regionColumns() (columns []column) {
	for _, row := range r.Rows {
		for k := len(columns); k < len(row.Regions); k++ {
			knob, _, _ := strings.Cut(row.Regions[k].Knob, "_") // without its unit
			columns = append(columns, column{Title: row.Regions[k].Half + " " + knob, Text: func(r Row) string {
				if k >= len(r.Regions) || !r.Regions[k].TimeMAPEPct.OK {
					return none
				}
				a := r.Regions[k].Accuracy
				return fmt.Sprintf("%.1f / ", a.TimeMAPEPct.V.Median) + dashed(median(a.PowerMAPEPct), "%.1f")
			}})
		}
	}
	return columns
}

// inBands prints the coverage of the bands.
func inBands(c tegra.Val[Coverage]) string {
	if !c.OK {
		return none
	}
	return fmt.Sprintf("%.0f/%.0f/%.0f", c.V.In50, c.V.In80, c.V.In95)
}

// table has the columns and rows in which something is known; nil without any.
func (r *Report) table(columns []column) []document.Part {
	columns = slices.DeleteFunc(slices.Clone(columns), func(c column) bool {
		return !slices.ContainsFunc(r.Rows, func(row Row) bool { return c.Text(row) != none })
	})
	rows := slices.DeleteFunc(slices.Clone(r.Rows), func(row Row) bool {
		return !slices.ContainsFunc(columns, func(c column) bool { return c.Text(row) != none })
	})
	if len(columns) == 0 {
		return nil
	}
	t := append(report.Table[Row]{{Title: "method", Text: func(r Row) string { return r.Method }},
		{Title: "modes", Text: func(r Row) string { return r.size() }},
		{Title: "runs", Text: func(r Row) string { return fmt.Sprint(r.Seeds) }}}, columns...)
	return []document.Part{t.Document(rows), document.Break{}}
}

func (r *Row) size() string {
	if !r.Size.OK {
		return none
	}
	return fmt.Sprint(r.Size.V)
}

// allModes prints the errors over all modes, as in the paper.
func (r Row) allModes() string {
	if !r.TimeMAPEAllPct.OK {
		return none
	}
	return fmt.Sprintf("%.1f / ", r.TimeMAPEAllPct.V.Median) + dashed(median(r.PowerMAPEAllPct), "%.1f")
}

// none is the cell of an absent value.
const none = "-"

// dashed prints a value, or a dash for an absent one.
func dashed(v tegra.Val[float64], format string) string {
	if !v.OK {
		return none
	}
	return fmt.Sprintf(format, v.V)
}

func median(q tegra.Val[Quartiles]) tegra.Val[float64] {
	return tegra.Val[float64]{V: q.V.Median, OK: q.OK}
}

// spread prints median and quartiles.
func spread(q tegra.Val[Quartiles]) string {
	if !q.OK {
		return none
	}
	return fmt.Sprintf("%.1f (%.1f-%.1f)", q.V.Median, q.V.Q1, q.V.Q3)
}

// legend explains the columns.
const legend = `MAPE: median (quartiles) over the runs, on the modes not learned from;
in bands: % of these modes inside the bands of 50, 80 and 95 %; all modes: time / power, the papers' way.
lower and upper: time / power MAPE where that clock, or the cores, has one of the lower or upper half of its values.
penalty: time above the optimum per limit; area: mean watts above the limit; over: picks above it.
clean: the same against the best reading that is no more than 10 % in power and 25 % in time below a fit to 400 modes.
probes and min: measured modes and minutes of profiling, per run, or per limit for tune, binary and oracle3;
hot: searches with a probe more than 10 % over the limit.
oracle3: the best of three modes, ranked by a fit to the sweep without their own readings: luck of readings alone.
gp keeps one standard deviation from the limit; tune measures its answer.`

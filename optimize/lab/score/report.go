// Package score reports a comparison of methods on one sweep: errors and costs as text, CSV and JSON.
//
//	Row of each method and size, Duel ──► Report ──► WriteText, WriteCSV, JSON
package score

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"jtune/optimize/lab/published"
	"jtune/tegra"
)

// Report is a comparison of methods on one sweep. It prints as the JSON of the evaluate command and, by WriteText, as a
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

// WriteText prints tables of errors, errors by region, and choices, with published figures in the rows that have them.
func (r *Report) WriteText(w io.Writer) error {
	what := "modes"
	if r.Batches != nil {
		what = "settings of mode and batch size"
	}
	name := strings.TrimSpace(r.Name + " " + tegra.VirtualMark(r.Origin))
	fmt.Fprintf(w, "%s: %d %s, ", name, r.Modes, what)
	if n := len(r.Budgets); n > 0 {
		fmt.Fprintf(w, "%d power limits from %g to %g W", n, r.Budgets[0], r.Budgets[n-1])
	} else {
		fmt.Fprint(w, "no power: time alone")
	}
	if len(r.LatenciesMS) > 0 {
		fmt.Fprintf(w,
			", each with a latency of at most %s ms",
			strings.Join(strings.Fields(strings.Trim(fmt.Sprint(r.LatenciesMS), "[]")), ", "))
	}
	if r.Dropped > 0 {
		fmt.Fprintf(w, " (%d more that no mode meets)", r.Dropped)
	}
	fmt.Fprint(w, "\n\n")
	for _, columns := range [][]column{errorColumns, r.regionColumns(), choiceColumns} {
		if err := r.writeTable(w, columns); err != nil {
			return err
		}
	}
	if err := r.writeDuels(w); err != nil {
		return err
	}
	return r.writeNotes(w)
}

// writeDuels prints our errors and the authors' for the same samples.
func (r *Report) writeDuels(w io.Writer) error {
	if len(r.Duels) == 0 {
		return nil
	}
	fmt.Fprint(
		w,
		"On the authors' own samples, medians of time / power MAPE % over all modes. Theirs learn from and are "+
			"scored on single minibatches, ours on each mode's median.\n\n",
	)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "method\tmodes\tours\ttheirs\ttime won\tlost\tpower won\tlost\tagainst\t")
	for _, d := range r.Duels {
		fmt.Fprintf(t,
			"%s\t%d\t%.1f / %.1f\t%.1f / %.1f\t%d\t%d\t%d\t%d\t%s\t\n", d.Method, d.Size, d.TimePct, d.PowerPct,
			d.TheirTime, d.TheirPow, d.TimeWon, d.Runs-d.TimeWon, d.PowerWon, d.Runs-d.PowerWon, d.Against)
	}
	fmt.Fprintln(t)
	return t.Flush()
}

// column is a table column; a cell without a value is a dash.
type column struct {
	head string
	cell func(Row) string
}

// Columns of the two tables, after those that identify the row.
var (
	errorColumns = []column{
		{"time MAPE %", func(r Row) string { return spread(r.TimeMAPEPct) }},
		{"power MAPE %", func(r Row) string { return spread(r.PowerMAPEPct) }},
		{"time in bands", func(r Row) string { return inBands(r.TimeInBandsPct) }},
		{"power in bands", func(r Row) string { return inBands(r.PowerInBandsPct) }},
		{"all modes %", Row.allModes},
		{"published", Row.published},
	}
	choiceColumns = []column{
		{"penalty %", func(r Row) string { return share(r.PenaltyPct, func(p Penalty) float64 { return p.Median }) }},
		{"p75", func(r Row) string { return dashed(r.PenaltyPct.V.P75, "%.1f") }},
		{"p90", func(r Row) string { return share(r.PenaltyPct, func(p Penalty) float64 { return p.P90 }) }},
		{"worst", func(r Row) string { return dashed(r.PenaltyPct.V.Worst, "%.1f") }},
		{
			"clean %",
			func(r Row) string { return share(r.CleanPenaltyPct, func(p Penalty) float64 { return p.Median }) },
		},
		{"p75", func(r Row) string { return dashed(r.CleanPenaltyPct.V.P75, "%.1f") }},
		{"p90", func(r Row) string { return share(r.CleanPenaltyPct, func(p Penalty) float64 { return p.P90 }) }},
		{"worst", func(r Row) string { return dashed(r.CleanPenaltyPct.V.Worst, "%.1f") }},
		{"area W", func(r Row) string { return dashed(r.AreaW, "%.2f") }},
		{"over %", func(r Row) string { return dashed(r.OverPct, "%.0f") }},
		{"by >1 W", func(r Row) string { return dashed(r.Over1WPct, "%.0f") }},
		{"too late %", func(r Row) string { return dashed(r.LatePct, "%.0f") }},
		{"probes", func(r Row) string { return fmt.Sprintf("%.0f", r.Probes) }},
		{"min", func(r Row) string { return fmt.Sprintf("%.1f", r.Minutes) }},
		{"hot %", func(r Row) string { return dashed(r.SearchesHotPct, "%.0f") }},
	}
)

// regionColumns returns the errors in time and power by region.
func (r *Report) regionColumns() (columns []column) {
	for _, row := range r.Rows {
		for k := len(columns); k < len(row.Regions); k++ {
			knob, _, _ := strings.Cut(row.Regions[k].Knob, "_") // without its unit
			columns = append(columns, column{row.Regions[k].Half + " " + knob, func(r Row) string {
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

// writeTable prints the columns and rows that have any value.
func (r *Report) writeTable(w io.Writer, columns []column) error {
	columns = slices.DeleteFunc(slices.Clone(columns), func(c column) bool {
		return !slices.ContainsFunc(r.Rows, func(row Row) bool { return c.cell(row) != none })
	})
	if len(columns) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := []string{"method", "modes", "runs"}
	for _, c := range columns {
		line = append(line, c.head)
	}
	fmt.Fprintln(t, strings.Join(line, "\t")+"\t")
	for _, row := range r.Rows {
		line, filled := []string{row.Method, row.size(), fmt.Sprint(row.Seeds)}, false
		for _, c := range columns {
			cell := c.cell(row)
			line, filled = append(line, cell), filled || cell != none
		}
		if filled {
			fmt.Fprintln(t, strings.Join(line, "\t")+"\t")
		}
	}
	fmt.Fprintln(t)
	return t.Flush()
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

// published prints the published figures.
func (r Row) published() string {
	var words []string
	for _, p := range r.Published {
		words = append(words, short(p))
	}
	return cmp.Or(strings.Join(words, ", "), none)
}

// none is the cell of an absent value.
const none = "-"

// share prints one figure of a penalty.
func share(p tegra.Val[Penalty], of func(Penalty) float64) string {
	return dashed(tegra.Val[float64]{V: of(p.V), OK: p.OK}, "%.1f")
}

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
lower and upper: time / power MAPE where that knob has one of the lower or upper half of its values.
penalty: time above the optimum per limit; area: mean watts above the limit; over: picks above it.
clean: the same against the best reading that is no more than 10 % in power and 25 % in time below a fit to 400 modes.
probes and min: measured modes and minutes of profiling, per run, or per limit for tune, binary and oracle3;
hot: searches with a probe more than 10 % over the limit.
oracle3: the best of three modes, ranked by a fit to the sweep without their own readings: luck of readings alone.
gp keeps one standard deviation from the limit; tune measures its answer.
`

func (r *Report) writeNotes(w io.Writer) error {
	var b strings.Builder
	b.WriteString(legend)
	if r.Batches != nil {
		fmt.Fprintf(&b, "With batch sizes %s the optimum is the most samples per second within both limits, "+
			"the penalty the time per sample above it.\n", strings.Trim(fmt.Sprint(r.Batches), "[]"))
	}
	for _, n := range r.Notes {
		b.WriteString(n + "\n")
	}
	for _, source := range r.sources() {
		b.WriteString("published " + source + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sources lists the distinct sources of the published figures.
func (r *Report) sources() []string {
	var out []string
	seen := map[string]bool{}
	for _, row := range r.Rows {
		for _, p := range row.Published {
			if !seen[p.Source] {
				seen[p.Source] = true
				out = append(out, p.Mark+" "+p.Source)
			}
		}
	}
	return out
}

// short prints the figures for a table's cell.
func short(p published.Figures) string {
	var parts []string
	if p.TimeMAPEPct.OK || p.PowerMAPEPct.OK {
		parts = append(parts, dashed(p.TimeMAPEPct, "%g")+" / "+dashed(p.PowerMAPEPct, "%g"))
	}
	if p.PenaltyPct.OK {
		parts = append(parts, fmt.Sprintf("penalty %g", p.PenaltyPct.V))
	}
	if p.Over1WPct.OK {
		parts = append(parts, fmt.Sprintf(">1 W %g", p.Over1WPct.V))
	}
	return p.Mark + " " + strings.Join(parts, " ")
}

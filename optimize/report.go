package optimize

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"jtune/tegra"
)

// Report is the comparison of methods on one sweep; it prints as the JSON of
// the evaluate command and, by WriteText, as a table.
type Report struct {
	Name    string    `json:"truth"`
	Modes   int       `json:"modes"`
	Budgets []float64 `json:"budgets_w"`       // that some mode meets
	Dropped int       `json:"budgets_dropped"` // that none does, counted with each latency where there are some
	// Where minibatches have several sizes: these, and the limits on the latency.
	Batches     []int     `json:"batches,omitempty"`
	LatenciesMS []float64 `json:"latencies_ms,omitempty"`
	Rows        []Row     `json:"rows"`
	Duels       []Duel    `json:"duels,omitempty"` // on the authors' own samples
	Notes       []string  `json:"notes"`
}

// WriteText prints the report as a table, with the published figures beside
// the rows that have them.
func (r *Report) WriteText(w io.Writer) error {
	what := "modes"
	if r.Batches != nil {
		what = "settings of mode and minibatch size"
	}
	fmt.Fprintf(w, "%s: %d %s, ", r.Name, r.Modes, what)
	if n := len(r.Budgets); n > 0 {
		fmt.Fprintf(w, "%d power limits from %g to %g W", n, r.Budgets[0], r.Budgets[n-1])
	} else {
		fmt.Fprint(w, "no power: time alone")
	}
	if len(r.LatenciesMS) > 0 {
		fmt.Fprintf(w, ", each with a latency of at most %s ms", strings.Join(strings.Fields(strings.Trim(fmt.Sprint(r.LatenciesMS), "[]")), ", "))
	}
	if r.Dropped > 0 {
		fmt.Fprintf(w, " (%d more that no mode meets)", r.Dropped)
	}
	fmt.Fprint(w, "\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	tails, late := "", ""
	if r.Batches != nil {
		tails, late = "p75\tp90\tworst", "too late %\t"
	} else {
		tails = "p90"
	}
	fmt.Fprintln(t, "method\tmodes\truns\ttime MAPE %\tpower MAPE %\tall modes %\tpenalty %\t"+tails+"\tarea W\tover %\tby >1 W\t"+late+"probes\tmin\tpublished\t")
	for _, row := range r.Rows {
		fmt.Fprintln(t, row.text(r.Batches != nil))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := r.writeDuels(w); err != nil {
		return err
	}
	return r.writeNotes(w)
}

// writeDuels prints ours beside theirs for the very same samples.
func (r *Report) writeDuels(w io.Writer) error {
	if len(r.Duels) == 0 {
		return nil
	}
	fmt.Fprint(w, "\nOn the authors' own samples, medians of time / power MAPE % over all modes. Theirs learn from and are scored on single minibatches, ours on each mode's median.\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "method\tmodes\tours\ttheirs\ttime won\tlost\tpower won\tlost\tagainst\t")
	for _, d := range r.Duels {
		fmt.Fprintf(t, "%s\t%d\t%.1f / %.1f\t%.1f / %.1f\t%d\t%d\t%d\t%d\t%s\t\n", d.Method, d.Size, d.TimePct, d.PowerPct, d.TheirTime, d.TheirPow,
			d.TimeWon, d.Runs-d.TimeWon, d.PowerWon, d.Runs-d.PowerWon, d.Against)
	}
	return t.Flush()
}

func (r Row) text(sized bool) string {
	size := "-"
	if r.Size.OK {
		size = fmt.Sprint(r.Size.V)
	}
	all := "-"
	if r.TimeMAPEAllPct.OK {
		all = fmt.Sprintf("%.1f / ", r.TimeMAPEAllPct.V.Median) + dashed(median(r.PowerMAPEAllPct), "%.1f")
	}
	var beside []string
	for _, p := range r.Published {
		beside = append(beside, p.short())
	}
	p := func(v float64) tegra.Val[float64] { return tegra.Val[float64]{V: v, OK: r.PenaltyPct.OK} }
	cells := []string{r.Method, size, fmt.Sprint(r.Seeds), spread(r.TimeMAPEPct), spread(r.PowerMAPEPct), all, dashed(p(r.PenaltyPct.V.Median), "%.1f")}
	if sized {
		cells = append(cells, dashed(r.PenaltyPct.V.P75, "%.1f"))
	}
	cells = append(cells, dashed(p(r.PenaltyPct.V.P90), "%.1f"))
	if sized {
		cells = append(cells, dashed(r.PenaltyPct.V.Worst, "%.1f"))
	}
	cells = append(cells, dashed(r.AreaW, "%.2f"), dashed(r.OverPct, "%.0f"), dashed(r.Over1WPct, "%.0f"))
	if sized {
		cells = append(cells, dashed(r.LatePct, "%.0f"))
	}
	cells = append(cells, fmt.Sprintf("%.0f", r.Probes), fmt.Sprintf("%.1f", r.Minutes), strings.Join(beside, ", "))
	return strings.Join(cells, "\t") + "\t"
}

// dashed prints a value, or a dash for an absent one.
func dashed(v tegra.Val[float64], format string) string {
	if !v.OK {
		return "-"
	}
	return fmt.Sprintf(format, v.V)
}

func median(q tegra.Val[Quartiles]) tegra.Val[float64] {
	return tegra.Val[float64]{V: q.V.Median, OK: q.OK}
}

// spread prints median and quartiles.
func spread(q tegra.Val[Quartiles]) string {
	if !q.OK {
		return "-"
	}
	return fmt.Sprintf("%.1f (%.1f-%.1f)", q.V.Median, q.V.Q1, q.V.Q3)
}

func (r *Report) writeNotes(w io.Writer) error {
	var b strings.Builder
	b.WriteString("\nMAPE: median (quartiles) over the runs, on the modes not learned from; all modes: time / power, the papers' way.\n" +
		"penalty: time above the optimum per limit; area: mean watts above the limit; over: picks above it.\n" +
		"probes and min: measured modes and minutes of profiling, per run, or per limit for tune and binary.\n" +
		"gp keeps one standard deviation from the limit; tune measures its answer.\n")
	if r.Batches != nil {
		b.WriteString("With minibatches of " + strings.Trim(fmt.Sprint(r.Batches), "[]") + " the optimum is the most samples per second within both limits, the penalty the time per sample above it.\n")
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

// sources lists where the published figures come from, once each.
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

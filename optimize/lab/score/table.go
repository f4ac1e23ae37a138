package score

import (
	"encoding/csv"
	"io"
	"strconv"

	"jtune/tegra"
)

// csvHead names the columns of WriteCSV; values are medians unless the name says otherwise.
var csvHead = []string{
	"method", "size", "seeds", "region", "from", "to",
	"time_mape_q1_pct", "time_mape_pct", "time_mape_q3_pct",
	"power_mape_q1_pct", "power_mape_pct", "power_mape_q3_pct",
	"time_in50_pct", "time_in80_pct", "time_in95_pct",
	"power_in50_pct", "power_in80_pct", "power_in95_pct",
	"penalty_pct", "penalty_p90_pct", "clean_penalty_pct", "clean_penalty_p90_pct",
	"area_w", "over_pct", "over1w_pct", "searches_over10_pct", "probes", "minutes", "virtual",
}

// WriteCSV prints one line per method and size with region "all", followed by one per region with only errors and
// bands. Absent values are empty.
func (r *Report) WriteCSV(w io.Writer) error {
	lines := [][]string{csvHead}
	for _, row := range r.Rows {
		head := []string{row.Method, "", strconv.Itoa(row.Seeds)}
		if row.Size.OK {
			head[1] = strconv.Itoa(row.Size.V)
		}
		add := func(region []string, a Accuracy, choices []string) {
			line := append(append(append([]string{}, head...), region...), a.cells()...)
			lines = append(lines, append(append(line, choices...), strconv.FormatBool(r.Virtual)))
		}
		choices := row.choices()
		add([]string{"all", "", ""}, row.Accuracy, choices)
		for _, p := range row.Regions {
			add([]string{p.Half + " " + p.Knob, exact(p.From), exact(p.To)}, p.Accuracy, make([]string, len(choices)))
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// cells returns the columns from time_mape_q1_pct to power_in95_pct.
func (a *Accuracy) cells() (out []string) {
	for _, q := range []tegra.Val[Quartiles]{a.TimeMAPEPct, a.PowerMAPEPct} {
		out = append(out, cells(q.OK, q.V.Q1, q.V.Median, q.V.Q3)...)
	}
	for _, c := range []tegra.Val[Coverage]{a.TimeInBandsPct, a.PowerInBandsPct} {
		out = append(out, cells(c.OK, c.V.In50, c.V.In80, c.V.In95)...)
	}
	return out
}

// choices returns the columns from penalty_pct to minutes.
func (r *Row) choices() (out []string) {
	for _, p := range []tegra.Val[Penalty]{r.PenaltyPct, r.CleanPenaltyPct} {
		out = append(out, cells(p.OK, p.V.Median, p.V.P90)...)
	}
	for _, v := range []tegra.Val[float64]{r.AreaW, r.OverPct, r.Over1WPct, r.SearchesHotPct} {
		out = append(out, cells(v.OK, v.V)...)
	}
	return append(out, exact(r.Probes), exact(r.Minutes))
}

// cells prints values, or the same number of empty cells if absent.
func cells(ok bool, values ...float64) []string {
	out := make([]string, len(values))
	for i, v := range values {
		if ok {
			out[i] = exact(v)
		}
	}
	return out
}

func exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

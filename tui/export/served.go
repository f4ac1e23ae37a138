package export

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"jtune/optimize"
	"jtune/tegra/sweep"
)

// servedColumns are those of a Pareto front under a load. What is not known is empty: the latency where the
// queue only grows, mean power and energy without the idle power.
var servedColumns = strings.Fields("cores cpu_khz gpu_hz mem_hz batch time_ms latency_ms quantile " +
	"rate_per_s arrivals served_per_s peak_w mean_w unit_j busy_unit_j busy_share measured n state chance_over virtual")

// ServedCSV writes what settings do under a load, one a line.
func ServedCSV(to io.Writer, a optimize.Ask, list []optimize.Outcome, standings []optimize.Standing,
	virtual bool) error {
	w := csv.NewWriter(to)
	rows := [][]string{servedColumns}
	for i, o := range list {
		rows = append(rows, slices.Concat(sweep.ModeFields(o.Mode), []string{strconv.Itoa(o.Batch),
			Text(o.TimeMS), Text(o.LatencyMS), Text(a.Quantile), Text(a.Load.MeanRate()), string(a.Load.Pattern),
			Text(o.ServedPerS), Text(o.PeakW), Text(o.MeanW), Text(o.JPerUnit), Text(o.BusyJPerUnit),
			Text(min(o.Rho, 1))}, StandingOf(standings[i]).fields(), []string{strconv.FormatBool(virtual)}))
	}
	return w.WriteAll(rows)
}

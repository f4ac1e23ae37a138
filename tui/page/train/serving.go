package train

import (
	"fmt"
	"strings"

	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// served returns what an inference run has answered so far; nil for training, and before the first numbers.
func served(j *page.Task) *record.Served {
	if j.Character == nil {
		return nil
	}
	return j.Character.Serving
}

// answers renders an inference run in numbers: requests answered, latency, energy.
func (p *Page) answers(j *page.Task, v *record.Served) []string {
	unit := j.Workload.UnitName()
	lines := []string{"answered   " + text.Count(v.Units, unit), "speed      " + perS(v.PerS, unit)}
	if v.RatePerS.OK {
		lines = append(lines, "queue      "+page.Num(v.RatePerS, 1)+"/s arrive, "+page.Num(v.ServedPerS, 1)+"/s served")
	}
	return append(lines, "p50 ms     "+v.Latency.Words())
}

func perS(v tegra.Val[float64], unit string) string {
	if !v.OK {
		return widget.Dash
	}
	return text.Of(v.V) + " " + unit + "s/s"
}

// marked formats a quantile, with ~ if too few requests were measured.
func marked(sure tegra.Val[float64], ms float64) string {
	if sure.OK {
		return widget.MS(sure.V)
	}
	return "~" + widget.MS(ms)
}

// latencies renders the latency panel, which replaces the epochs of a training run.
func latencies(j *page.Task, w, _ int) string {
	v := served(j)
	if v == nil || v.Latency.N == 0 {
		return widget.StyleDim.Render(widget.Wrap("the latencies of its requests appear here", w))
	}
	l := v.Latency
	lines := []string{
		widget.StyleDim.Render(widget.Row("of "+text.Thousands(l.N)+" "+requestsOr(v), "ms", w)),
		widget.Row("p50, half of them within", widget.MS(l.P50), w),
		widget.Row("p95", marked(l.SureP95(), l.P95), w),
		widget.Row("p99", marked(l.SureP99(), l.P99), w),
	}
	if v.TTFTMS.OK {
		lines = append(lines, widget.Row("to the first "+v.Unit, widget.MS(v.TTFTMS.V), w))
	}
	if v.TPOTMS.OK {
		lines = append(lines, widget.Row("each further one", widget.MS(v.TPOTMS.V), w))
	}
	if j.Character.All.TimeMS > 0 && v.RatePerS.OK { // the rest of a latency is waiting
		lines = append(lines, widget.Row("service of a batch, mean", widget.MS(j.Character.All.TimeMS), w))
	}
	if !l.SureP99().OK {
		lines = append(lines, widget.StyleDim.Render(widget.Wrap("~ of too few requests: p95 takes 200, p99 1,000", w)))
	}
	return strings.Join(lines, "\n")
}

// requestsOr names what the latencies are measured on.
func requestsOr(v *record.Served) string {
	if v.RatePerS.OK || v.TTFTMS.OK {
		return "requests"
	}
	return "batches"
}

// byUnit formats the energy per unit if known; otherwise per batch or minibatch.
func byUnit(j *page.Task, joules float64) string {
	if v := served(j); v != nil && v.UnitJ.OK {
		amount := fmt.Sprintf("%.3g J", v.UnitJ.V)
		if v.UnitJ.V < 1 {
			amount = fmt.Sprintf("%.3g mJ", 1000*v.UnitJ.V)
		}
		return amount + "/" + j.Workload.UnitName()
	}
	return widget.Joules(joules) + "/" + j.Workload.Noun()
}

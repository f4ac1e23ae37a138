package tui

import (
	"fmt"
	"math"
	"strings"

	"jtune/tegra"
	"jtune/tui/chart"
)

// run draws a run: its numbers beside the minibatch times.
func (p *trainPage) run(j *job, w, h int) string {
	state := "running"
	if j.done {
		state = "ended"
	}
	title := fmt.Sprintf("%s %s", j.workload.Name, state)
	numbers := panel{title, "", func(w, _ int) string { return p.summary(j, w) }, p.sh.narrow}
	if w < 70 {
		return numbers.Render(w, h)
	}
	times := panel{"ms per minibatch", "", func(w, h int) string { return minibatchChart(j.times, w, h) }, false}
	left := 42
	return beside(numbers.Render(left, h), times.Render(w-left, h))
}

// summary is a run in numbers: while it runs the newest minibatch, at its end
// the medians.
func (p *trainPage) summary(j *job, w int) string {
	pr := j.progress
	count := fmt.Sprintf("minibatch  %d", pr.Minibatch)
	lines := []string{fmt.Sprintf("last       %s ms/minibatch", ms(pr.TimeMS)), count}
	t := median(j.times)
	if n := j.workload.MinibatchesPerEpoch(); n > 0 {
		lines[1] = fmt.Sprintf("epoch %d    minibatch %d of %d", 1+pr.Minibatch/n, pr.Minibatch%n, n)
		if t > 0 {
			lines = append(lines, fmt.Sprintf("an epoch   %.1f min, %.1f left", t*float64(n)/60000, t*float64(n-pr.Minibatch%n)/60000))
		}
	}
	watts := p.sh.sample.Reading.TotalW
	if j.ran != nil {
		watts = j.ran.PowerW
	}
	lines = append(lines, "power      "+unit(watts, 1, "W"))
	if t > 0 && watts.OK {
		lines = append(lines, "energy     "+joules(t*watts.V/1000)+" per minibatch")
	}
	lines = append(lines, p.parts(j, w), "page cache "+p.sh.cacheText(), p.sh.diskText())
	if j.err != nil {
		lines = append(lines, styleBad.Render(wrap(j.err.Error(), w)))
	} else if n := len(j.notes); n > 0 {
		lines = append(lines, styleDim.Render(wrap(j.notes[n-1], w)))
	}
	return strings.Join(lines, "\n")
}

// parts shows where the time of a minibatch goes.
func (p *trainPage) parts(j *job, w int) string {
	switch {
	case j.ran != nil && j.ran.TimeMS > 0:
		r := j.ran
		return fmt.Sprintf("median of %d: %s ms\n", r.Minibatches, ms(r.TimeMS)) + stallBar(r.StallMS, r.ComputeMS, r.OverheadMS, min(w, 40))
	case j.last != nil:
		return "newest minibatch\n" + stallBar(j.last.StallMS, j.last.ComputeMS, j.last.OverheadMS, min(w, 40))
	}
	return styleDim.Render("stall, compute and overhead come with the first minibatch")
}

// stallBar shares a minibatch out among waiting for data, computing and the
// rest, each with its own glyph and letter; no bar where a part is not known.
func stallBar(stall, compute, overhead tegra.Val[float64], w int) string {
	if !stall.OK || !compute.OK || !overhead.OK {
		return styleDim.Render("stall – compute – other –")
	}
	return chart.Stack([]chart.Part{{Value: stall.V, Glyph: '░'}, {Value: compute.V, Glyph: '█'}, {Value: overhead.V, Glyph: '▒'}}, w) +
		fmt.Sprintf("\n░ stall %.3g █ compute %.3g ▒ other %.3g", stall.V, compute.V, overhead.V)
}

// minibatchChart draws minibatch times, oldest left.
func minibatchChart(times []float64, w, h int) string {
	if len(times) == 0 {
		return "no minibatch yet"
	}
	var xs []float64
	most := 0.0
	for i, t := range times {
		xs = append(xs, float64(i-len(times)+1))
		if !math.IsInf(t, 0) {
			most = max(most, t)
		}
	}
	plot := chart.Plot{X: chart.Scale{Lo: min(float64(1-len(times)), -10), Hi: 0}, Y: chart.FromZero(most * 1.05), XName: "minibatches ago", YName: "ms"}
	plot.Line(xs, times, chart.InkSeries)
	return plot.Render(w, h, paint)
}

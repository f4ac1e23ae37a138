package tui

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"jtune/profiles"
	"jtune/tegra"
	"jtune/tegra/figures"
	"jtune/tegra/quantile"
	"jtune/tui/chart"
)

// run draws a run: its numbers beside the minibatch times, where the time of a
// minibatch goes, the epochs, what it means, and what the job says.
func (p *trainPage) run(j *job, w, h int) string {
	state := "running"
	if j.done {
		state = "ended"
	}
	if h < 12 || w < 70 {
		return p.brief(j, w, h)
	}
	numbers := panel{j.workload.Name + " " + state, "", func(w, _ int) string { return p.summary(j, w) }, false}
	times := panel{"ms per minibatch", "", func(w, h int) string { return minibatchChart(j.times, w, h) }, false}
	const stages = 5
	top := max(9, (h-stages)/2)
	if h < 22 {
		top = h - stages
	}
	left := 40
	if w > 120 {
		left = 50
	}
	out := under(beside(numbers.Render(left, top), times.Render(w-left, top)),
		panel{"Where the time goes, mean of a minibatch", "", func(w, h int) string { return p.stages(j, w, h) }, false}.Render(w, stages))
	rest := h - top - stages
	if rest < 3 {
		return out
	}
	means := panel{"What it means", "", func(w, h int) string { return p.meaning(j, w, h) }, false}
	epochs := panel{"Epochs", "", func(w, h int) string { return epochTable(j, w, h) }, false}
	log := panel{"Log", p.log.note(), p.log.Render, false}
	if w > 150 {
		third := w / 3
		return under(out, beside(epochs.Render(third, rest), means.Render(third, rest), log.Render(w-2*third, rest)))
	}
	if rest >= 11 {
		half := max(7, rest/2)
		return under(out, beside(epochs.Render(left, half), means.Render(w-left, half)), log.Render(w, rest-half))
	}
	return under(out, beside(epochs.Render(left, rest), means.Render(w-left, rest)))
}

// brief is a run where there is little room.
func (p *trainPage) brief(j *job, w, h int) string {
	lines := []string{p.summary(j, w), p.stages(j, w, 2)}
	if text := p.meaning(j, w, 3); text != "" {
		lines = append(lines, text)
	}
	return fit(strings.Join(lines, "\n"), w, h)
}

// summary is a run in numbers: while it runs the newest minibatch, at its end
// the median.
func (p *trainPage) summary(j *job, w int) string {
	pr := j.progress
	t := quantile.Median(j.times).V
	lines := []string{fmt.Sprintf("last       %s ms/minibatch", ms(pr.TimeMS)), fmt.Sprintf("minibatch  %d", pr.Minibatch)}
	if j.ran != nil && j.ran.TimeMS > 0 {
		t = j.ran.TimeMS
		lines[0] = fmt.Sprintf("median     %s ms of %s", ms(t), figures.Thousands(j.ran.Minibatches))
	}
	if n := j.workload.MinibatchesPerEpoch(); n > 0 {
		lines[1] = fmt.Sprintf("epoch %-4d minibatch %d of %d", 1+pr.Minibatch/n, pr.Minibatch%n, n)
		if t > 0 {
			text := fmt.Sprintf("an epoch   %.1f min", t*float64(n)/60000)
			if !j.done {
				text += fmt.Sprintf(", %.1f left", t*float64(n-pr.Minibatch%n)/60000)
			}
			lines = append(lines, text)
		}
	}
	watts := p.sh.sample.Reading.TotalW
	if j.ran != nil {
		watts = j.ran.PowerW
	}
	energy := ""
	if t > 0 && watts.OK {
		energy = ", " + joules(t*watts.V/1000) + "/minibatch"
	}
	lines = append(lines, "power      "+unit(watts, 1, "W")+energy)
	if c := j.like; c != nil {
		s := c.Steady()
		lines = append(lines, "busy       GPU "+num(s.GPUPct, 0)+" %, CPU "+num(s.CPUPct, 0)+" %")
	}
	lines = append(lines, cacheLine(j, p.sh), p.sh.diskText())
	if j.err != nil {
		lines = append(lines, styleBad.Render(wrap(j.err.Error(), w)))
	} else if n := len(j.notes); n > 0 {
		lines = append(lines, styleDim.Render(wrap(j.notes[n-1], w)))
	}
	return strings.Join(lines, "\n")
}

// cacheLine tells how much of the data lies in memory; where that is not told,
// how much of the memory holds files.
func cacheLine(j *job, sh *shared) string {
	if c := j.like; c != nil && c.CacheAfter.OK {
		return fmt.Sprintf("in memory  %.0f %% of the data", 100*c.CacheAfter.V)
	}
	return "page cache " + sh.cacheText()
}

// stages draws how a minibatch's time is shared: the first epoch, which reads
// the data for the first time, and the later ones; else the newest minibatch.
func (p *trainPage) stages(j *job, w, h int) string {
	var parts []shares
	switch c := j.like; {
	case c != nil && c.First.OK && c.Later.OK:
		parts = []shares{sharesOf("epoch 1", c.First.V), sharesOf("later", c.Later.V)}
	case c != nil && c.All.Minibatches > 0:
		parts = []shares{sharesOf("so far", c.All)}
	case j.ran != nil && j.ran.TimeMS > 0:
		parts = []shares{{"median", j.ran.StallMS, j.ran.ComputeMS, j.ran.OverheadMS}}
	}
	if len(parts) < 2 && j.last != nil && !j.done {
		parts = append(parts, shares{"newest", j.last.StallMS, j.last.ComputeMS, j.last.OverheadMS})
	}
	if len(parts) == 0 {
		return styleDim.Render("the first minibatch has not come yet")
	}
	most := 0.0
	for _, s := range parts {
		most = max(most, s.total())
	}
	var lines []string
	for _, s := range parts {
		lines = append(lines, s.line(most, w))
	}
	if h > len(lines) {
		lines = append(lines, styleDim.Render("░ stall: waits for data   █ compute   ▒ other"))
	}
	return strings.Join(lines, "\n")
}

// shares are a minibatch's time in its parts; absent where the job does not tell.
type shares struct {
	name                  string
	stall, compute, other tegra.Val[float64]
}

func sharesOf(name string, p profiles.Part) shares {
	return shares{name, p.StallMS, p.ComputeMS, p.OverheadMS}
}

func (s shares) total() float64 { return s.stall.V + s.compute.V + s.other.V }

// line is a bar, as long as its time against most, each part with its own
// glyph, and the parts in numbers.
func (s shares) line(most float64, w int) string {
	if !s.stall.OK || !s.compute.OK || !s.other.OK || s.total() <= 0 {
		return cut(s.name, 8) + styleDim.Render("the job does not tell its parts")
	}
	share := 100 * s.stall.V / s.total()
	text := fmt.Sprintf(" stall %2.0f %%", share)
	if w >= 60 {
		text += fmt.Sprintf("  %.3g + %.3g + %.3g ms", s.stall.V, s.compute.V, s.other.V)
	}
	room := max(6, w-8-len(text))
	if share >= 10 {
		text = styleWarn.Render(text)
	}
	bar := chart.Stack([]chart.Part{{Value: s.stall.V, Glyph: '░'}, {Value: s.compute.V, Glyph: '█'}, {Value: s.other.V, Glyph: '▒'}}, max(3, int(float64(room)*s.total()/most)))
	return cut(s.name, 8) + cut(bar, room) + text
}

// meaning says in words what decides and what might help.
func (p *trainPage) meaning(j *job, w, h int) string {
	if j.like == nil {
		return styleDim.Render(wrap("what decides the time is said here when some minibatches are in", w))
	}
	var lines []string
	for _, text := range j.like.Advice() {
		lines = append(lines, wrap(text, w))
	}
	if len(lines) == 0 {
		lines = append(lines, wrap("The job tells too little to say what decides its time.", w))
	}
	if j.like.CacheWhy != "" && h > 4 {
		lines = append(lines, styleDim.Render(wrap("data in memory: not known, "+j.like.CacheWhy, w)))
	}
	return strings.Join(lines, "\n")
}

// epochTable lists the epochs, the newest first.
func epochTable(j *job, w, h int) string {
	if j.like == nil || len(j.like.Epochs) == 0 {
		return styleDim.Render(wrap("the times of its epochs stand here", w))
	}
	lines := []string{styleDim.Render(row("epoch", fmt.Sprintf("%5s %6s %5s %5s", "min", "ms/mb", "stall", "W"), w))}
	list := j.like.Epochs
	whole := j.like.PerEpoch
	for i := len(list) - 1; i >= 0 && len(lines) < h; i-- {
		e := list[i]
		name := fmt.Sprint(e.Epoch + 1)
		if e.Minibatches < whole-1 { // of the first one a minibatch is left out
			name += fmt.Sprintf(", %.0f %%", 100*float64(e.Minibatches)/float64(whole))
		}
		lines = append(lines, row(name, fmt.Sprintf("%5.1f %6s %5s %5s", e.Span.Minutes(), ms(e.TimeMS), percent(e.StallShare()), num(e.PowerW, 1)), w))
	}
	return strings.Join(lines, "\n")
}

// files are the epochs of the run as a table for other programs.
func (p *trainPage) files() ([]exportFile, error) {
	j := p.shown()
	if j == nil || j.like == nil {
		return nil, nil
	}
	var b strings.Builder
	b.WriteString("epoch,minibatches,span_s,time_ms,stall_ms,compute_ms,overhead_ms,power_w,energy_j\n")
	field := func(v tegra.Val[float64]) string {
		if !v.OK {
			return ""
		}
		return strconv.FormatFloat(v.V, 'g', 6, 64)
	}
	for _, e := range j.like.Epochs {
		fmt.Fprintf(&b, "%d,%d,%g,%g,%s\n", e.Epoch+1, e.Minibatches, e.Span.Seconds(), e.TimeMS,
			strings.Join([]string{field(e.StallMS), field(e.ComputeMS), field(e.OverheadMS), field(e.PowerW), field(e.EnergyJ)}, ","))
	}
	return []exportFile{{"csv", b.String()}}, nil
}

// percent prints a share, 0 to 1.
func percent(share tegra.Val[float64]) string {
	if !share.OK {
		return dash
	}
	return fmt.Sprintf("%.0f %%", 100*share.V)
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

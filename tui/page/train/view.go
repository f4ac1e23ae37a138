package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/axis"
	"jtune/internal/report"
	"jtune/internal/sorted"
	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/export"
	"jtune/tui/page"
	"jtune/tui/session/run"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// Heights of a run's panels, and the window size from which three are side by side with histories of the board.
const (
	numbersH = 9
	stagesH  = 6
	wideW    = 110
	wideH    = 28
)

// run draws a run: what decides its time, its numbers beside the minibatch times, the stages of a minibatch, the
// epochs, what it means, and the log.
func (p *Page) run(j *page.Task, w, h int) string {
	if h < 12 || w < 70 {
		return p.brief(j, w, h)
	}
	wide := w >= wideW && h > wideH
	p.above = min(1, len(j.Advice))
	if !wide {
		p.above = verdicts(j.Advice, w)
	}
	verdict := p.verdict(j, w)
	rest := h - strings.Count(verdict, "\n") - 1
	if wide {
		return widget.Under(verdict, p.wide(j, w, rest))
	}
	top := max(7, min(numbersH, rest-stagesH), rest-stagesH-14)
	stages := min(stagesH, rest-top)
	const left = 40
	out := widget.Under(verdict,
		widget.Beside(p.numbers(j).Render(left, top),
			p.times(j).Render(w-left, top)),
		p.part(j, stagesTitle(j), p.stages).Render(w, stages))
	if rest -= top + stages; rest < 3 {
		return widget.Fit(out, w, h)
	}
	means, epochs := p.part(j, "What it means", p.meaning), p.epochs(j)
	if rest < 11 {
		return widget.Under(out, widget.Beside(epochs.Render(left, rest), means.Render(w-left, rest)))
	}
	half := max(7, rest/2)
	log := p.read.Panel("Log", p.log.Note(), p.log.Render)
	return widget.Under(out, widget.Beside(epochs.Render(left, half), means.Render(w-left, half)),
		log.Render(w, rest-half))
}

func stagesTitle(j *page.Task) string { return "Where the time goes, mean of a " + j.Workload.Noun() }

// epochs returns the panel of a training run's epochs, or of an inference run's latencies.
func (p *Page) epochs(j *page.Task) widget.Panel {
	if j.Workload.Infers() {
		return p.part(j, "Latency", latencies)
	}
	return p.part(j, "Epochs", epochTable)
}

// numbers returns the panel of a run's numbers.
func (p *Page) numbers(j *page.Task) widget.Panel {
	state := "running"
	if j.Done() {
		state = "ended"
	}
	return p.part(j, j.Workload.Name+" "+state, p.summary)
}

// part returns a panel of a run.
func (p *Page) part(j *page.Task, title string, text func(j *page.Task, w, h int) string) widget.Panel {
	return p.read.Panel(title, "", func(w, h int) string { return text(j, w, h) })
}

// wide draws a run with room for everything.
func (p *Page) wide(j *page.Task, w, h int) string {
	third := w / 3
	last := w - 2*third
	free := h - stagesH - numbersH
	numbers := numbersH + max(0, free-16)/3
	below := h - stagesH - numbers
	middle := below / 2
	over := func(title, text string, picture widget.Panel, w int) string { // the picture takes the room below the text
		high := min(middle, strings.Count(text, "\n")+3)
		return widget.Under(p.part(j, title, func(*page.Task, int, int) string { return text }).Render(w, high),
			picture.Render(w, below-high))
	}
	busy := p.read.Panel("Busy, last 2 min", "", p.read.BusyChart)
	power := p.read.Panel("Power, last 2 min", "", p.read.PowerChart)
	log := p.read.Panel("Log", p.log.Note(), p.log.Render)
	return widget.Under(
		widget.Beside(p.numbers(j).Render(third, numbers),
			p.times(j).Render(w-third, numbers)),
		p.part(j, stagesTitle(j), p.stages).Render(w, stagesH),
		widget.Beside(
			widget.Under(p.epochs(j).Render(third, middle), log.Render(third, below-middle)),
			over("What it means", p.meaning(j, third-4, middle-2), busy, third),
			over("Time at each clock", residencies(j, last-4, middle-2), power, last)))
}

// verdict says what decides the time; the other advice follows in "What it means".
func (p *Page) verdict(j *page.Task, w int) string {
	switch {
	case j.Character == nil:
		return widget.Cut("what decides the time appears here once a "+j.Workload.Noun()+" is measured", w)
	case len(j.Advice) == 0:
		return widget.Cut("the job reports too little to say what decides its time", w)
	}
	return strings.Join(widget.WrapIn(widget.StyleBold, strings.Join(j.Advice[:max(1, p.above)], " "), w), "\n")
}

// verdicts returns how many texts of advice are shown above the panels: the first, and more as long as two lines are
// enough.
func verdicts(advice []string, w int) int {
	n := min(1, len(advice))
	for n < len(advice) && strings.Count(widget.Wrap(strings.Join(advice[:n+1], " "), w), "\n") < 2 {
		n++
	}
	return n
}

// brief draws a run with little room.
func (p *Page) brief(j *page.Task, w, h int) string {
	p.above = min(1, len(j.Advice))
	lines := []string{p.verdict(j, w), p.summary(j, w, h), p.stages(j, w, 2)}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

// summary renders a run in numbers: the newest minibatch while it runs, the mean at its end.
func (p *Page) summary(j *page.Task, w, _ int) string {
	pr := j.Progress
	t := stats.OrZero(stats.Median(j.Times))
	noun := j.Workload.Noun()
	lines := []string{fmt.Sprintf("last       %s ms/%s", widget.MS(pr.TimeMS), noun),
		fmt.Sprintf("%-11s%d", noun, pr.Minibatch)}
	if j.Ran != nil && j.Ran.TimeMS > 0 {
		t = j.Ran.TimeMS
		lines[0] = fmt.Sprintf("mean       %s ms of %s", widget.MS(t), text.Thousands(run.Counted(*j.Ran)))
	}
	if n := j.Workload.MinibatchesPerEpoch(); n > 0 {
		lines[1] = fmt.Sprintf("epoch %-4d step %d of %d", 1+pr.Minibatch/n, pr.Minibatch%n, n)
		if t > 0 {
			text := fmt.Sprintf("an epoch   %.1f min", t*float64(n)/60000)
			if !j.Done() {
				text += fmt.Sprintf(", %.1f left", t*float64(n-pr.Minibatch%n)/60000)
			}
			lines = append(lines, text)
		}
	}
	if v := served(j); v != nil {
		lines = append(lines[:1], p.answers(j, v)...)
	}
	watts := p.read.Sample().Reading.TotalW
	if j.Ran != nil {
		watts = j.Ran.PowerW
	}
	energy := ""
	switch {
	case j.Ran != nil && j.Ran.EnergyJ.OK:
		energy = ", " + byUnit(j, j.Ran.EnergyJ.V)
	case t > 0 && watts.OK:
		energy = ", " + byUnit(j, t*watts.V/1000)
	}
	lines = append(lines, "power      "+page.Unit(watts, 1, "W")+energy)
	if c := j.Character; c != nil {
		s := c.Steady()
		lines = append(lines, "busy       GPU "+page.Num(s.GPUPct, 0)+" %, CPU "+page.Num(s.CPUPct, 0)+" %")
	}
	if !j.Workload.Infers() {
		lines = append(lines, cacheLine(j, p.read.Sample().Reading), page.DiskText(p.read.Readings().Disk))
	}
	if j.Err != nil {
		lines = append(lines, widget.StyleBad.Render(widget.Wrap(page.Words(j.Err.Error()), w)))
	} else if n := len(j.Notes); n > 0 {
		lines = append(lines, widget.StyleDim.Render(widget.Wrap(page.Words(j.Notes[n-1]), w)))
	}
	return strings.Join(lines, "\n")
}

// cacheLine shows how much of the data is in memory; if unknown, how much of the memory holds files.
func cacheLine(j *page.Task, now tegra.Reading) string {
	if c := j.Character; c != nil && c.CacheAfter.OK {
		return fmt.Sprintf("in memory  %.0f %% of the data", 100*c.CacheAfter.V)
	}
	return "page cache " + cacheText(now)
}

// cacheText shows how much of the memory is file cache.
func cacheText(now tegra.Reading) string {
	if !now.RAMCached.OK || now.RAMTotal.Or(0) <= 0 {
		return widget.Dash
	}
	share := float64(now.RAMCached.V) / float64(now.RAMTotal.V)
	return fmt.Sprintf("%s GB, %.0f %% of RAM", page.Gigabytes(now.RAMCached), 100*share)
}

// stages draws the stages of a minibatch: for the first epoch, which reads the data for the first time, and for the
// later ones; otherwise for the newest minibatch.
func (p *Page) stages(j *page.Task, w, h int) string {
	var parts []shares
	switch c := j.Character; {
	case c != nil && c.First.OK && c.Later.OK:
		parts = []shares{sharesOf("epoch 1", c.First.V), sharesOf("later", c.Later.V)}
	case c != nil && c.All.Minibatches > 0:
		parts = []shares{sharesOf("so far", c.All)}
	case j.Ran != nil && j.Ran.TimeMS > 0:
		parts = []shares{{"mean", j.Ran.StallMS, j.Ran.ComputeMS, j.Ran.OverheadMS}}
	}
	if len(parts) < 2 && j.Last != nil && !j.Done() {
		parts = append(parts, shares{"newest", j.Last.StallMS, j.Last.ComputeMS, j.Last.OverheadMS})
	}
	if len(parts) == 0 {
		return widget.StyleDim.Render("the first " + j.Workload.Noun() + " has not come yet")
	}
	most := 0.0
	for _, s := range parts {
		most = max(most, s.total())
	}
	var lines []string
	for _, s := range parts {
		lines = append(lines, s.line(most, w))
	}
	if most == 0 {
		return strings.Join(lines, "\n")
	}
	if h > len(lines) {
		legend := widget.Paint(chart.InkWarm, "░") + " stall: waits for data   " + widget.Paint(chart.InkGPU, "█") +
			" compute   " + widget.Paint(chart.InkCPU, "▒") + " other"
		lines = append(lines, legend)
	}
	if h > len(lines) {
		lines = append(lines, p.pipeline(j, w))
	}
	return strings.Join(lines, "\n")
}

// pipeline draws the stages of the newest minibatch, as far as the job reports them.
func (p *Page) pipeline(j *page.Task, w int) string {
	if j.Last == nil {
		return ""
	}
	var parts []string
	known := false
	for _, s := range []struct {
		name string
		ms   tegra.Val[float64]
	}{{"fetch", j.Last.FetchMS}, {"pre-process", j.Last.PrepareMS}, {"copy", j.Last.CopyMS},
		{"launch", j.Last.LaunchMS}, {"compute", j.Last.ComputeMS}} {
		took := "n/a"
		if s.ms.OK {
			took, known = partMS(s.ms.V), true
		}
		parts = append(parts, s.name+" "+took)
	}
	if !known {
		return ""
	}
	line := strings.Join(parts, " → ") + " ms"
	if widget.Width(line)+8 <= w {
		line = widget.Cut("newest", 8) + line
	}
	return widget.Cut(line, w)
}

// partMS formats a part of a minibatch's time; parts below the resolution are zero.
func partMS(ms float64) string {
	switch {
	case ms < 0.005:
		return "0"
	case ms >= 1000:
		return strconv.FormatFloat(ms, 'f', 0, 64)
	}
	return strconv.FormatFloat(ms, 'g', 3, 64)
}

// residencies draws the time of CPU, GPU and memory at each clock, longest first.
func residencies(j *page.Task, w, h int) string {
	if j.Character == nil {
		return widget.StyleDim.Render(widget.Wrap("the clocks of the run appear here", w))
	}
	c := j.Character
	var lines []string
	for _, part := range []struct {
		name string
		ink  chart.Ink
		of   telemetry.Residency
	}{{"CPU", chart.InkCPU, c.CPU}, {"GPU", chart.InkGPU, c.GPU}, {"EMC", chart.InkMemory, c.EMC}} {
		if len(part.of.Shares) == 0 {
			lines = append(lines, widget.Paint(part.ink, part.name)+" n/a")
			continue
		}
		shares := slices.Clone(part.of.Shares)
		sorted.Stable(shares, func(a, b telemetry.ClockShare) int { return cmp.Compare(b.Share, a.Share) })
		for i, s := range shares[:min(len(shares), max(1, h/3))] {
			if i > 0 && s.Share < leastShare {
				break
			}
			name := widget.Cut(part.name, 4)
			if i > 0 {
				name = "    "
			}
			lines = append(lines, widget.Paint(part.ink, name)+page.GHz(tegra.Some(s.Freq))+" GHz "+
				page.Meter(tegra.Some(s.Share), telemetry.AlarmNone, part.ink, max(4, w-19))+
				fmt.Sprintf(" %3.0f %%", 100*s.Share))
		}
	}
	return strings.Join(lines, "\n")
}

// leastShare is the minimum share of the time for a clock to be listed.
const leastShare = 0.005

// shares are the stages of a minibatch's time; absent if the job does not report them.
type shares struct {
	name                  string
	stall, compute, other tegra.Val[float64]
}

func sharesOf(name string, p record.Part) shares {
	return shares{name, p.StallMS, p.ComputeMS, p.OverheadMS}
}

func (s shares) total() float64 { return s.stall.V + s.compute.V + s.other.V }

// line draws a bar, scaled to most, with a glyph for each stage, and the stages in numbers.
func (s shares) line(most float64, w int) string {
	if !s.stall.OK || !s.compute.OK || !s.other.OK || s.total() <= 0 {
		return widget.Cut(s.name, 8) + widget.StyleDim.Render("the job does not report its parts")
	}
	share := 100 * s.stall.V / s.total()
	text := fmt.Sprintf(" stall %2.0f %%", share)
	if w >= 60 {
		text += "  " + partMS(s.stall.V) + " + " + partMS(s.compute.V) + " + " + partMS(s.other.V) + " ms"
	}
	room := max(6, w-8-len(text))
	if share >= 10 {
		text = widget.StyleWarn.Render(text)
	}
	bar := chart.Stack([]chart.Part{{Value: s.stall.V, Glyph: '░', Ink: chart.InkWarm},
		{Value: s.compute.V, Glyph: '█', Ink: chart.InkGPU}, {Value: s.other.V, Glyph: '▒', Ink: chart.InkCPU}},
		max(3, int(float64(room)*s.total()/most)), widget.Paint)
	return widget.Cut(s.name, 8) + widget.Cut(bar, room) + text
}

// meaning explains in words what decides the time and what might help.
func (p *Page) meaning(j *page.Task, w, h int) string {
	if j.Character == nil {
		return widget.StyleDim.Render(widget.Wrap("what might help appears here once a "+j.Workload.Noun()+
			" is measured", w))
	}
	var lines, doubts []string
	if j.Ran != nil {
		doubts = run.Doubts(*j.Ran)
	}
	for _, text := range append(doubts, j.Advice[min(p.above, len(j.Advice)):]...) { // the rest is above the panels
		lines = append(lines, widget.Wrap(text, w))
	}
	if len(lines) == 0 {
		lines = append(lines, widget.StyleDim.Render(widget.Wrap("nothing more than the line above", w)))
	}
	if j.Character.CacheWhy != "" && h > 4 {
		why := widget.Wrap("data in memory: not known, "+j.Character.CacheWhy, w)
		lines = append(lines, widget.StyleDim.Render(why))
	}
	return widget.FitMore(strings.Join(lines, "\n"), p.read.Keys().ShowsRest(), w, h)
}

// epochTable lists the epochs, newest first.
func epochTable(j *page.Task, w, h int) string {
	if j.Character == nil || len(j.Character.Epochs) == 0 {
		return widget.StyleDim.Render(widget.Wrap("the times of its epochs appear here", w))
	}
	list := slices.Clone(j.Character.Epochs)
	slices.Reverse(list)
	return widget.Fit(strings.Join(widget.Grid(epochColumns(j.Character.PerEpoch), list, w), "\n"), w, h)
}

// epochColumns describe epochs of that many steps, on the screen and in its export.
func epochColumns(whole int) report.Table[record.Part] {
	type part = record.Part
	return report.Table[part]{
		{Key: "epoch", Title: "epoch", Width: 5, Of: func(e part) any { return e.Epoch + 1 },
			Text: func(e part) string {
				name := fmt.Sprint(e.Epoch + 1)
				if e.Minibatches < whole-1 { // the first epoch may lack its warm-up minibatch
					name += fmt.Sprintf(", %.0f %%", 100*float64(e.Minibatches)/float64(whole))
				}
				return name
			}},
		{Key: "minibatches", Of: func(e part) any { return e.Minibatches }},
		{Key: "span_s", Title: "min", Width: 5, Right: true,
			Of:   func(e part) any { return report.Exact(e.Span.Seconds()) },
			Text: func(e part) string { return widget.Number(e.Span.Minutes(), 1) }},
		{Key: "time_ms", Title: "ms/step", Width: 7, Right: true,
			Of:   func(e part) any { return report.Exact(e.TimeMS) },
			Text: func(e part) string { return widget.MS(e.TimeMS) }},
		{Title: "stall", Width: 5, Right: true, Text: func(e part) string { return page.Percent(e.StallShare()) }},
		{Key: "stall_ms", Of: func(e part) any { return e.StallMS }},
		{Key: "compute_ms", Of: func(e part) any { return e.ComputeMS }},
		{Key: "overhead_ms", Of: func(e part) any { return e.OverheadMS }},
		{Key: "power_w", Title: "W", Width: 5, Right: true, Of: func(e part) any { return e.PowerW },
			Text: func(e part) string { return page.Num(e.PowerW, 1) }},
		{Key: "energy_j", Of: func(e part) any { return e.EnergyJ }},
	}
}

// Files exports the run's epochs as a table.
func (p *Page) Files() ([]page.File, error) {
	j := p.shown()
	if j == nil || j.Character == nil {
		return nil, nil
	}
	columns := append(epochColumns(j.Character.PerEpoch), report.Column[record.Part]{Key: export.VirtualColumn,
		Of: func(record.Part) any { return p.read.Board().Virtual }})
	var b strings.Builder
	err := columns.CSV(&b, j.Character.Epochs)
	return []page.File{{Ending: "csv", Text: b.String()}}, err
}

// times returns the panel of a run's minibatch times.
func (p *Page) times(j *page.Task) widget.Panel {
	noun := j.Workload.Noun()
	return p.read.Panel("ms per "+noun, "", func(w, h int) string { return minibatchChart(j.Times, noun, w, h) })
}

// minibatchChart draws minibatch times, oldest on the left.
func minibatchChart(times []float64, noun string, w, h int) string {
	if len(times) == 0 {
		return "no " + noun + " yet"
	}
	var xs []float64
	most := 0.0
	for i, t := range times {
		xs = append(xs, float64(i-len(times)+1))
		if !math.IsInf(t, 0) {
			most = max(most, t)
		}
	}
	plot := chart.Plot{X: axis.Scale{Lo: min(float64(1-len(times)), -10), Hi: 0}, XName: text.Plural(noun) + " ago",
		YName: "ms"}
	plot.From(0, most*1.05, h)
	plot.Line(xs, times, chart.InkSeries)
	return plot.Render(w, h, widget.Paint)
}

package live

import (
	"cmp"
	"math"
	"slices"
	"time"

	"jtune/internal/axis"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// series is one line against the last two minutes, named at its newest end:
// lines are told apart by their names, not by colour.
type series struct {
	name  string
	value func(r tegra.Reading) tegra.Val[float64]
}

// overTime draws lines against the last two minutes; missing values are gaps.
func (p *Page) overTime(lines []series, unit string, most float64, w, h int) string {
	var ts []float64
	now := p.read.Sample().T
	for _, s := range p.read.History() {
		ts = append(ts, (s.T - now).Seconds())
	}
	values := make([][]float64, len(lines))
	for i, line := range lines {
		var top float64
		values[i], top = p.past(line.value)
		most = max(most, top)
	}
	span := axis.Scale{Lo: -page.ChartSpan.Seconds(), Hi: 0}
	plot := chart.Plot{X: span, Y: axis.FromZero(most), XName: "s", YName: unit}
	for i, line := range lines {
		plot.Line(ts, values[i], chart.InkSeries)
		if n := len(ts); n > 0 && len(lines) > 1 {
			plot.Label(ts[n-1], values[i][n-1], line.name, chart.InkPreset)
		}
	}
	return plot.Render(w, h, widget.Paint)
}

// past is a value over the last two minutes, NaN where it is not known, and the
// most of it.
func (p *Page) past(value func(r tegra.Reading) tegra.Val[float64]) (values []float64, most float64) {
	for _, s := range p.read.History() {
		v := value(s.Reading).Or(math.NaN())
		if values = append(values, v); v > most {
			most = v
		}
	}
	return values, most
}

// powerChart draws the module's power over the last two minutes.
func (p *Page) powerChart(w, h int) string {
	return p.overTime([]series{{"total", func(r tegra.Reading) tegra.Val[float64] { return r.TotalW }}}, "W", 0, w, h)
}

// powerSpark is the same in one line.
func (p *Page) powerSpark(w int) string {
	name := "last 2 min "
	return name + p.railSpark("", w-len(name))
}

// railSpark draws a rail's last two minutes in one line, against its largest
// value; "" is the module's total.
func (p *Page) railSpark(rail string, w int) string {
	watts, most := p.past(func(r tegra.Reading) tegra.Val[float64] { return railW(r, rail) })
	return chart.Spark(watts, most, w)
}

// busyChart draws how busy CPU, GPU and memory were.
func (p *Page) busyChart(w, h int) string {
	return p.overTime([]series{
		{"CPU", func(r tegra.Reading) tegra.Val[float64] { return r.CPU.LoadPct }},
		{"GPU", func(r tegra.Reading) tegra.Val[float64] { return r.GPU.LoadPct }},
		{"EMC", func(r tegra.Reading) tegra.Val[float64] { return r.EMC.LoadPct }},
	}, "%", 100, w, h)
}

// mostTemps is how many lines a chart of temperatures can hold and be read.
const mostTemps = 4

// heatChart draws the hottest temperatures.
func (p *Page) heatChart(w, h int) string {
	temps := slices.Clone(p.read.Sample().Reading.Temps)
	slices.SortStableFunc(temps, func(a, b tegra.TempReading) int { return cmp.Compare(b.C, a.C) })
	var lines []series
	for _, t := range temps[:min(len(temps), mostTemps)] {
		name := t.Name
		lines = append(lines, series{shortTemp(name), func(r tegra.Reading) tegra.Val[float64] {
			for _, t := range r.Temps {
				if t.Name == name {
					return tegra.Some(t.C)
				}
			}
			return tegra.Val[float64]{}
		}})
	}
	return p.overTime(lines, "°C", 0, w, h)
}

// meanW is the mean of a rail's readings over the last minute; name "" is the
// module's total.
func (p *Page) meanW(name string) tegra.Val[float64] {
	sum, n, now := 0.0, 0, p.read.Sample().T
	for _, s := range p.read.History() {
		if s.T < now-time.Minute || s.T > now {
			continue
		}
		if v := railW(s.Reading, name); v.OK {
			sum, n = sum+v.V, n+1
		}
	}
	return tegra.Val[float64]{V: sum / float64(max(n, 1)), OK: n > 0}
}

func railW(r tegra.Reading, name string) tegra.Val[float64] {
	if name == "" {
		return r.TotalW
	}
	for _, rail := range r.Rails {
		if rail.Name == name {
			return rail.PowerW
		}
	}
	return tegra.Val[float64]{}
}

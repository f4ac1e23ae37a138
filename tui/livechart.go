package tui

import (
	"cmp"
	"math"
	"slices"

	"jtune/tegra"
	"jtune/tui/chart"
)

// series is one line against the last two minutes, named at its newest end:
// lines are told apart by their names, not by colour.
type series struct {
	name  string
	value func(r tegra.Reading) tegra.Val[float64]
}

// overTime draws lines against the last two minutes; missing values are gaps.
func (sh *shared) overTime(lines []series, unit string, most float64, w, h int) string {
	var ts []float64
	for _, s := range sh.history {
		ts = append(ts, (s.T - sh.sample.T).Seconds())
	}
	values := make([][]float64, len(lines))
	for i, line := range lines {
		for _, s := range sh.history {
			v := math.NaN()
			if x := line.value(s.Reading); x.OK {
				v = x.V
				most = max(most, v)
			}
			values[i] = append(values[i], v)
		}
	}
	plot := chart.Plot{X: chart.Scale{Lo: -chartSpan.Seconds(), Hi: 0}, Y: chart.FromZero(most), XName: "s", YName: unit}
	for i, line := range lines {
		plot.Line(ts, values[i], chart.InkSeries)
		if n := len(ts); n > 0 && len(lines) > 1 {
			plot.Label(ts[n-1], values[i][n-1], line.name, chart.InkPreset)
		}
	}
	return plot.Render(w, h, paint)
}

// powerChart draws the module's power over the last two minutes.
func (p *livePage) powerChart(w, h int) string {
	return p.sh.overTime([]series{{"total", func(r tegra.Reading) tegra.Val[float64] { return r.TotalW }}}, "W", 0, w, h)
}

// powerSpark is the same in one line.
func (p *livePage) powerSpark(w int) string {
	name := "last 2 min "
	return name + p.railSpark("", w-len(name))
}

// railSpark draws a rail's last two minutes in one line, against its largest
// value; "" is the module's total.
func (p *livePage) railSpark(rail string, w int) string {
	var watts []float64
	most := 0.0
	for _, s := range p.sh.history {
		v := math.NaN()
		if x := railW(s.Reading, rail); x.OK {
			v = x.V
			most = max(most, v)
		}
		watts = append(watts, v)
	}
	return chart.Spark(watts, most, w)
}

// busyChart draws how busy CPU, GPU and memory were.
func (p *livePage) busyChart(w, h int) string {
	return p.sh.overTime([]series{
		{"CPU", cpuLoad},
		{"GPU", func(r tegra.Reading) tegra.Val[float64] { return r.GPU.LoadPct }},
		{"EMC", func(r tegra.Reading) tegra.Val[float64] { return r.EMC.LoadPct }},
	}, "%", 100, w, h)
}

// mostTemps is how many lines a chart of temperatures can hold and be read.
const mostTemps = 4

// heatChart draws the hottest temperatures.
func (p *livePage) heatChart(w, h int) string {
	temps := slices.Clone(p.sh.sample.Reading.Temps)
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
	return p.sh.overTime(lines, "°C", 0, w, h)
}

package page

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"jtune/internal/axis"
	"jtune/internal/sorted"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// Series is one line over the last two minutes. Its name is drawn at its newest end, so that lines differ not only in
// colour.
type Series struct {
	Name  string
	Ink   chart.Ink
	Value func(r tegra.Reading) tegra.Val[float64]
}

// Past returns a value over the last two minutes, NaN where unknown, and its maximum.
func (r Reader) Past(value func(r tegra.Reading) tegra.Val[float64]) (values []float64, most float64) {
	for _, s := range r.History() {
		v := value(s.Reading).Or(math.NaN())
		if values = append(values, v); v > most {
			most = v
		}
	}
	return values, most
}

// History is a chart of lines over the last two minutes.
type History struct {
	Lines       []Series
	Unit        string
	Least, Most float64 // of the scale, which grows with the lines
	Limit       float64 // drawn if above 0; the scale includes it once the lines come near
	LimitName   string
}

// OverTime draws a history; missing values are gaps.
func (r Reader) OverTime(of History, w, h int) string {
	lines, most := of.Lines, of.Most
	var ts []float64
	now := r.Sample().T
	values := make([][]float64, len(lines))
	for _, s := range r.state.Readings.History {
		ts = append(ts, (s.T - now).Seconds())
		for i, line := range lines {
			v := line.Value(s.Reading).Or(math.NaN())
			if values[i] = append(values[i], v); v > most {
				most = v
			}
		}
	}
	if most >= nearLimit*of.Limit {
		most = max(most, of.Limit)
	}
	plot := chart.Plot{X: axis.Scale{Lo: -chartSpan.Seconds(), Hi: 0}, XName: "s", YName: of.Unit}
	plot.Graded, plot.Untold = len(lines) == 1, h < longAxisH
	plot.From(of.Least, most, h)
	if of.Limit > 0 {
		plot.Level(of.Limit, of.LimitName, chart.InkLimit)
	}
	for i, line := range lines {
		plot.Line(ts, values[i], line.Ink)
	}
	for i, line := range lines {
		if n := len(ts); n > 0 && len(lines) > 1 {
			plot.Label(ts[n-1], values[i][n-1], line.Name, line.Ink)
		}
	}
	return plot.Render(w, h, widget.Paint)
}

// longAxisH is the height from which a history has room for the labels of its time, which its title tells too.
const longAxisH = 14

// nearLimit is the share of a limit above which a chart's scale includes the limit.
const nearLimit = 0.7

// BudgetW returns the power budget of the board's preset; absent in other modes.
func (r Reader) BudgetW() tegra.Val[float64] {
	return telemetry.BudgetW(r.Present(), r.state.Device.Space, r.state.Device.Presets)
}

// PowerChart draws the module's power over the last two minutes.
func (r Reader) PowerChart(w, h int) string {
	total := func(r tegra.Reading) tegra.Val[float64] { return r.TotalW }
	return r.OverTime(History{Lines: []Series{{"total", chart.InkSeries, total}}, Unit: "W", Limit: r.BudgetW().V,
		LimitName: "budget"}, w, h)
}

// BusyChart draws the load of CPU, GPU and memory.
func (r Reader) BusyChart(w, h int) string {
	return r.OverTime(History{Lines: []Series{
		{"CPU", chart.InkCPU, func(r tegra.Reading) tegra.Val[float64] { return r.CPU.LoadPct }},
		{"GPU", chart.InkGPU, func(r tegra.Reading) tegra.Val[float64] { return r.GPU.LoadPct }},
		{"EMC", chart.InkMemory, func(r tegra.Reading) tegra.Val[float64] { return r.EMC.LoadPct }},
	}, Unit: "%", Most: 100}, w, h)
}

// ClockChart draws the measured clocks.
func (r Reader) ClockChart(w, h int) string {
	ghz := func(v tegra.Val[tegra.Freq]) tegra.Val[float64] {
		return tegra.Val[float64]{V: v.V.GHz(), OK: v.OK}
	}
	return r.OverTime(History{Lines: []Series{
		{"CPU", chart.InkCPU, func(r tegra.Reading) tegra.Val[float64] { return ghz(r.CPU.Actual) }},
		{"GPU", chart.InkGPU, func(r tegra.Reading) tegra.Val[float64] { return ghz(r.GPU.Actual) }},
		{"EMC", chart.InkMemory, func(r tegra.Reading) tegra.Val[float64] { return ghz(r.EMC.Actual) }},
	}, Unit: "GHz"}, w, h)
}

// mostTemps is the most lines that stay readable in a chart of temperatures.
const mostTemps = 4

// HeatChart draws the hottest temperatures, and the lowest of their trip points.
func (r Reader) HeatChart(w, h int) string {
	temps := slices.Clone(r.Sample().Reading.Temps)
	sorted.Stable(temps, func(a, b tegra.TempReading) int { return cmp.Compare(b.C, a.C) })
	of := History{Unit: "°C"}
	least := math.Inf(1)
	for _, t := range temps[:min(len(temps), mostTemps)] {
		name := t.Name
		of.Lines = append(of.Lines, Series{ShortTemp(name), PartInk(name), func(r tegra.Reading) tegra.Val[float64] {
			for _, t := range r.Temps {
				if t.Name == name {
					return tegra.Some(t.C)
				}
			}
			return tegra.Val[float64]{}
		}})
		least = min(least, t.C)
		if t.Trip.OK && (of.Limit == 0 || t.Trip.V.C < of.Limit) {
			of.Limit, of.LimitName = t.Trip.V.C, "slows"
			if t.Trip.V.Kind == "critical" {
				of.LimitName = "stops"
			}
		}
	}
	if axis.Finite(least) { // 0 °C is no natural origin
		of.Least = 10 * math.Floor((least-heatAirC)/10)
	}
	return r.OverTime(of, w, h)
}

// heatAirC is the minimum gap below the lines of temperatures.
const heatAirC = 10

// ShortTemp returns the name of a thermal zone without its suffix.
func ShortTemp(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, "-thermal"), "-therm")
}

// PartInk returns the ink of a part of the module, by the name of its rail or thermal zone.
func PartInk(name string) chart.Ink {
	name = strings.ToUpper(name)
	for _, part := range []struct {
		in  string
		ink chart.Ink
	}{{"GPU", chart.InkGPU}, {"CPU", chart.InkCPU}, {"DDR", chart.InkMemory}, {"TJ", chart.InkSeries}} {
		if strings.Contains(name, part.in) {
			return part.ink
		}
	}
	return chart.InkOther
}

// alarmInk returns the ink for a value at an alarm level; usual is the ink of its series.
func alarmInk(l telemetry.Alarm, usual chart.Ink) chart.Ink {
	switch l {
	case telemetry.AlarmHot:
		return chart.InkHot
	case telemetry.AlarmWarm:
		return chart.InkWarm
	}
	return usual
}

// Alarmed colours a text by its alarm level.
func Alarmed(l telemetry.Alarm, text string) string {
	return widget.Paint(alarmInk(l, chart.InkNone), text)
}

// Meter draws a share as a bar in the ink of its part or alarm level.
func Meter(share tegra.Val[float64], l telemetry.Alarm, part chart.Ink, w int) string {
	bar := chart.Bar(share.Or(math.NaN()), w)
	full := strings.TrimRight(bar, "░")
	return widget.Paint(alarmInk(l, part), full) + widget.Paint(chart.InkAxis, bar[len(full):])
}

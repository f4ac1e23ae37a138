package live

import (
	"time"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// railSpark draws a rail's last two minutes in one line; "" is the module's total. All rails share one scale, up to the
// maximum of any rail.
func (p *Page) railSpark(rail string, ink chart.Ink, w int) string {
	_, most := p.read.Past(func(r tegra.Reading) tegra.Val[float64] { return r.TotalW })
	for _, r := range p.read.Sample().Reading.Rails {
		_, top := p.read.Past(func(all tegra.Reading) tegra.Val[float64] { return railW(all, r.Name) })
		most = max(most, top)
	}
	watts, _ := p.read.Past(func(r tegra.Reading) tegra.Val[float64] { return railW(r, rail) })
	return widget.Paint(ink, chart.Spark(watts, most, w))
}

// railChart draws the module's total and its rails.
func (p *Page) railChart(w, h int) string {
	lines := []page.Series{{Name: "total", Ink: chart.InkSeries,
		Value: func(r tegra.Reading) tegra.Val[float64] { return r.TotalW }}}
	for _, r := range p.read.Sample().Reading.Rails {
		lines = append(lines, page.Series{Name: r.Name, Ink: page.PartInk(r.Name),
			Value: func(all tegra.Reading) tegra.Val[float64] { return railW(all, r.Name) }})
	}
	return p.read.OverTime(page.History{Lines: lines, Unit: "W"}, w, h)
}

// ramChart draws the memory in use.
func (p *Page) ramChart(w, h int) string {
	most := float64(p.read.Sample().Reading.RAMTotal.Or(0)) / 1e9
	used := func(r tegra.Reading) tegra.Val[float64] {
		return tegra.Val[float64]{V: float64(r.RAMUsed.V) / 1e9, OK: r.RAMUsed.OK}
	}
	return p.read.OverTime(page.History{Unit: "GB", Most: most,
		Lines: []page.Series{{Name: "used", Ink: chart.InkMemory, Value: used}}}, w, h)
}

// meanW returns a rail's mean power over the last minute; name "" is the module's total.
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

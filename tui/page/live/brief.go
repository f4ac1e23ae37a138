package live

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/lazyregexp"
	"jtune/internal/sorted"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/page"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// mostNumbers is how many numbers the brief page shows: with the tab bar as many as can be taken in. When more happens
// at once (heat, engines at work, a slow clock), what another number says goes first: each step of terse leaves out
// more.
const mostNumbers = 37

// Steps of terse.
const (
	terseMode  = 1 + iota // a mode is its preset, which says the budget, or the limits above; one engine of each kind
	terseHeat             // one temperature; none beside the one that a warning names
	terseParts            // the two largest parts of the power
)

var aNumber = lazyregexp.New(`[0-9]+([.,][0-9]+)*`)

// columns renders the main values in two columns; the enlarged panels have the rest.
func (p *Page) columns(w, rows int) string {
	for p.terse = 0; ; p.terse++ {
		out := p.columnsAs(w, rows)
		numbers := aNumber.FindAllString(ansi.Strip(out+p.workloadLine()), -1)
		if !p.brief || p.terse == terseParts || len(numbers) <= mostNumbers {
			return out
		}
	}
}

func (p *Page) columnsAs(w, rows int) string {
	left := 44
	if w >= threeW {
		left = w / 2
	}
	right := w - left
	clocks, power, heat := p.clockLines(left-4), p.powerLines(right-4), p.heatBrief(right-4)
	const frame, memory = 2, 5
	covers := strings.Split(widget.StyleDim.Render(widget.Wrap(p.covers(), right-4)), "\n")
	if len(power)+len(heat)+len(covers)+2*frame+memory <= rows {
		power = append(power, covers...)
	}
	rails := min(len(power)+frame, rows-7)
	warmth := max(3, min(len(heat)+frame, rows-rails-3))
	panel := func(i int, lines []string, w, h int) string {
		panel := p.panels()[i]
		panel.Body = func(w, h int) string { return widget.Fit(strings.Join(lines, "\n"), w, h) }
		return panel.Render(w, h)
	}
	return widget.Beside(
		widget.Under(panel(panelClocks, clocks, left, len(clocks)+frame),
			p.panels()[panelPowerChart].Render(left, rows-len(clocks)-frame)),
		widget.Under(panel(panelPower, power, right, rails), panel(panelHeat, heat, right, warmth),
			panel(panelMemory, p.memoryLines(right-4, rows-rails-warmth-frame), right, rows-rails-warmth)))
}

// enginesText lists the engines at work with the share of the time that each is on, in w columns.
func (p *Page) enginesText(w int) string {
	var at []tegra.EngineReading
	for _, e := range p.read.Sample().Reading.Engines {
		if p.brief && p.terse >= terseMode { // the busiest of its kind
			e.Name = strings.TrimRight(e.Name, "0123456789")
		}
		i := slices.IndexFunc(at, func(x tegra.EngineReading) bool { return x.Name == e.Name })
		if e.OnPct.Or(0) > 0 && i < 0 {
			at = append(at, e)
		} else if i >= 0 && e.OnPct.V > at[i].OnPct.V {
			at[i] = e
		}
	}
	var parts []string
	for _, e := range at {
		parts = append(parts, e.Name+"\u00a0"+page.Num(e.OnPct, 0)+"\u00a0%")
	}
	if len(parts) == 0 {
		return ""
	}
	return widget.Cut("on: "+widget.Flow(parts, w-4)[0], w)
}

// mostRails is how many rails, the largest so far, are listed where one of them feeds the module; fewRails on a terse
// page of any board.
const mostRails, fewRails = 5, 2

// powerLines are the module's power, its parts, and voltage and current of its input.
func (p *Page) powerLines(w int) []string {
	read := p.read.Sample().Reading
	watts := func(v tegra.Val[float64]) string { return fmt.Sprintf("%5s W", page.Num(v, 1)) }
	lines := []string{p.totalW(widget.Row("module total", watts(read.TotalW), w))}
	if meter := p.read.Sample().MeterW; meter.OK {
		lines = append(lines, widget.Row("power meter", watts(meter), w))
	}
	if why := p.overBudget(); why != "" {
		lines = append(lines, page.Alarmed(telemetry.PowerAlarm(read.TotalW, p.read.BudgetW()), why))
	}
	input := ""
	all := p.read.Readings()
	if most := all.Peaks.Supply(p.read.Board()); most != nil {
		input = most.Name
	}
	feed := p.read.Board().FeedRail()
	ever := slices.Clone(all.Peaks.Rails)
	sorted.Stable(ever, func(a, b telemetry.RailPeaks) int { return cmp.Compare(b.PowerW.V, a.PowerW.V) })
	for _, r := range read.Rails {
		mark := p.summand(r.Name)
		rank := slices.IndexFunc(ever, func(x telemetry.RailPeaks) bool { return x.Name == r.Name })
		if mark == "  " && (feed == "" || rank >= mostRails) {
			continue // beside the total
		}
		if p.terse >= terseParts && rank >= fewRails && r.Name != input && r.Name != feed {
			continue
		}
		name := mark + widget.Paint(page.PartInk(r.Name), r.Name)
		at := fmt.Sprintf("%s V %6s A", page.Num(r.Volts, 2), page.Num(r.Amperes, 2))
		switch {
		case r.Name == feed: // its watts are the total
			lines = slices.Insert(lines, 1, widget.Row(name, at, w))
		default:
			lines = append(lines, widget.Row(name, watts(r.PowerW), w))
			if r.Name == input && r.Volts.OK {
				lines = append(lines, widget.Row("  at", at, w))
			}
		}
	}
	return lines
}

// heatBrief are the warnings, the fan and the temperatures of the hottest place, CPU and GPU, and of what is warm.
func (p *Page) heatBrief(w int) []string {
	read := p.read.Sample().Reading
	most := 4
	if p.terse >= terseHeat {
		most = 1
	}
	temps := slices.DeleteFunc(slices.Clone(read.Temps), func(t tegra.TempReading) bool {
		return page.PartInk(t.Name) == chart.InkOther && telemetry.HeatAlarm(t) == telemetry.AlarmNone
	})
	if len(temps) == 0 {
		temps = read.Temps
	}
	sorted.Stable(temps, func(a, b tegra.TempReading) int {
		if a, b := page.ShortTemp(a.Name) == "tj", page.ShortTemp(b.Name) == "tj"; a != b {
			return map[bool]int{true: -1, false: 1}[a]
		}
		return int(telemetry.HeatAlarm(b)) - int(telemetry.HeatAlarm(a))
	})
	texts := p.tempTexts(temps[:min(len(temps), most)])
	if p.terse >= terseHeat && read.Hot() != "" {
		texts = texts[:1] // the fan
	}
	return append(p.heatLines(w), widget.Flow(texts, w)...)
}

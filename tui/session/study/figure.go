package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/internal/figure"
	"jtune/internal/sorted"
	"jtune/internal/text"
	"jtune/optimize/energy"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tui/session/plots"
)

// figure creates a figure of a study.
func (r *EnergyReport) figure(kind, title string) figure.Figure {
	f := figure.Figure{Kind: kind, Virtual: r.Virtual,
		Title: fmt.Sprintf("%s: %s, batch %d, on %s", title, r.Workload.Name, r.Workload.Batch, r.Board)}
	if !r.Least.OK {
		f.Lacks = "no pair of clocks was measured"
	}
	return f
}

// unitAxis returns the axis of the energy of a unit, drawn in mJ.
func (r *EnergyReport) unitAxis() figure.Axis {
	return figure.Axis{Key: "unit_j", Name: "energy of an " + r.Workload.UnitName(), Unit: "mJ", Per: 1e-3, Log: true,
		Text: text.Of}
}

// pairs returns the study's points with all cores and the maximum memory clock.
func (r *EnergyReport) pairs() []energy.Point {
	return slices.DeleteFunc(slices.Clone(r.Points), func(p energy.Point) bool {
		return !energy.IsPair(r.Space, p.Mode)
	})
}

// baseNote describes the baseline of the savings.
func (r *EnergyReport) baseNote() []string {
	base, ok := r.Base()
	if !ok {
		return nil
	}
	note := fmt.Sprintf("%s: %s", base.Name, UnitEnergyText(base.UnitJ()))
	if energy, time := r.change(r.Least.V); r.Least.OK && energy.OK {
		note += fmt.Sprintf("; the least against them: %s of energy, %s of latency", percentText(energy),
			percentText(time))
	}
	return []string{note}
}

// HeatMap draws the energy of a unit over the clocks of CPU and GPU and marks the least measured one.
func (r *EnergyReport) HeatMap() figure.Figure {
	f := r.figure("heat", "energy over the clocks of CPU and GPU")
	f.X, f.Y = plots.KnobAxis(tegra.KnobGPU), plots.KnobAxis(tegra.KnobCPU)
	panel := figure.Panel{Axis: r.unitAxis(), Series: []figure.Series{
		{Name: outlook.PredictedSeries, Shape: figure.Cells}, {Name: outlook.MeasuredSeries, Shape: figure.Cells}}}
	at := func(p energy.Point) figure.Point {
		x, y := plots.KnobValue(p.Mode, tegra.KnobGPU), plots.KnobValue(p.Mode, tegra.KnobCPU)
		return figure.Cell(x, y, 1000*r.UnitJ(p)).Of(r.Mode(p.Mode))
	}
	for _, p := range r.pairs() {
		s := &panel.Series[0]
		if p.N > 0 && !p.Doubted {
			s = &panel.Series[1]
		}
		s.Points = append(s.Points, at(p))
	}
	if r.Least.OK {
		panel.Marks = []figure.Mark{{Point: at(r.Least.V), Glyph: '◆', Name: "least measured"}}
		f.Notes = append(f.Notes, fmt.Sprintf("◆ least measured: %s at %s", UnitEnergyText(r.UnitJ(r.Least.V)),
			r.Mode(r.Least.V.Mode)))
	}
	f.Notes = append(f.Notes, r.baseNote()...)
	f.Panels = []figure.Panel{panel}
	return f
}

// Curves draws latency and energy over one of the two clocks, with the other held at the point of least energy.
func (r *EnergyReport) Curves(over tegra.Knob) figure.Figure {
	f := r.figure("curves-"+strings.ToLower(over.String()), "latency and energy over the "+over.String()+"'s clock")
	f.X = plots.KnobAxis(over)
	if !r.Least.OK {
		return f
	}
	least := r.Least.V.Mode
	f.Notes = append([]string{plots.Held(least, over)}, r.baseNote()...)
	line := slices.DeleteFunc(r.pairs(), func(p energy.Point) bool {
		a, b := p.Mode, least
		if over == tegra.KnobGPU {
			a.GPU, b.GPU = 0, 0
		} else {
			a.CPU, b.CPU = 0, 0
		}
		return a != b
	})
	sorted.By(line, func(a, b energy.Point) int {
		return cmp.Compare(a.Mode.Value(over), b.Mode.Value(over))
	})
	base, known := r.Base()
	for _, one := range []struct {
		axis figure.Axis
		of   func(energy.Point) float64
		base float64
	}{
		{figure.Axis{Key: "time_ms", Name: "latency of a batch", Unit: "ms", Log: true, Text: text.Of},
			func(p energy.Point) float64 { return p.TimeMS }, base.TimeMS},
		{r.unitAxis(), func(p energy.Point) float64 { return 1000 * r.UnitJ(p) }, 1000 * base.UnitJ()},
	} {
		panel := figure.Panel{Axis: one.axis}
		all := figure.Series{Name: "measured, else predicted", Shape: figure.Line}
		measured := figure.Series{Name: outlook.MeasuredSeries, Shape: figure.Marks}
		for _, p := range line {
			if p.Doubted {
				continue
			}
			at := figure.At(plots.KnobValue(p.Mode, over), one.of(p)).Of(r.Mode(p.Mode))
			all.Points = append(all.Points, at)
			if p.N > 0 {
				measured.Points = append(measured.Points, at)
			}
		}
		panel.Series = []figure.Series{all, measured}
		if known && !math.IsNaN(one.base) {
			panel.Limits = []figure.Limit{{At: one.base, Name: base.Name}}
		}
		at := figure.At(plots.KnobValue(least, over), one.of(r.Least.V))
		panel.Marks = []figure.Mark{{Point: at, Glyph: '◆', Name: "least measured"}}
		f.Panels = append(f.Panels, panel)
	}
	return f
}

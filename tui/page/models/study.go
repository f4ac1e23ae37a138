package models

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/axis"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// Assessed brings the assessment of a model.
type Assessed struct {
	Of session.ModelInfo
	session.Assessment
}

// leastPoints is how many points of a learning curve show a trend.
const leastPoints = 3

// learningCurve is a model's learning curve.
type learningCurve struct {
	points []learn.CurvePoint
	err    error
}

// curveMsg brings it.
type curveMsg struct {
	of    modelID
	curve learningCurve
}

// assess works a model's assessment out, off the screen's goroutine.
func assess(info session.ModelInfo) page.Compute {
	return func(ctx context.Context) tea.Msg { return Assessed{info, session.Assess(ctx, info.Model)} }
}

// curveOf works its learning curve out.
func curveOf(info session.ModelInfo) page.Compute {
	return func(ctx context.Context) tea.Msg {
		points, err := session.LearningCurve(ctx, info.Model)
		return curveMsg{idOf(info), learningCurve{points, err}}
	}
}

// predictedPlot draws each measured mode with what a model says of it that has
// not seen it, and the band; on the diagonal it is right.
func predictedPlot(s session.Assessment, power bool, w, h int) string {
	if len(s.Left) < 2 {
		return widget.Wrap("too few measured modes to leave one out", w)
	}
	if power && !s.Left[0].Measured.HasPower() {
		return widget.Wrap("power was not measured", w)
	}
	name := "ms"
	var xs, ys, lows, highs []float64
	for _, l := range s.Left {
		p := l.Prediction
		x, y, lo, hi := l.Measured.TimeMS, p.TimeMS, p.TimeLoMS, p.TimeHiMS
		if power {
			name, x, y, lo, hi = "W", l.Measured.PowerW, p.PowerW, p.PowerLoW, p.PowerHiW
		}
		xs, ys, lows, highs = append(xs, x), append(ys, y), append(lows, lo), append(highs, hi)
	}
	scale := axis.NewScale(slices.Concat(xs, ys), true)
	plot := chart.Plot{X: scale, Y: scale, XName: "measured " + name, YName: name}
	plot.Line([]float64{scale.Lo, scale.Hi}, []float64{scale.Lo, scale.Hi}, chart.InkAxis)
	for i := range xs {
		plot.Line([]float64{xs[i], xs[i]}, []float64{max(lows[i], scale.Lo), min(highs[i], scale.Hi)}, chart.InkBand)
	}
	for i := range xs {
		plot.Mark(xs[i], ys[i], '●', chart.InkMeasured)
	}
	return plot.Render(w, h, widget.Paint)
}

// plot draws the error against the number of modes learned from.
func (s learningCurve) plot(w, h int) string {
	if len(s.points) < leastPoints {
		return widget.Wrap("too few measured modes for a learning curve: learning from some must leave others to "+
			"judge by", w)
	}
	var ns, timePct, powerPct []float64
	most := 0.0
	for _, c := range s.points {
		ns = append(ns, float64(c.Modes))
		timePct, powerPct = append(timePct, c.TimeMAPEPct), append(powerPct, c.PowerMAPEPct)
		most = max(most, c.TimeMAPEPct, finiteOr(c.PowerMAPEPct, 0))
	}
	plot := chart.Plot{X: axis.NewScale(ns, false), Y: axis.FromZero(most), XName: "modes", YName: "%"}
	at := len(ns) - 1 // where the names stand: the end, or where one would not hide the other
	plot.Line(ns, timePct, chart.InkSeries)
	if !math.IsNaN(powerPct[at]) { // was measured
		plot.Line(ns, powerPct, chart.InkFront)
		apart := func(i int) float64 { return math.Abs(timePct[i] - powerPct[i]) }
		if apart(at) < most/5 {
			for i := range ns {
				if apart(i) > apart(at) {
					at = i
				}
			}
		}
		plot.Label(ns[at], powerPct[at], "power", chart.InkPreset)
	}
	plot.Label(ns[at], timePct[at], "time", chart.InkPreset)
	return plot.Render(w, h, widget.Paint)
}

// regionTable shows the error in each part of each knob's range: where the
// model must not be trusted as far as elsewhere.
func regionTable(s session.Assessment, w int) string {
	regions := s.Regions()
	if regions == nil {
		return widget.Wrap("too few measured modes to divide the space", w)
	}
	room := min(w-37, 16)
	worst := 0.01
	for _, r := range regions {
		worst = max(worst, finiteOr(r.TimePct, 0))
	}
	bar := func(timePct float64) string {
		if room < 4 {
			return ""
		}
		return " " + chart.Bar(timePct/worst, room)
	}
	var lines []string
	if r, found := s.Weakest(); found {
		text := fmt.Sprintf("Trust it least at %s %s; modes measured there would help most.", r.Knob, knobSpan(r))
		lines = append(lines, widget.StyleWarn.Render(widget.Wrap(text, w)))
	}
	head := fmt.Sprintf("%-5s %-11s %2s %7s %7s", "knob", "from – to", "n", "time", "power")
	lines = append(lines, widget.StyleDim.Render(head))
	for i, r := range regions {
		name := ""
		if i == 0 || regions[i-1].Knob != r.Knob {
			name = r.Knob.String()
		}
		errors := fmt.Sprintf("%7s %7s", page.ErrorText(r.TimePct), page.ErrorText(r.PowerPct))
		lines = append(lines, fmt.Sprintf("%-5s %-11s %2d ", name, knobSpan(r), r.Modes)+errors+bar(r.TimePct))
	}
	return strings.Join(lines, "\n")
}

func finiteOr(v, other float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return other
	}
	return v
}

// knobSpan prints a region's range of its knob: cores as they are, clocks in GHz.
func knobSpan(r session.Region) string {
	one := func(v float64) string {
		if r.Knob == tegra.KnobCores {
			return fmt.Sprintf("%.0f", v)
		}
		return fmt.Sprintf("%.2f", tegra.Freq(v).GHz())
	}
	if r.Lo == r.Hi {
		return one(r.Lo)
	}
	return one(r.Lo) + " – " + one(r.Hi)
}

package tui

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/quantile"
	"jtune/tui/chart"
	"jtune/tui/session"
)

// study is what one model says of its workload and how far it can be trusted,
// worked out from its own samples.
type study struct {
	left    []learn.LeftOut                  // nil where slowToStudy says why
	effects [tegra.NumKnobs]learn.KnobEffect // of the knobs, the others at their largest
	bound   string                           // what a minibatch waits for there; "" when the model cannot tell
	err     error
}

// studyMsg brings it.
type studyMsg struct {
	of    modelID
	study study
}

// curveStudy is a model's learning curve.
type curveStudy struct {
	points []learn.CurvePoint
	err    error
}

// curveMsg brings it.
type curveMsg struct {
	of    modelID
	curve curveStudy
}

// curveSizes are the numbers of modes at which a learning curve is looked at.
var curveSizes = []int{4, 6, 8, 10, 12, 15, 20, 25, 30, 40, 60, 100, 200}

// studyOf works a model's study out, off the screen's goroutine.
func studyOf(ctx context.Context, info session.ModelInfo) tea.Cmd {
	return func() tea.Msg {
		m := info.Model
		var s study
		s.effects = learn.Importance(m, m.Space, m.Space.Max(), math.Inf(1))
		if gp, ok := m.Surrogate(); ok {
			s.bound = gp.Bound(m.Space.Max()).String()
		}
		if slowToStudy(m) == "" {
			s.left, s.err = m.LeaveOut(ctx)
		}
		return studyMsg{idOf(info), s}
	}
}

// curveOf works its learning curve out.
func curveOf(ctx context.Context, info session.ModelInfo) tea.Cmd {
	return func() tea.Msg {
		var c curveStudy
		c.points, c.err = info.Model.Curve(ctx, curveSizes)
		return curveMsg{idOf(info), c}
	}
}

// held tells how many of the left-out modes lie within their 95 % bands, in
// time and in power.
func (s study) held() (time, power int) {
	for _, l := range s.left {
		if p, m := l.Prediction, l.Measured; p.TimeLoMS <= m.TimeMS && m.TimeMS <= p.TimeHiMS {
			time++
		}
		if p, m := l.Prediction, l.Measured; p.PowerLoW <= m.PowerW && m.PowerW <= p.PowerHiW {
			power++
		}
	}
	return time, power
}

// predictedPlot draws each measured mode with what a model says of it that has
// not seen it, and the band; on the diagonal it is right.
func (s study) predictedPlot(power bool, w, h int) string {
	if len(s.left) < 2 {
		return wrap("too few measured modes to leave one out", w)
	}
	if power && !s.left[0].Measured.HasPower() {
		return wrap("power was not measured", w)
	}
	name := "ms"
	var xs, ys, lows, highs []float64
	for _, l := range s.left {
		p := l.Prediction
		x, y, lo, hi := l.Measured.TimeMS, p.TimeMS, p.TimeLoMS, p.TimeHiMS
		if power {
			name, x, y, lo, hi = "W", l.Measured.PowerW, p.PowerW, p.PowerLoW, p.PowerHiW
		}
		xs, ys, lows, highs = append(xs, x), append(ys, y), append(lows, lo), append(highs, hi)
	}
	scale := chart.NewScale(slices.Concat(xs, ys), true)
	plot := chart.Plot{X: scale, Y: scale, XName: "measured " + name, YName: name}
	plot.Line([]float64{scale.Lo, scale.Hi}, []float64{scale.Lo, scale.Hi}, chart.InkAxis)
	for i := range xs {
		plot.Line([]float64{xs[i], xs[i]}, []float64{max(lows[i], scale.Lo), min(highs[i], scale.Hi)}, chart.InkBand)
	}
	for i := range xs {
		plot.Mark(xs[i], ys[i], '●', chart.InkMeasured)
	}
	return plot.Render(w, h, paint)
}

// slowToStudy says why a model is not studied here, or "".
func slowToStudy(m *learn.Model) string {
	if m.Method == learn.NN || m.Method == learn.PowerTrain {
		return "networks take minutes for this: jtune evaluate compares methods"
	}
	return ""
}

// plot draws the error against the number of modes learnt from.
func (s curveStudy) plot(w, h int) string {
	if len(s.points) < 2 {
		return wrap("too few measured modes for a curve: learning from some must leave others to judge by", w)
	}
	var ns, timePct, powerPct []float64
	most := 0.0
	for _, c := range s.points {
		ns, timePct, powerPct = append(ns, float64(c.Modes)), append(timePct, c.TimeMAPEPct), append(powerPct, c.PowerMAPEPct)
		most = max(most, c.TimeMAPEPct, finiteOr(c.PowerMAPEPct, 0))
	}
	plot := chart.Plot{X: chart.NewScale(ns, false), Y: chart.FromZero(most), XName: "modes", YName: "%"}
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
	return plot.Render(w, h, paint)
}

// region is a quarter of the measured modes by one knob.
type region struct {
	lo, hi            float64 // of the knob
	n                 int
	timePct, powerPct float64
}

// regions parts the left-out modes into quarters by a knob's values; equal
// values stay together.
func (s study) regions(k tegra.Knob) []region {
	left := slices.Clone(s.left)
	slices.SortStableFunc(left, func(a, b learn.LeftOut) int { return cmpFloat(a.Measured.Mode.Value(k), b.Measured.Mode.Value(k)) })
	var out []region
	for i := 0; i < len(left); {
		end := min(len(left), i+(len(left)+3)/4)
		for end < len(left) && left[end].Measured.Mode.Value(k) == left[end-1].Measured.Mode.Value(k) {
			end++
		}
		out = append(out, regionOf(left[i:end], k))
		i = end
	}
	return out
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func regionOf(left []learn.LeftOut, k tegra.Knob) region {
	var tp, to, pp, po []float64
	for _, l := range left {
		tp, to = append(tp, l.Prediction.TimeMS), append(to, l.Measured.TimeMS)
		pp, po = append(pp, l.Prediction.PowerW), append(po, l.Measured.PowerW)
	}
	return region{left[0].Measured.Mode.Value(k), left[len(left)-1].Measured.Mode.Value(k), len(left), learn.MAPE(tp, to), learn.MAPE(pp, po)}
}

// parts tells whether there is a table of regions to show.
func (s *study) parts() bool { return s != nil && len(s.left) >= 4 }

// regionTable tells the error in each quarter of each knob's range: where the
// model must not be trusted as far as elsewhere.
func (s *study) regionTable(w int) string {
	if !s.parts() {
		return wrap("too few measured modes to part the space", w)
	}
	room := min(w-37, 16)
	worst := 0.01
	for k := range tegra.NumKnobs {
		for _, r := range s.regions(tegra.Knob(k)) {
			worst = max(worst, finiteOr(r.timePct, 0))
		}
	}
	bar := func(timePct float64) string {
		if room < 4 {
			return ""
		}
		return " " + chart.Bar(timePct/worst, room)
	}
	lines := []string{styleDim.Render(fmt.Sprintf("%-5s %-11s %2s %7s %7s", "knob", "from – to", "n", "time", "power"))}
	for k := range tegra.NumKnobs {
		knob := tegra.Knob(k)
		for i, r := range s.regions(knob) {
			name := ""
			if i == 0 {
				name = knob.String()
			}
			lines = append(lines, fmt.Sprintf("%-5s %-11s %2d %7s %7s", name, knobSpan(knob, r.lo, r.hi), r.n, errorText(r.timePct), errorText(r.powerPct))+bar(r.timePct))
		}
	}
	if text := s.weakest(); text != "" {
		lines = append([]string{styleWarn.Render(wrap(text, w))}, lines...)
	}
	return strings.Join(lines, "\n")
}

// weakest says in words where the model errs by far the most; "" where it errs
// about alike everywhere.
func (s *study) weakest() string {
	var worst region
	var knob tegra.Knob
	var all []float64
	for k := range tegra.NumKnobs {
		for _, r := range s.regions(tegra.Knob(k)) {
			all = append(all, r.timePct)
			if finiteOr(r.timePct, 0) > worst.timePct {
				worst, knob = r, tegra.Knob(k)
			}
		}
	}
	if usual := quantile.Median(all).V; worst.timePct < 2*usual || worst.timePct < 5 {
		return ""
	}
	return fmt.Sprintf("Trust it least at %s %s; modes measured there would help most.", knob, knobSpan(knob, worst.lo, worst.hi))
}

func finiteOr(v, other float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return other
	}
	return v
}

// knobSpan prints a range of a knob: cores as they are, clocks in GHz.
func knobSpan(k tegra.Knob, lo, hi float64) string {
	one := func(v float64) string {
		if k == tegra.KnobCores {
			return fmt.Sprintf("%.0f", v)
		}
		return fmt.Sprintf("%.2f", tegra.Freq(v).GHz())
	}
	if lo == hi {
		return one(lo)
	}
	return one(lo) + " – " + one(hi)
}

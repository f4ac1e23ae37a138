package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/axis"
	"jtune/internal/figure"
	"jtune/internal/sorted"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/pareto"
	"jtune/optimize/serving"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// bands names the bounds of predictions.
const bands = "its 95 % band"

// KnobAxis returns the axis of a knob: cores, or gigahertz.
func KnobAxis(k tegra.Knob) figure.Axis {
	if k == tegra.KnobCores {
		return figure.Axis{Key: "cores", Name: "cores"}
	}
	clock := [...]figure.Axis{
		tegra.KnobCPU: {Key: "cpu_khz", Per: 1e6},
		tegra.KnobGPU: {Key: "gpu_hz", Per: 1e9},
		tegra.KnobEMC: {Key: "mem_hz", Per: 1e9},
	}[k]
	clock.Name, clock.Unit = k.String(), "GHz"
	clock.Text = func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
	return clock
}

// KnobValue returns a mode's value on KnobAxis.
func KnobValue(m tegra.Mode, k tegra.Knob) float64 {
	if k == tegra.KnobCores {
		return float64(m.Cores)
	}
	return tegra.Freq(m.Value(k)).GHz()
}

// Held lists the values of the knobs that do not vary.
func Held(at tegra.Mode, varied ...tegra.Knob) string {
	var words []string
	for k := range tegra.NumKnobs {
		if slices.Contains(varied, k) {
			continue
		}
		words = append(words, strings.TrimSpace(fmt.Sprintf("%s %s %s", k, knobText(at, k), KnobAxis(k).Unit)))
	}
	return "held: " + strings.Join(words, ", ")
}

func knobText(m tegra.Mode, k tegra.Knob) string {
	if k == tegra.KnobCores {
		return strconv.Itoa(m.Cores)
	}
	return KnobAxis(k).Text(KnobValue(m, k))
}

// figureOf creates a figure of an outlook.
func figureOf(o *outlook.Outlook, kind, title string) figure.Figure {
	from := o.Model.Provenance
	from.Workload = o.Workload
	f := modelFigure(kind, title, from)
	if o.Several() {
		f.Lacks = "several batch sizes do not compare by clock or cores: choose one with " + usage.Batch.Value()
	}
	return f
}

// through lists the settings that match `at` in all knobs but the varied ones.
func through(o *outlook.Outlook, at tegra.Mode, varied ...tegra.Knob) []int {
	var out []int
	for i, p := range o.Known {
		same := true
		for k := range tegra.NumKnobs {
			same = same && (slices.Contains(varied, k) || p.Mode.Value(k) == at.Value(k))
		}
		if same {
			out = append(out, i)
		}
	}
	return out
}

// Largest returns the mode with the largest known value of each knob.
func Largest(o *outlook.Outlook) tegra.Mode {
	var most [tegra.NumKnobs]int64
	for _, p := range o.Known {
		for k, v := range p.Mode.Values() {
			most[k] = max(most[k], v)
		}
	}
	return tegra.ModeOfValues(most)
}

// HeatMap draws a quantity over two knobs, with the others held as in mode at. It marks the least value, and at if here
// is set.
func HeatMap(o *outlook.Outlook, of pareto.Axis, x, y tegra.Knob, at tegra.Mode, here bool) figure.Figure {
	f := figureOf(o, "heat", fmt.Sprintf("%s over %s and %s", of, x, y))
	f.X, f.Y = KnobAxis(x), KnobAxis(y)
	panel := figure.Panel{Axis: outlook.QuantityAxis(of, false), Series: []figure.Series{
		{Name: outlook.PredictedSeries, Shape: figure.Cells}, {Name: outlook.MeasuredSeries, Shape: figure.Cells}}}
	panel.Axis.Log = true
	for _, i := range through(o, at, x, y) {
		m := o.Known[i].Mode
		p := figure.Cell(KnobValue(m, x), KnobValue(m, y), o.Columns()[of][i]).Of(o.ModeText(m))
		s := &panel.Series[0]
		if o.At(i).Measured() {
			s = &panel.Series[1]
		}
		s.Points = append(s.Points, p)
	}
	least, found := panel.Least()
	if !found && f.Lacks == "" {
		f.Lacks = fmt.Sprintf("no data for modes with %s: choose other clocks, or other values to hold",
			strings.TrimPrefix(Held(at, x, y), "held: "))
	}
	if found {
		panel.Marks = append(panel.Marks, figure.Mark{Point: least, Glyph: '◆', Name: "least"})
		f.Notes = append(f.Notes, fmt.Sprintf("least: %s %s at %s", text.Of(least.V), panel.Axis.Unit, least.Name))
	}
	if here {
		p := figure.Cell(KnobValue(at, x), KnobValue(at, y), math.NaN()).Of(o.ModeText(at))
		panel.Marks = append(panel.Marks, figure.Mark{Point: p, Glyph: '◉', Name: "here", Here: true})
	}
	f.Notes = append(f.Notes, Held(at, x, y))
	f.Panels = []figure.Panel{panel}
	return f
}

// Curves draws time, power and energy over one knob, with the others held as in mode at and with the limits. It marks
// at if here is set.
func Curves(o *outlook.Outlook, over tegra.Knob, at tegra.Mode, l metric.Goal, here bool) figure.Figure {
	f := figureOf(o, "curves", "time, power and energy over "+over.String())
	f.X = KnobAxis(over)
	f.Notes = []string{Held(at, over)}
	list := through(o, at, over)
	sorted.By(list, func(a, b int) int {
		return cmp.Compare(o.Known[a].Mode.Value(over), o.Known[b].Mode.Value(over))
	})
	for _, of := range []pareto.Axis{pareto.Time, pareto.Power, pareto.Energy} {
		panel := figure.Panel{Axis: outlook.QuantityAxis(of, false)}
		predicted := figure.Series{Name: outlook.PredictedSeries, Shape: figure.Line, Bounds: bands}
		measured := figure.Series{Name: outlook.MeasuredSeries, Shape: figure.Marks}
		if o.Predictor == nil {
			predicted.Name, predicted.Bounds = outlook.MeasuredSeries, ""
		}
		for _, i := range list {
			x, p := KnobValue(o.Known[i].Mode, over), o.Predicted[i]
			q := p.Measured
			q.Batch = 0
			at := figure.At(x, of.Of(q)).Of(o.ModeText(p.Mode))
			switch of {
			case pareto.Time:
				at = at.Within(p.TimeLoMS, p.TimeHiMS)
			case pareto.Power:
				at = at.Within(p.PowerLoW, p.PowerHiW)
			}
			predicted.Points = append(predicted.Points, at)
			if o.At(i).Measured() {
				measured.Points = append(measured.Points, figure.At(x, o.Columns()[of][i]).Of(o.ModeText(p.Mode)))
			}
		}
		panel.Series = []figure.Series{predicted, measured}
		for b := range l.Limits.Each() {
			if b.Key == of.String() {
				panel.Limits = []figure.Limit{{At: b.Value, Name: "limit"}}
			}
		}
		if i := slices.IndexFunc(list, func(i int) bool { return o.Known[i].Mode == at }); here && i >= 0 {
			p := figure.At(KnobValue(at, over), o.Columns()[of][list[i]])
			panel.Marks = []figure.Mark{{Point: p, Glyph: '◉', Name: "here", Here: true}}
		}
		f.Panels = append(f.Panels, panel)
	}
	if len(list) < 2 && f.Lacks == "" {
		f.Lacks = fmt.Sprintf("%s has only one value at %s: choose another clock, or other values to hold", over,
			strings.TrimPrefix(Held(at, over), "held: "))
	}
	return f
}

// Cloud draws all settings in the plane of two quantities, and their Pareto front.
func Cloud(o *outlook.Outlook, plane int, l metric.Goal) figure.Figure {
	return CloudOf(o, serving.Trades(o, serving.Unit{}, l, nil)[plane])
}

// CloudOf is Cloud for a given pair of quantities.
func CloudOf(o *outlook.Outlook, t serving.Trade) figure.Figure {
	f := figureOf(o, "front", fmt.Sprintf("%s and %s of all modes", t.Across.Word, t.Up.Word))
	f.Lacks = ""
	f.X = t.Across.Axis
	panel := figure.Panel{Axis: t.Up.Axis}
	panel.Axis.Log, panel.Axis.Zero = false, true
	at := func(i int) figure.Point {
		return figure.At(t.Across.Values[i], t.Up.Values[i]).Of(o.ModeText(o.Known[i].Mode))
	}
	front := figure.Series{Name: "front", Shape: figure.Rings}
	predicted := figure.Series{Name: outlook.PredictedSeries, Shape: figure.Dots}
	measured := figure.Series{Name: outlook.MeasuredSeries, Shape: figure.Marks}
	for _, i := range t.Front(nil) {
		front.Points = append(front.Points, at(i))
	}
	for i := range o.Known {
		if o.At(i).Measured() {
			measured.Points = append(measured.Points, at(i))
		} else {
			predicted.Points = append(predicted.Points, at(i))
		}
	}
	panel.Series = []figure.Series{predicted, front, measured}
	for _, q := range []*serving.Quantity{t.Up, t.Across} {
		if q.Limit > 0 {
			name := fmt.Sprintf("limit %s %s", text.Of(q.Limit), q.Unit)
			panel.Limits = append(panel.Limits, figure.Limit{At: q.Limit, Name: name, Across: q == t.Across})
		}
	}
	f.Panels = []figure.Panel{panel}
	return f
}

// modelFigure creates a figure of a model or samples.
func modelFigure(kind, title string, from learn.Provenance) figure.Figure {
	f := figure.Figure{Kind: kind, Title: title + ": " + from.Workload, Virtual: from.Virtual}
	if from.Device != "" {
		f.Title += " on " + from.Device
	}
	if mark := tegra.VirtualMark(from.Origin()); mark != "" {
		f.Title += "  " + mark
	}
	return f
}

// assessmentFigure creates a figure of an assessment; if the assessment lacks data, the figure says so.
func assessmentFigure(a outlook.Assessment, kind, title string) figure.Figure {
	f := modelFigure(kind, title, a.Model.Provenance)
	switch why := outlook.TooSlow(a.Model); {
	case why != "":
		f.Lacks = why
	case a.Err != nil:
		f.Lacks = a.Err.Error()
	case len(a.Left) < 2:
		f.Lacks = "too few measured modes to leave one out"
	}
	return f
}

// valueOf returns a left-out mode's measured and predicted values and the prediction's band; energy has no band.
func valueOf(l learn.LeftOut, of pareto.Axis) (measured, predicted, lo, hi float64) {
	switch p := l.Prediction; of {
	case pareto.Time:
		return l.Measured.TimeMS, p.TimeMS, p.TimeLoMS, p.TimeHiMS
	case pareto.Power:
		return l.Measured.PowerW, p.PowerW, p.PowerLoW, p.PowerHiW
	}
	return l.Measured.EnergyJ(), l.Prediction.EnergyJ(), math.NaN(), math.NaN()
}

// Predicted draws each measured mode against its prediction by a model that was fitted without it; correct predictions
// are on the diagonal.
func Predicted(a outlook.Assessment, of pareto.Axis) figure.Figure {
	f := assessmentFigure(a, "predicted", of.String()+", predicted against measured")
	panel := figure.Panel{Axis: outlook.QuantityAxis(of, false)}
	f.X = panel.Axis
	f.X.Key, f.X.Name, f.X.Log = panel.Axis.KeyOf("measured"), "measured", true
	panel.Axis.Name, panel.Axis.Log = "predicted "+of.String(), true
	points := figure.Series{Name: "left out", Shape: figure.Marks}
	var all []float64
	for _, l := range a.Left {
		x, y, lo, hi := valueOf(l, of)
		points.Points = append(points.Points, figure.At(x, y).Within(lo, hi).Of(l.Measured.Mode.String()))
		all = append(all, x, y)
	}
	scale := axis.NewScale(all, true)
	f.X.Part, panel.Axis.Part = &scale, &scale
	exact := figure.Series{Name: "exact", Shape: figure.Line, Points: []figure.Point{
		figure.At(scale.Lo, scale.Lo), figure.At(scale.Hi, scale.Hi)}}
	panel.Series = []figure.Series{exact, points}
	f.Notes = []string{"each mode left out, then predicted; bars: 95 % bands"}
	if f.Lacks == "" && of != pareto.Time && !a.Model.HasPower() {
		f.Lacks = "power was not measured"
	}
	f.Panels = []figure.Panel{panel}
	return f
}

// Bars draws predicted and measured values next to each other, mode by mode.
func Bars(a outlook.Assessment) figure.Figure {
	f := assessmentFigure(a, "bars", "predicted against measured")
	f.RowKey = "mode"
	left := slices.Clone(a.Left)
	sorted.Stable(left, func(x, y learn.LeftOut) int {
		return cmp.Compare(x.Measured.TimeMS, y.Measured.TimeMS)
	})
	axes := []pareto.Axis{pareto.Time}
	if a.Model.HasPower() {
		axes = append(axes, pareto.Power)
	}
	for _, of := range axes {
		panel := figure.Panel{Axis: outlook.QuantityAxis(of, false)}
		panel.Axis.Zero = of == pareto.Power // times differ by factors
		measured := figure.Series{Name: outlook.MeasuredSeries, Shape: figure.Bars}
		predicted := figure.Series{Name: outlook.PredictedSeries, Shape: figure.Ticks}
		for row, l := range left {
			m, p, lo, hi := valueOf(l, of)
			measured.Points = append(measured.Points, figure.In(row, m))
			predicted.Points = append(predicted.Points, figure.In(row, p).Within(lo, hi))
		}
		panel.Series = []figure.Series{measured, predicted}
		f.Panels = append(f.Panels, panel)
	}
	for _, l := range left {
		f.Rows = append(f.Rows, l.Measured.Mode.String())
	}
	f.Notes = []string{"each mode left out, then predicted, with its 95 % band"}
	return f
}

// ByRegion draws the error in each part of each knob's range.
func ByRegion(a outlook.Assessment) figure.Figure {
	f := assessmentFigure(a, "regions", "error by region")
	f.RowKey = "region"
	regions := a.Regions()
	if f.Lacks == "" && regions == nil {
		f.Lacks = "too few measured modes to divide the space"
	}
	errorOf := func(key, name string, of func(outlook.Region) float64) figure.Panel {
		bars := figure.Series{Name: "error", Shape: figure.Bars}
		for row, r := range regions {
			bars.Points = append(bars.Points, figure.In(row, of(r)))
		}
		axis := figure.Axis{Key: key, Name: name, Unit: "%", Zero: true, Text: text.Of}
		return figure.Panel{Axis: axis, Series: []figure.Series{bars}}
	}
	for _, r := range regions {
		f.Rows = append(f.Rows, fmt.Sprintf("%s %s, n %d", r.Knob, span(r), r.Modes))
	}
	f.Panels = []figure.Panel{errorOf("time_error_pct", "time", func(r outlook.Region) float64 { return r.TimePct })}
	if a.Model.HasPower() {
		f.Panels = append(f.Panels, errorOf("power_error_pct", "power",
			func(r outlook.Region) float64 { return r.PowerPct }))
	}
	f.Notes = []string{"of modes left out, by the values of each clock"}
	if r, found := a.Weakest(); found {
		f.Notes = append(f.Notes, fmt.Sprintf("The model is weakest at %s %s: measure more modes there.",
			r.Knob, span(r)))
	}
	return f
}

// span formats the region's part of its knob's range: cores as a number, clocks in GHz.
func span(r outlook.Region) string {
	one := func(v float64) string {
		if r.Knob == tegra.KnobCores {
			return strconv.FormatFloat(v, 'f', 0, 64)
		}
		return KnobAxis(r.Knob).Text(tegra.Freq(v).GHz())
	}
	if r.Lo == r.Hi {
		return one(r.Lo)
	}
	return one(r.Lo) + " – " + one(r.Hi)
}

// Importance draws the effect of each knob on time and power, with the others at their largest value.
func Importance(a outlook.Assessment) figure.Figure {
	f := modelFigure("importance", "what each clock, or the cores alone, changes", a.Model.Provenance)
	f.RowKey = "knob"
	effect := func(key, name string, of func(learn.KnobEffect) float64) figure.Panel {
		bars := figure.Series{Name: "largest over smallest", Shape: figure.Bars}
		for row, e := range a.Effects {
			bars.Points = append(bars.Points, figure.In(row, of(e)))
		}
		axis := figure.Axis{Key: key, Name: name, Unit: "×", Log: true, From: 1, Text: text.Of}
		return figure.Panel{Axis: axis, Series: []figure.Series{bars}}
	}
	for _, e := range a.Effects {
		f.Rows = append(f.Rows, e.Knob.String())
	}
	f.Panels = []figure.Panel{effect("time_ratio", "time", func(e learn.KnobEffect) float64 { return e.TimeX })}
	if a.Model.HasPower() {
		power := effect("power_ratio", "power", func(e learn.KnobEffect) float64 { return e.PowerX })
		f.Panels = append(f.Panels, power)
	}
	most := 1.01
	for _, p := range f.Panels {
		for _, v := range p.Span() {
			if axis.Finite(v) {
				most = max(most, v)
			}
		}
	}
	for i := range f.Panels { // one scale, so that the bars can be compared
		f.Panels[i].Axis.Part = &axis.Scale{Lo: 1, Hi: most, Log: true}
	}
	f.Notes = []string{"the largest over the smallest value while one clock varies, the others at their largest"}
	if a.Decides != "" {
		f.Notes = append(f.Notes, a.Decides)
	}
	return f
}

// KnobOf finds a knob by name: cores, cpu, gpu, and mem or emc.
func KnobOf(name string) (tegra.Knob, bool) {
	if name = strings.ToLower(name); name == "mem" {
		name = "emc"
	}
	for k := range tegra.NumKnobs {
		if strings.ToLower(k.String()) == name {
			return k, true
		}
	}
	return 0, false
}

// ParseMode parses a mode in the compact notation; without a space, a mode of the samples.
func ParseMode(o *outlook.Outlook, mode string) (tegra.Mode, error) {
	if o.Space() != nil {
		return o.Space().Parse(mode)
	}
	modes := make([]tegra.Mode, len(o.Known))
	for i, p := range o.Known {
		modes[i] = p.Mode
	}
	space, err := tegra.Spanned(modes)
	if err != nil {
		return tegra.Mode{}, err
	}
	return space.Parse(mode)
}

// Figure draws a Pareto front under a load.
func Figure(s *serving.LoadView, front []mix.Outcome, energy bool) figure.Figure {
	a, o := s.Ask, s.Outlook()
	axis, cost := serving.ServedCost(a, energy)
	quantile := serving.QuantileText(a.Quantile)
	f := figureOf(o, "front under load", fmt.Sprintf("%s and %s at %s", quantile, axis.Name, a.Load))
	f.Lacks = ""
	f.X = figure.Axis{Key: "latency_ms", Name: quantile + " at " + a.Load.String(), Unit: "ms"}
	axis.Zero = true
	line := figure.Series{Name: outlook.PredictedSeries, Shape: figure.Rings}
	for _, v := range front {
		name := o.ModeText(v.Mode)
		if o.Several() {
			name += fmt.Sprintf(" at batch size %d", v.Batch)
		}
		line.Points = append(line.Points, figure.At(v.LatencyMS, cost(v)).Of(name))
	}
	f.Notes = append(f.Notes, "settings within "+a.String())
	f.Panels = []figure.Panel{{Axis: axis, Series: []figure.Series{line}}}
	return f
}

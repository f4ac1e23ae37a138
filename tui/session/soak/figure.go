package soak

import (
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/internal/axis"
	"jtune/internal/figure"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry/hold"
)

// Point is a point on a soak's curves.
type Point struct {
	AtS     float64 // since the load started
	PowerW  tegra.Val[float64]
	Amperes tegra.Val[float64] // of the supply rail
	TjC     tegra.Val[float64]
}

// Curves are power, current and temperature of a soak, running or finished, with their limits and the predicted
// steady-state temperature.
type Curves struct {
	Title   string
	Virtual bool
	Points  []Point
	Limits  metric.Limits
	hold.State
	Until time.Duration // end of the load; 0: unknown
}

// View is the state of a soak for a screen.
type View struct {
	Mode   tegra.Val[tegra.Mode] // absent: the board's present mode
	Now    Status
	Curves Curves
}

// Follow adds the status of a soak.
func (v *View) Follow(st Status) {
	v.Now, v.Mode = st, st.Mode
	if st.Phase != Loading {
		return
	}
	c := &v.Curves
	c.Points = append(c.Points, Point{AtS: st.At.Seconds(), PowerW: st.PowerW, Amperes: st.Amperes, TjC: st.TjC})
	c.Limits, c.State, c.Until = st.Limits, st.State, st.For
}

// Curves returns the curves of a stored soak.
func (k Kept) Curves() Curves {
	v := k.Result
	c := Curves{Title: "the soak: " + k.Header.Workload.Name, Virtual: v.Virtual, Limits: k.Limits, State: v.State,
		Until: time.Duration(v.DurationS * float64(time.Second))}
	if mark := tegra.VirtualMark(k.Header.Device.Board().Origin()); mark != "" {
		c.Title += "  " + mark
	}
	rail := v.Peak.Rail.Or("")
	for _, s := range k.Course {
		c.Points = append(c.Points, Point{s.AtS, s.Reading.TotalW, s.Rail(rail).Amperes, s.TjC()})
	}
	return c
}

// limit returns the limit of a curve: the given one, else the board's own.
func limit(given, peak, left tegra.Val[float64]) tegra.Val[float64] {
	if given.OK {
		return given
	}
	return tegra.Val[float64]{V: peak.V + left.V, OK: peak.OK && left.OK}
}

// quantity is one curve.
type quantity struct {
	axis   figure.Axis
	course []Point
	of     func(Point) tegra.Val[float64]
	most   bool // take the maximum of a bin, else the mean
	limit  tegra.Val[float64]
}

// quantities returns the curves of a soak. With a power limit the curve is the 1-minute mean that the limit applies to.
func (c Curves) quantities() []quantity {
	power := quantity{figure.Axis{Key: "power_w", Name: "module", Unit: "W", Zero: true}, c.Points,
		func(p Point) tegra.Val[float64] { return p.PowerW }, true, c.Limits.Val(metric.Power)}
	if c.Limits.Val(metric.Power).OK {
		power.axis.Name, power.course, power.most = "module, by minute", minuteMeans(c.Points), false
	}
	return []quantity{power,
		{figure.Axis{Key: "current_a", Name: c.Peak.Rail.Or(""), Unit: "A", Zero: true}, c.Points,
			func(p Point) tegra.Val[float64] { return p.Amperes }, true,
			limit(c.Limits.Val(metric.Current), c.Peak.Amperes, c.Margins.Amperes)},
		{figure.Axis{Key: "tj_c", Name: "hottest zone", Unit: "°C"}, c.Points,
			func(p Point) tegra.Val[float64] { return p.TjC }, false,
			limit(c.Limits.Val(metric.Temperature), c.Peak.TjC, c.Margins.TjC)}}
}

// minuteMeans returns the points with the mean power of the preceding minute.
func minuteMeans(points []Point) []Point {
	out, from, sum, n := slices.Clone(points), 0, 0.0, 0.0
	for i, p := range points {
		if p.PowerW.OK {
			sum, n = sum+p.PowerW.V, n+1
		}
		for ; points[from].AtS <= p.AtS-60; from++ {
			if old := points[from].PowerW; old.OK {
				sum, n = sum-old.V, n-1
			}
		}
		out[i].PowerW = tegra.Val[float64]{}
		if n > 0 {
			out[i].PowerW = tegra.Some(sum / n)
		}
	}
	return out
}

// span returns the end of the time axis in seconds: the end of the load, or the last point where that is unknown.
func (c Curves) span() float64 {
	last := c.Points[len(c.Points)-1].AtS
	if c.Until > 0 || !c.predicts() {
		return max(c.Until.Seconds(), last)
	}
	return last / (1 - predictedShare)
}

// predicts reports whether the steady-state temperature is predicted and not yet reached.
func (c Curves) predicts() bool { return c.Steady.TjC.OK && !c.Steady.Reached }

// Figure draws the curves over minutes under load, each with its limit; ok is false with too few points.
func (c Curves) Figure() (f figure.Figure, ok bool) {
	if len(c.Points) < 2 {
		return f, false
	}
	f = figure.Figure{Kind: "soak", Title: c.Title, Virtual: c.Virtual,
		X: figure.Axis{Key: "t_min", Name: "time under load", Unit: "min", Part: &axis.Scale{Hi: c.span() / 60}}}
	for _, q := range c.quantities() {
		points := binned(q.course, q.of, q.most)
		if len(points) < 2 {
			continue
		}
		panel := figure.Panel{Axis: q.axis, Series: []figure.Series{{Name: outlook.MeasuredSeries, Shape: figure.Line,
			Points: points}}}
		if end := c.end(); q.axis.Key == "tj_c" && end != nil {
			panel.Series = append(panel.Series, figure.Series{Name: outlook.PredictedSeries, Shape: figure.Line,
				Bounds: "its 90 % band", Points: end})
		}
		if l := q.limit; l.OK { // extend the scale to include it
			panel.Limits = []figure.Limit{{At: l.V, Name: fmt.Sprintf("limit %g %s", math.Round(l.V*100)/100,
				q.axis.Unit)}}
			scale := q.axis.Scale(append(panel.Span(), l.V))
			panel.Axis.Part = &scale
		}
		f.Panels = append(f.Panels, panel)
	}
	return f, len(f.Panels) > 0
}

// predictedShare is the part of the time axis, at its end, that the predicted steady-state temperature takes at least.
const predictedShare = 0.15

// end returns the predicted steady-state temperature as points from the end of the curve to the end of the axis; nil if
// it is reached or unknown.
func (c Curves) end() []figure.Point {
	if !c.predicts() {
		return nil
	}
	to := c.span()
	from := min(c.Points[len(c.Points)-1].AtS, (1-predictedShare)*to)
	const parts = 8
	var out []figure.Point
	for i := range parts {
		at := from + (to-from)*float64(i+1)/parts
		out = append(out, figure.At(at/60, c.Steady.TjC.V).Within(c.Steady.LoC.V, c.Steady.HiC.V))
	}
	return out
}

// mostPoints caps the points of a curve.
const mostPoints = 300

// binned returns at most mostPoints points of a curve.
func binned(course []Point, of func(Point) tegra.Val[float64], most bool) (out []figure.Point) {
	step := 1 + len(course)/mostPoints
	for chunk := range slices.Chunk(course, step) {
		sum, n, top := 0.0, 0.0, math.Inf(-1)
		for _, p := range chunk {
			if v := of(p); v.OK {
				sum, n, top = sum+v.V, n+1, max(top, v.V)
			}
		}
		if n == 0 {
			continue
		}
		v := sum / n
		if most {
			v = top
		}
		out = append(out, figure.At(chunk[len(chunk)/2].AtS/60, math.Round(v*1000)/1000))
	}
	return out
}

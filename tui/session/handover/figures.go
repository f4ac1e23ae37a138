package handover

import (
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/internal/document"
	"jtune/internal/figure"
	"jtune/internal/text"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry/hold"
	"jtune/tui/session/plots"
	"jtune/tui/session/soak"
)

// cloud is all modes in the plane of time and power with the answers marked, thinned out so that the page stays small.
func (r Report) cloud() figure.Figure {
	var limit optimize.Limit
	if r.Kept != nil {
		limit = r.Kept.Answers[0].Limit
	}
	f := plots.Cloud(r.Known, 0, limit)
	for i := range f.Panels[0].Series {
		s := &f.Panels[0].Series[i]
		if s.Shape != figure.Dots {
			continue
		}
		step := 1 + len(s.Points)/mostDots
		var kept []figure.Point
		for at := 0; at < len(s.Points); at += step {
			kept = append(kept, s.Points[at])
		}
		s.Points = kept
	}
	if r.Kept == nil {
		return f
	}
	for i, a := range r.Kept.Answers {
		name := "answer"
		if len(r.Kept.Answers) > 1 {
			name = fmt.Sprintf("answer %d", i+1)
		}
		best := a.Best()
		f.Panels[0].Marks = append(f.Panels[0].Marks, figure.Mark{Point: figure.At(best.TimeMS, best.PowerW),
			Name: name})
	}
	return f
}

// proof is whether an answer's mode holds.
func (r Report) proof(i int, m tegra.Mode) []document.Part {
	if s := r.Soaks[i]; s != nil {
		return soakParts(s)
	}
	return []document.Part{document.Heading("Does it hold?"),
		document.Text("Not known: no soak of this mode was kept. " +
			"This proves it:"), document.Code(r.Commands.Prove(r.job(), r.Space.Format(m)))}
}

// job is the workload as a command to copy names it: any other name may mean something to a shell.
func (r Report) job() string {
	if name := r.Header.Workload.Name; name != "" && name == record.SafeName(name) {
		return name
	}
	return "WORKLOAD"
}

// soakParts are the verdict of a soak, its margins and its curves.
func soakParts(s *soak.Kept) []document.Part {
	v := s.Result
	tone := map[hold.Verdict]document.Tone{hold.Holds: document.Good, hold.DoesNotHold: document.Bad}[v.Verdict]
	verdict := fmt.Sprintf("It %s: %s", v.Verdict, v.Reason)
	if v.Verdict == hold.NotSeen {
		verdict = "Whether it holds is not known: " + v.Reason
	}
	if !s.Ended {
		verdict += " (worked out of its samples: it was ended from outside)"
	}
	parts := []document.Part{document.Heading("Does it hold?"), document.Claim{Text: verdict, Tone: tone},
		marginTable(s)}
	facts := document.Facts{
		{"job", s.Header.Workload.Name},
		{"lasted", spell(v.DurationS)},
		{"temperature", steadyText(v.Steady)},
		{"measured", day(s.Header.Created)}}
	for _, e := range v.Events[:min(len(v.Events), mostEvents)] {
		facts = append(facts, [2]string{"after " + spell(e.AtS), e.What})
	}
	if more := len(v.Events) - mostEvents; more > 0 {
		facts = append(facts, [2]string{"", text.Count(more, "further event")})
	}
	parts = append(parts, facts)
	if f, ok := curves(s); ok {
		parts = append(parts, document.Drawing{Figure: f})
	}
	return parts
}

// mostEvents is how many events of a soak a report lists.
const mostEvents = 20

func spell(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

func steadyText(s hold.Steady) string {
	switch {
	case !s.TjC.OK:
		return "where it ends was not seen"
	case s.Reached:
		return fmt.Sprintf("steady at %.0f °C", s.TjC.V)
	}
	return fmt.Sprintf("not steady yet; would end at %.0f °C (%.0f to %.0f)", s.TjC.V, s.LoC.V, s.HiC.V)
}

// marginTable is what was seen at most beside its limit.
func marginTable(s *soak.Kept) document.Table {
	v := s.Result
	t := document.Table{Head: []string{"", "seen", "limit", "left"}, Numbers: 1}
	row := func(name string, seen, left tegra.Val[float64], sign float64, unit, form string) {
		show := func(x tegra.Val[float64]) string {
			if !x.OK {
				return "–"
			}
			return fmt.Sprintf(form, x.V) + " " + unit
		}
		limit := tegra.Val[float64]{V: seen.V + sign*left.V, OK: seen.OK && left.OK}
		t.Rows = append(t.Rows, []string{name, show(seen), show(limit), show(left)})
	}
	row("most power of the module", v.Peak.PowerW, v.Margins.PowerW, 1, "W", "%.2f")
	row("most current, "+v.Peak.Rail.Or("–"), v.Peak.Amperes, v.Margins.Amperes, 1, "A", "%.2f")
	row("hottest zone", v.Peak.TjC, v.Margins.TjC, 1, "°C", "%.1f")
	row("least voltage, "+v.Least.Rail.Or("–"), v.Least.Volts, v.Margins.Volts, -1, "V", "%.3f")
	return t
}

// mostPoints is how many points a curve has.
const mostPoints = 300

// curves are power, current and temperature of a soak by minutes, each with its limit.
func curves(s *soak.Kept) (f figure.Figure, ok bool) {
	if len(s.Course) < 2 {
		return f, false
	}
	f = figure.Figure{Kind: "soak", Title: "the soak: " + s.Header.Workload.Name, Virtual: s.Result.Virtual,
		X: figure.Axis{Key: "t_min", Name: "time under load", Unit: "min"}}
	if mark := tegra.VirtualMark(s.Header.Device.Board().Origin()); mark != "" {
		f.Title += "  " + mark
	}
	rail := s.Result.Peak.Rail.Or("")
	v := s.Result
	limit := func(given, peak, left tegra.Val[float64]) tegra.Val[float64] {
		if given.OK {
			return given
		}
		return tegra.Val[float64]{V: peak.V + left.V, OK: peak.OK && left.OK}
	}
	for _, c := range []struct {
		axis  figure.Axis
		of    func(soak.Seen) tegra.Val[float64]
		most  bool // of a bin's samples the largest, else the mean
		limit tegra.Val[float64]
	}{
		{figure.Axis{Key: "power_w", Name: "module", Unit: "W", Zero: true},
			func(x soak.Seen) tegra.Val[float64] { return x.Reading.TotalW }, true, s.Limits.PowerW},
		{figure.Axis{Key: "current_a", Name: rail, Unit: "A", Zero: true},
			func(x soak.Seen) tegra.Val[float64] { return x.Rail(rail).Amperes }, true,
			limit(s.Limits.Amperes, v.Peak.Amperes, v.Margins.Amperes)},
		{figure.Axis{Key: "tj_c", Name: "hottest zone", Unit: "°C"}, soak.Seen.TjC, false,
			limit(s.Limits.TempC, v.Peak.TjC, v.Margins.TjC)},
	} {
		points := binned(s.Course, c.of, c.most)
		if len(points) < 2 {
			continue
		}
		panel := figure.Panel{Axis: c.axis, Series: []figure.Series{{Name: outlook.MeasuredSeries, Shape: figure.Line,
			Points: points}}}
		if l := c.limit; l.OK { // the scale holds it
			panel.Limits = []figure.Limit{{At: l.V, Name: fmt.Sprintf("limit %g %s", math.Round(l.V*100)/100,
				c.axis.Unit)}}
			scale := c.axis.Scale(append(panel.Span(), l.V))
			panel.Axis.Part = &scale
		}
		f.Panels = append(f.Panels, panel)
	}
	return f, len(f.Panels) > 0
}

// binned are the points of a curve, at most mostPoints.
func binned(course []soak.Seen, of func(soak.Seen) tegra.Val[float64], most bool) (out []figure.Point) {
	step := 1 + len(course)/mostPoints
	for chunk := range slices.Chunk(course, step) {
		sum, n, top := 0.0, 0.0, math.Inf(-1)
		for _, s := range chunk {
			if v := of(s); v.OK {
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

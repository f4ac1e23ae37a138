package page

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize/serving"
	"jtune/optimize/standing"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/tui/session/study"
	"jtune/tui/widget"
)

// Num formats a value with that many decimals, or a dash.
func Num(v tegra.Val[float64], decimals int) string {
	if !v.OK {
		return widget.Dash
	}
	return widget.Number(v.V, decimals)
}

// Unit formats a value with its unit, or a dash.
func Unit(v tegra.Val[float64], decimals int, u string) string {
	if s := Num(v, decimals); s != widget.Dash {
		return s + " " + u
	}
	return widget.Dash
}

// Percent formats a share, 0 to 1.
func Percent(share tegra.Val[float64]) string {
	if !share.OK {
		return widget.Dash
	}
	return fmt.Sprintf("%.0f %%", 100*share.V)
}

// GHz formats a clock in gigahertz with two decimals.
func GHz(f tegra.Val[tegra.Freq]) string {
	if !f.OK {
		return widget.Dash
	}
	return strconv.FormatFloat(f.V.GHz(), 'f', 2, 64)
}

// Figures are time, power and energy of a step with their bands, as text.
type Figures struct{ MS, BandMS, W, BandW, J string }

// FiguresOf formats a measurement; its bands are dashes.
func FiguresOf(m tegra.Measured) Figures {
	nan := math.NaN()
	return FiguresIn(learn.Prediction{Measured: m, TimeLoMS: nan, TimeHiMS: nan, PowerLoW: nan, PowerHiW: nan})
}

// FiguresIn formats a prediction with its 95 % bands.
func FiguresIn(p learn.Prediction) Figures {
	return Figures{
		MS:     widget.MS(p.TimeMS),
		BandMS: between(widget.MS(p.TimeLoMS), widget.MS(p.TimeHiMS)),
		W:      widget.Positive(p.PowerW, 1),
		BandW:  between(widget.Positive(p.PowerLoW, 1), widget.Positive(p.PowerHiW, 1)),
		J:      widget.Positive(p.EnergyJ(), 2),
	}
}

// Job returns the workload of the shown model; its name is "" if there is none.
func Job(read Reader) (w workload.Workload) {
	if v := read.Outlook(); v != nil {
		w, _ = read.Work().Find(v.Workload)
	}
	return w
}

// ListHeads returns the headings of the time and energy columns of a list of modes; under a load its times are
// latencies.
func ListHeads(w workload.Workload, s *serving.LoadView) (time, energy string) {
	if time, energy = Heads(w); s != nil {
		time = serving.QuantileText(s.Quantile) + " ms"
	}
	return time, energy
}

// Heads returns the headings of the time and energy columns: per step of a training, or per batch of inference.
func Heads(w workload.Workload) (time, energy string) {
	if w.Infers() {
		return "ms/b", "J/b"
	}
	return "ms/step", "J/step"
}

// UnitHeads returns the headings of the columns of units per second and energy per unit; "" for a training job.
func UnitHeads(w workload.Workload, l serving.Listing) (speed, energy string) {
	if !w.Infers() || l.Speed == nil {
		return "", ""
	}
	short := map[string]string{workload.UnitInference: "inf", workload.UnitToken: "tok"}[w.UnitName()]
	short = cmp.Or(short, w.UnitName())
	return short + "/s", l.Energy.Label + "/" + short
}

// FilterForm describes the syntax of a filter of modes.
func FilterForm(w workload.Workload) string {
	if w.Infers() {
		return "gpu<900MHz power<30 latency<50"
	}
	return "cores>=8 gpu<900MHz power<30"
}

// PerUnit formats units per second and energy per unit; "" for a training job.
func PerUnit(w workload.Workload, m tegra.Measured, batch int) (speed, energy string) {
	if !w.Infers() || !(m.TimeMS > 0) {
		return "", ""
	}
	n := w.UnitsPerBatch(batch)
	return text.Of(1000*n/m.TimeMS) + " " + w.UnitName() + "s/s",
		study.UnitEnergyText(m.EnergyJ()/n) + "/" + w.UnitName()
}

// Takes formats time and power of a minibatch, or of a batch of inference, in one line.
func Takes(w workload.Workload, m tegra.Measured) string {
	perTime, _ := Heads(w)
	return fmt.Sprintf("%s %s, %.1f W", widget.MS(m.TimeMS), perTime, m.PowerW)
}

// LatencyCell formats the latency of mode i of the view under the load. It is exact on request or if it was computed
// before, otherwise interpolated.
func LatencyCell(s *serving.LoadView, i int, exact bool) string {
	if exact {
		s.AtMode(i)
	}
	o, rough := s.Rough(i)
	switch {
	case math.IsInf(o.LatencyMS, 1):
		return "grows" // requests arrive faster than they are answered
	case rough:
		return "~" + widget.MS(o.LatencyMS)
	}
	return widget.MS(o.LatencyMS)
}

// YesNo formats a Boolean that may be unknown.
func YesNo(v tegra.Val[bool]) string {
	switch {
	case !v.OK:
		return widget.Dash
	case v.V:
		return "YES"
	}
	return "no"
}

// StandingText shows how a mode compares with the limit, as a mark and in words. Only modes that are measured or
// certain to be within the limit are ticked and green.
func StandingText(s standing.Standing) string {
	text := strings.TrimSpace(StandingMark(s) + " " + s.String())
	switch {
	case s.Ticked():
		return widget.StyleGood.Render(text)
	case s.Limited && !s.Within():
		return widget.StyleWarn.Render(text)
	}
	return text
}

// StandingMark returns only the mark; "" without a limit.
func StandingMark(s standing.Standing) string {
	switch {
	case !s.Limited || s.State == standing.Unknown:
		return ""
	case s.Ticked():
		return "✓"
	case s.Within():
		return "~"
	case s.State == standing.Doubtful:
		return "?"
	}
	return "✗"
}

// LoadText describes the load after the workload's name in a title; "" if there is none.
func LoadText(r Reader) string {
	switch s := r.Served(); {
	case s != nil:
		return ", " + s.Title()
	case r.Goal().Load.Any():
		return ", working out the load …"
	}
	return ""
}

// GoalText formats the limits, and the load under which they hold.
func GoalText(g metric.Question) string { return cmp.Or(g.String(), "none") }

// Gigabytes formats bytes as GB with one decimal, or a dash.
func Gigabytes(v tegra.Val[int64]) string {
	if !v.OK {
		return widget.Dash
	}
	return strconv.FormatFloat(float64(v.V)/1e9, 'f', 1, 64)
}

// KnobText formats a mode's value of a knob.
func KnobText(m tegra.Mode, k tegra.Knob) string {
	switch {
	case k == tegra.KnobCores:
		return fmt.Sprintf("%d", m.Cores)
	case m.Value(k) == 0: // unknown without root
		return widget.Dash
	}
	return GHz(tegra.Some(tegra.Freq(m.Value(k)))) + " GHz"
}

// BatchText formats a batch size with a leading space; "" if it is not an input.
func BatchText(batch int) string { return text.IfAny(" batch %d", batch) }

// between formats a band; a dash if there is none.
func between(lo, hi string) string {
	if lo == widget.Dash || hi == widget.Dash {
		return widget.Dash
	}
	return lo + "–" + hi
}

// SpeedText formats the speed of a virtual board's clock.
func SpeedText(x float64) string {
	if math.IsInf(x, 1) {
		return "×max"
	}
	return "×" + strconv.FormatFloat(x, 'g', 4, 64)
}

// DiskText formats the read rate of the disks: a dataset that the page cache holds is read once.
func DiskText(d telemetry.DiskRates) string {
	if !d.ReadsPerS.OK {
		return "disk reads " + widget.Dash
	}
	return fmt.Sprintf("disk %.0f reads/s, %.1f MB/s", d.ReadsPerS.V, d.BytesPerS.V/1e6)
}

// OwnCost formats the cost of the program itself in w columns.
func OwnCost(c telemetry.Cost, w int) string {
	rate := widget.Dash
	if c.BytesPerS.OK {
		rate = fmt.Sprintf("%.1f", c.BytesPerS.V/1000)
	}
	text := "jtune itself: " + Num(c.CPUPct, 1) + " % of one core, " + rate + " kB/s to this terminal"
	return widget.StyleDim.Render(widget.Wrap(text, w))
}

// Speeds are the keys for the clock's speed if it can be changed.
func Speeds(r Reader) Acts {
	if !r.Speed().OK {
		return nil
	}
	keys := r.Keys()
	return Acts{Shown(keys.Slower.With(keys.Faster, "speed").Doing("virtual clock slower, faster"))}
}

package profiles

import (
	"fmt"
	"math"
	"time"

	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/tegra/quantile"
	"jtune/telemetry"
)

var nan = math.NaN()

// verdict looks at what was collected: nil when it is a measurement.
func (m *measurement) verdict() *fault {
	during := m.during()
	throttled, foreign, valid, lastWhy := 0, 0, 0, "no sample came"
	var other tegra.Mode
	for _, s := range during {
		switch now := s.Reading.Mode; {
		case s.Reading.Throttled.Or(false):
			throttled++
		case now.OK && now.V != m.step.Mode:
			foreign, other = foreign+1, now.V
		}
		if s.Valid {
			valid++
		} else {
			lastWhy = s.Why
		}
	}
	n := float64(len(during))
	switch {
	case n > 0 && float64(throttled) > throttledPart*n:
		return &fault{Throttled, fmt.Sprintf("throttled by heat or over-current in %d of %d samples", throttled, len(during))}
	case 2*foreign > len(during):
		return failed("mode %s in force instead: does another program set clocks (nvpmodel, jetson_clocks)?", other)
	case valid == 0:
		return failed("no valid power sample among %d: %s", len(during), lastWhy)
	}
	return nil
}

// strays notes a clock that did not follow its limits in most samples. A note
// only: what the current-clock files mean differs from board to board, and
// the limits themselves were read back. Clocks are free with DVFS; one that
// reads zero is gated while idle.
func (m *measurement) strays() string {
	during := m.during()
	count, note := 0, ""
	for _, s := range during {
		if why := strays(s.Reading, m.step.Mode); why != "" && !m.set.DVFS {
			count, note = count+1, why
		}
	}
	if 2*count > len(during) {
		return "note: " + note
	}
	return ""
}

func strays(r tegra.Reading, set tegra.Mode) string {
	for _, c := range []struct {
		name string
		read tegra.Val[tegra.Freq]
		set  tegra.Freq
	}{{"CPU", r.CPU.Actual, set.CPU}, {"GPU", r.GPU.Actual, set.GPU}, {"memory", r.EMC.Actual, set.EMC}} {
		if c.read.OK && c.read.V > 0 && math.Abs(float64(c.read.V-c.set)) > clockTolerance*float64(c.set) {
			return fmt.Sprintf("%s clock reads %s where %s is set", c.name, c.read.V, c.set)
		}
	}
	return ""
}

// row makes the mode's row of what was collected.
func (m *measurement) row(f *fault) Row {
	r := Row{Measured: tegra.Measured{Mode: m.step.Mode, Batch: m.step.Batch}, Status: OK, Applied: m.applied.Actual.V, Raise: m.step.Raise, Minibatches: len(m.clean),
		TookS: (m.b.Clock.Now() - m.began).Seconds(), When: m.b.Clock.Wall()}
	if m.steady.Verdict() != telemetry.Settling {
		r.SettleS = (m.steady.At() - m.since).Seconds()
	}
	power, energy := m.power()
	r.PowerSamples = len(power)
	if m.watch != nil && len(m.clean) > 0 {
		c := m.watch.Finish()
		r.Character = &c
	}
	if f != nil {
		r.Status, r.Why = f.status, f.why
		return r
	}
	if m.steady.Verdict() == telemetry.Unstable {
		r.Status, r.Why = Unstable, fmt.Sprintf("power was not steady within %s", m.set.SteadyGiveUp)
	}
	times := make([]float64, len(m.clean))
	for i, e := range m.clean {
		times[i] = e.TimeMS
	}
	r.TimeMS, r.TimeIQRMS = quantile.Median(times).V, iqr(times)
	r.PowerW, r.PowerIQRW = toNanowatt(quantile.Median(power).V), toNanowatt(iqr(power))
	r.parts(m.clean)
	r.EnergyJ = energy.MeanW() * mean(times) / 1000
	for _, note := range []string{m.doubt(times), m.b.doubt, m.strays()} { // the graver first
		if r.Why == "" {
			r.Why = note
		}
	}
	return r
}

// parts sets the medians of the parts of the minibatches.
func (r *Row) parts(clean []harness.Event) {
	r.StallMS = part(clean, func(e harness.Event) tegra.Val[float64] { return e.StallMS })
	r.ComputeMS = part(clean, func(e harness.Event) tegra.Val[float64] { return e.ComputeMS })
	r.OverheadMS = part(clean, func(e harness.Event) tegra.Val[float64] { return e.OverheadMS })
}

// part is the median of a part of the clean minibatches; absent when one of
// them does not tell it.
func part(clean []harness.Event, of func(harness.Event) tegra.Val[float64]) tegra.Val[float64] {
	var list []float64
	for _, e := range clean {
		v := of(e)
		if !v.OK {
			return v
		}
		list = append(list, v.V)
	}
	return quantile.Median(list)
}

// power gives the valid samples' watts, and their energy over the clean
// minibatches by true sample times.
func (m *measurement) power() (watts []float64, e telemetry.Energy) {
	if len(m.clean) > 0 {
		e.Begin(m.clean[0].Began())
	}
	for _, s := range m.during() {
		if s.Valid {
			watts = append(watts, s.Reading.TotalW.V)
			e.Add(s.T, s.Reading.TotalW.V)
		}
	}
	return watts, e
}

// doubt compares the times that the job tells with the times at which it
// tells them; a job with buffered output tells in bursts, and one that tells
// seconds for milliseconds is a thousand times off. A note, not a verdict.
func (m *measurement) doubt(times []float64) string {
	if len(times) < 2 {
		return ""
	}
	passed := float64(m.clean[len(m.clean)-1].T-m.clean[0].T) / float64(time.Millisecond)
	told := 0.0
	for _, t := range times[1:] {
		told += t
	}
	switch {
	case told > 1.5*passed+500:
		return fmt.Sprintf("note: minibatches tell %.0f ms in all but came within %.0f ms: does the job flush its output after each line?", told, passed)
	case 20*told < passed:
		return fmt.Sprintf("note: minibatches tell %.3g ms in all but came over %.0f ms: is time_ms in milliseconds?", told, passed)
	}
	return ""
}

// toNanowatt takes off what adding up rails leaves in the last binary digits;
// sensors tell microwatts at best.
func toNanowatt(w float64) float64 { return math.Round(w*1e9) / 1e9 }

func iqr(v []float64) float64 { return quantile.Of(v, 0.75).V - quantile.Of(v, 0.25).V }

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(1, len(v)))
}

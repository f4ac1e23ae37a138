package run

import (
	"errors"
	"sync"
	"time"

	"jtune/internal/stats"
	"jtune/profiles/harness"
	"jtune/profiles/harness/detect"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
	"jtune/tui/session/measure"
)

// wholeMeter measures from the start of a command to its end.
type wholeMeter struct {
	s      *session.Session
	began  time.Duration
	cancel func()

	mu     sync.Mutex
	last   telemetry.Sample
	energy telemetry.Energy
	peaks  telemetry.Peaks
	joules map[string]float64 // of the rails with a power
	out    measure.Whole
	clocks [3]struct{ sum, n float64 }
}

// meterWhole starts measuring; nil if that was not requested.
func meterWhole(s *session.Session, r measure.RunRequest) *wholeMeter {
	if !r.Own {
		return nil
	}
	m := &wholeMeter{s: s, began: s.Clock.Now(), joules: map[string]float64{}}
	m.read()
	m.cancel = s.Sampler.Measure(r.Every, m.take)
	return m
}

// MeterWhole measures a command from now until the function that it returns is called.
func MeterWhole(s *session.Session) (end func() *measure.Whole) {
	return meterWhole(s, measure.RunRequest{Own: true, Every: sampleEvery}).end
}

// read takes a sample now.
func (m *wholeMeter) read() {
	if r, err := m.s.Device.Read(); err == nil {
		m.take(telemetry.Sample{T: m.s.Clock.Now(), Reading: r, Valid: telemetry.CheckPower(r) == ""})
	}
}

func (m *wholeMeter) take(x telemetry.Sample) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := powerOf(x)
	m.rails(x)
	m.last = x
	if o := &m.out; p.OK {
		o.PeakW = tegra.Some(max(p.V, o.PeakW.Or(p.V)))
	}
	for i, c := range []tegra.ClockReading{x.Reading.CPU, x.Reading.GPU, x.Reading.EMC} {
		if c.Actual.OK {
			m.clocks[i].sum += c.Actual.V.GHz()
			m.clocks[i].n++
		}
	}
	if t := x.Reading.Throttled; t.OK {
		m.out.Throttled = tegra.Some(t.V || m.out.Throttled.V)
	}
	if !x.PowerW().OK && p.OK {
		m.energy.Add(x.T, p.V)
	} else {
		m.energy.Sample(x)
	}
}

// powerOf returns the module's power, or that of an external meter if the module reports none.
func powerOf(x telemetry.Sample) tegra.Val[float64] {
	if p := x.PowerW(); p.OK {
		return p
	}
	return x.MeterW
}

// rails adds the share of each rail.
func (m *wholeMeter) rails(x telemetry.Sample) {
	m.peaks.Take(x.Reading)
	for _, r := range x.Reading.Rails {
		if r.PowerW.OK && m.last.T > 0 && x.T > m.last.T {
			m.joules[r.Name] += r.PowerW.V * (x.T - m.last.T).Seconds()
		}
	}
}

// end returns the totals; nil if nothing was measured.
func (m *wholeMeter) end() *measure.Whole {
	if m == nil {
		return nil
	}
	m.cancel()
	m.read()
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.out
	for _, r := range m.peaks.Rails {
		joules, known := m.joules[r.Name]
		o.Rails = append(o.Rails, measure.RailWhole{RailPeaks: r, EnergyJ: tegra.Val[float64]{V: joules, OK: known}})
	}
	o.WallS = (m.s.Clock.Now() - m.began).Seconds()
	if m.energy.Span() > 0 {
		o.MeanW, o.Error = tegra.Some(m.energy.MeanW()), m.energy.Error()
		o.EnergyJ = tegra.Some(o.MeanW.V * o.WallS)
	}
	for i, c := range []*tegra.Val[float64]{&o.CPU, &o.GPU, &o.EMC} {
		if m.clocks[i].n > 0 {
			*c = tegra.Some(m.clocks[i].sum / m.clocks[i].n)
		}
	}
	return &o
}

// readOf adds what a command's lines revealed to the result of its run. The error says why they cannot be read, where
// the run needs their steps to end.
func readOf(out *measure.RunResult, r measure.RunRequest, h harness.Harness, told error) error {
	d, ok := h.(harness.Detecting)
	if !ok {
		return told
	}
	reading, err, ok := d.Detected()
	switch {
	case !ok && out.Minibatches > 0: // events of the protocol
		out.Reading = &detect.Reading{Form: "jtune", What: "its own events", Unit: detect.Step, Steps: out.Minibatches,
			TimeMS: out.TimeMS, ErrorMS: out.Error.Time.V * out.TimeMS, MedianMS: out.MedianMS}
		if p := r.Workload.Pattern; p != "" { // a program that is read by name
			out.Reading.Form, out.Reading.What = p, "its own lines"
		}
		return told
	case !ok:
		return told
	case err == nil:
		out.Reading = &reading
		if r.Own {
			out.TimeMS, out.MedianMS = reading.TimeMS, stats.OrZero(reading.MedianMS)
			out.Error.Time = tegra.Finite(reading.ErrorMS / reading.TimeMS)
			if r.Minibatches == 0 {
				out.Minibatches = max(out.Minibatches, reading.Steps)
			}
			if w := out.Whole; w != nil && !out.Character.All.PowerW.OK {
				out.PowerW, out.Error.Power = w.MeanW, w.Error
			}
			out.EnergyJ = tegra.Val[float64]{V: out.PowerW.V * out.TimeMS / 1000, OK: out.PowerW.OK}
		}
		return told
	}
	unread, _ := errors.AsType[*harness.NotUnderstood](err)
	if unread != nil {
		out.Candidates = unread.Undecided.Candidates
	}
	out.Refused = r.Own && (errors.Is(told, harness.ErrNotUnderstood) || told == nil && !r.Workload.ToEnd)
	switch {
	case told != nil || !r.Own:
		return told
	case out.Refused:
		return err
	case unread != nil && unread.Undecided.Kind != detect.Nothing:
		out.Unread = err.Error()
	}
	out.Minibatches, out.TimeMS, out.MedianMS = 0, 0, 0 // it is measured as a whole
	return nil
}

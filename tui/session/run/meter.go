package run

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"jtune/internal/stats"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
	"jtune/tui/session/measure"
)

// meter samples the device for a run's monitor, tracks whether power is steady, and keeps the latest power.
type meter struct {
	device  tegra.Device // nil: not started
	clock   tegra.Clock
	monitor *profiles.Monitor
	settle  *profiles.Settle
	look    func() // reads the job's output
	cancel  func()
	raw     *rawRun
	mu      sync.Mutex
	every   time.Duration
	lastT   time.Duration
	gaps    []float64 // intervals between samples in ms, the newest
	late    float64   // sum of the delays of those samples in ms
	taken   int
	latest  tegra.Val[float64]
	peaks   telemetry.Peaks
	fresh   atomic.Bool // a sample arrived since the last look
}

// start begins sampling; the job's output is read with each sample, so that the machine wakes once for both.
func (m *meter) start(s *session.Session, h harness.Harness, every time.Duration) {
	m.device, m.look, m.every = s.Device, func() {}, every
	if p, ok := h.(harness.Paced); ok {
		m.look = p.Pace()
	}
	m.cancel = s.Sampler.Measure(every, m.take)
}

func (m *meter) take(s telemetry.Sample) {
	m.monitor.Sample(s)
	m.settle.Sample(s)
	m.look()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lastT > 0 {
		if len(m.gaps) >= 2*keptTimings {
			m.gaps = append(m.gaps[:0], m.gaps[keptTimings:]...)
		}
		m.gaps = append(m.gaps, (s.T-m.lastT).Seconds()*1000)
	}
	m.lastT = s.T
	m.late, m.taken = m.late+s.Late.Seconds()*1000, m.taken+1
	m.peaks.Take(s.Reading)
	if p := s.PowerW(); p.OK {
		m.latest = p
	}
	m.fresh.Store(true)
}

// sampling returns how evenly samples arrived; nil for fewer than three.
func (m *meter) sampling() *measure.Sampling {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.gaps) < 2 {
		return nil
	}
	return &measure.Sampling{
		AskedMS:  m.every.Seconds() * 1000,
		MedianMS: stats.Median(m.gaps),
		LeastMS:  slices.Min(m.gaps),
		MostMS:   slices.Max(m.gaps),
		JitterMS: m.late / float64(m.taken),
		Samples:  len(m.gaps) + 1,
	}
}

// extremes returns the peaks so far.
func (m *meter) extremes() telemetry.Peaks {
	m.mu.Lock()
	defer m.mu.Unlock()
	return telemetry.Peaks{PowerW: m.peaks.PowerW, Rails: slices.Clone(m.peaks.Rails)}
}

// last returns the latest valid power; absent before the first.
func (m *meter) last() tegra.Val[float64] {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.latest
}

// stop ends sampling and returns the latest valid power, read once more if there is none; absent if no reading is valid
// or sampling never started.
func (m *meter) stop() tegra.Val[float64] {
	if m.device == nil {
		return tegra.Val[float64]{}
	}
	now, err := m.device.Read() // the job still runs
	m.cancel()
	if err == nil { // for the temperature check: a short run has no other sample
		at := m.clock.Now()
		m.settle.Until(at)
		m.settle.Each = nil
		m.settle.Sample(telemetry.Sample{T: at, Reading: now})
		m.settle.Until(at)
	}
	if last := m.last(); last.OK || err != nil || telemetry.CheckPower(now) != "" {
		return last
	}
	return now.TotalW
}

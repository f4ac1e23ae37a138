package session

import (
	"sync"
	"time"

	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/telemetry"
)

// meter samples the device for a run's monitor, watches whether power is steady, and knows
// the latest power.
type meter struct {
	device  tegra.Device // nil: not started
	clock   tegra.Clock
	monitor *profiles.Monitor
	settle  *profiles.Settle
	look    func() // reads the job's output
	cancel  func()
	mu      sync.Mutex
	latest  tegra.Val[float64]
	fresh   bool // a sample came since due was asked
}

// start begins to sample; the job's output is read with each
// sample, so that the machine wakes once for both.
func (m *meter) start(s *Session, h harness.Harness, every time.Duration) {
	m.device, m.look = s.Device, func() {}
	if p, ok := h.(harness.Paced); ok {
		m.look = p.Pace()
	}
	m.cancel = s.Sampler.Subscribe(every, m.take)
}

func (m *meter) take(s telemetry.Sample) {
	m.monitor.Sample(s)
	m.settle.Sample(s)
	m.look()
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := s.PowerW(); p.OK {
		m.latest = p
	}
	m.fresh = true
}

// due reports whether a sample came since it was asked last.
func (m *meter) due() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := m.fresh
	m.fresh = false
	return fresh
}

// last is the latest valid power; absent before the first one.
func (m *meter) last() tegra.Val[float64] {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.latest
}

// stop ends sampling and returns the latest valid power, read anew when there is none; absent
// when no reading has one, or when it never started.
func (m *meter) stop() tegra.Val[float64] {
	if m.device == nil {
		return tegra.Val[float64]{}
	}
	now, err := m.device.Read() // the job still runs
	m.cancel()
	if err == nil { // for its heat: a short run has no other sample
		at := m.clock.Now()
		m.settle.Sample(telemetry.Sample{T: at, Reading: now})
		m.settle.Until(at)
	}
	if last := m.last(); last.OK || err != nil || telemetry.CheckPower(now) != "" {
		return last
	}
	return now.TotalW
}

package profiles

import (
	"fmt"
	"math"
	"time"

	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/profiles/harness"
	"jtune/profiles/harness/turns"
	"jtune/profiles/record"
	"jtune/tegra"
)

// This file decides when a mode has been measured for long enough: after a number of minibatches, or, with
// Settings.Precision, when its time and power are known precisely enough.

const (
	// steadySpan is the shortest span of steady power when precision decides.
	steadySpan = 3 * time.Second
	// longestSpan is when collection stops without that precision, once the usual number of minibatches is complete.
	longestSpan = 2 * steadySpan
)

// enough reports whether collection ends with this minibatch.
func (m *measurement) enough(e harness.Event) bool {
	if e.Summary != nil {
		return true
	}
	if m.set.Epochs > 0 {
		return m.beyondEpochs(e)
	}
	if m.set.Requests > 0 {
		return m.monitor.requests() >= m.set.Requests && m.validSamples() >= m.set.MinSamples
	}
	if m.b.Pairing != nil && (m.pair.part == turns.Together || m.pair.part == turns.ServeLoad) {
		return m.enoughOfPart(e)
	}
	if m.set.Precision > 0 && m.precise() {
		return true
	}
	if len(m.clean) < m.set.Minibatches {
		return m.enoughOfSlow(e)
	}
	longest := time.Duration(extraSamples+m.set.MinSamples) * m.set.SampleEvery
	full := m.clean[m.set.Minibatches-1].T
	if m.set.Precision > 0 {
		return e.T-full > longest
	}
	if m.validSamples() >= m.set.MinSamples || e.T-full > longest {
		return true
	}
	m.raise()
	return false
}

// enoughOfSlow reports whether a mode is so slow that fewer minibatches are enough.
func (m *measurement) enoughOfSlow(e harness.Event) bool {
	return m.set.Patience > 0 && len(m.clean) >= record.FewestOfSlow &&
		e.T-m.clean[0].Began() >= m.set.Patience && m.validSamples() >= m.set.MinSamples
}

// raise notes that a mode is so fast that it gets more minibatches, and reports this once.
func (m *measurement) raise() {
	if m.raised {
		return
	}
	m.raised, m.raisedAt = true, m.validSamples()
	if m.b.notedFast {
		return
	}
	m.b.notedFast = true
	m.b.notify(Progress{Phase: m.phase(), Step: m.step, Line: fmt.Sprintf(
		"%s: too fast for %s in %s: measured longer, as are other modes as fast", m.step.Mode,
		text.Count(m.set.MinSamples, "power reading"), text.Count(m.set.Minibatches, "step"))})
}

// countNote returns a row's note that its mode got more or fewer minibatches than requested; "" when it got as many.
func (m *measurement) countNote() string {
	if m.set.Precision > 0 {
		return m.precisionNote()
	}
	if n := len(m.clean); m.set.Patience > 0 && n < m.set.Minibatches && n >= record.FewestOfSlow {
		return fmt.Sprintf("note: %d minibatches in place of %d, which took %s", n, m.set.Minibatches,
			units.Span(m.clean[n-1].T-m.clean[0].Began()))
	}
	if !m.raised {
		return ""
	}
	return fmt.Sprintf("note: measured %d minibatches in place of %d, in which there were %s, want %d", len(m.clean),
		m.set.Minibatches, text.Count(m.raisedAt, "power reading"), m.set.MinSamples)
}

// precise reports whether time and power have the requested precision, or will not reach it.
func (m *measurement) precise() bool {
	n := len(m.clean)
	if n < record.FewestOfPrecise || m.validSamples() < m.set.MinSamples {
		return false
	}
	span := m.clean[n-1].T - m.clean[0].Began()
	if span < steadySpan {
		return false
	}
	if n < m.lookAt {
		return false
	}
	m.lookAt = n + n/lookShare + 1
	time, power := m.errors()
	return max(time, power) <= m.set.Precision || n >= m.set.Minibatches && span >= longestSpan
}

// lookShare is the share of the minibatches after which the errors are estimated again: that takes as long as hundreds
// of them, at a thousand a second.
const lookShare = 20

// errors returns the relative standard errors of time and power so far; +Inf where one is unknown.
func (m *measurement) errors() (time, power float64) {
	_, energy := m.power()
	orInf := func(v tegra.Val[float64]) float64 {
		if !v.OK {
			return math.Inf(1)
		}
		return v.V
	}
	return orInf(tegra.Finite(m.took().Relative())), orInf(energy.Error())
}

// preciseTarget estimates how many minibatches that precision takes; 0 before the first.
func (m *measurement) preciseTarget() int {
	n := len(m.clean)
	if n == 0 {
		return 0
	}
	took := m.clean[n-1].T - m.clean[0].Began()
	return max(record.FewestOfPrecise, int(math.Ceil(float64(n)*float64(steadySpan)/float64(max(took, 1)))))
}

// precisionNote returns a row's note that time or power is less precise than requested; "" where both are precise.
func (m *measurement) precisionNote() string {
	time, power := m.errors()
	if max(time, power) <= m.set.Precision {
		return ""
	}
	return fmt.Sprintf("note: %d minibatches scatter: time is known to %.2g %%, power to %.2g %%", len(m.clean),
		100*time, 100*power)
}
